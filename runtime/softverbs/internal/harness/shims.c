//go:build linux && cgo

#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "shims.h"

void *svbh_call(uintptr_t fn, const uintptr_t *a, int *err)
{
	void *r;

	errno = 0;
	r = ((void *(*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t))fn)(
		a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
	*err = errno;
	return r;
}

int svbh_to_dm(void *dm, uint64_t off, const void *host, size_t length)
{
	return ((struct ibv_dm *)dm)->memcpy_to_dm(dm, off, host, length);
}

int svbh_from_dm(void *host, void *dm, uint64_t off, size_t length)
{
	return ((struct ibv_dm *)dm)->memcpy_from_dm(host, dm, off, length);
}

static void *arena_alloc(struct ibv_pd *pd, void *arg, size_t size, size_t alignment, uint64_t resource)
{
	struct svbh_arena *a = arg;
	char *p;

	a->pd = pd;
	a->size = size;
	a->alignment = alignment;
	a->resource = resource;
	if (a->answer == SVBH_NULL)
		return NULL;
	if (a->answer == SVBH_DEFAULT)
		return (void *)UINTPTR_MAX;
	p = aligned_alloc(alignment, 4 * alignment);
	if (!p)
		return NULL;
	for (size_t i = 0; i < 4 * alignment; i++)
		p[i] = 0;
	if (a->answer == SVBH_DIRTY)
		p[size - 1] = 1;
	a->allocs++;
	a->last = p;
	return a->answer == SVBH_CROOKED ? p + 8 : p;
}

static void arena_free(struct ibv_pd *pd, void *arg, void *ptr, uint64_t resource)
{
	struct svbh_arena *a = arg;
	void *given = a->answer == SVBH_CROOKED ? (char *)a->last + 8 : a->last;

	if (ptr != given || resource != a->resource || (void *)pd != a->pd)
		a->bad_frees++;
	a->frees++;
	free(a->last);
	a->last = NULL;
}

void svbh_parent_domain_attr(struct ibv_parent_domain_init_attr *a, void *pd, void *td, struct svbh_arena *arena)
{
	*a = (struct ibv_parent_domain_init_attr){.pd = pd, .td = td};
	if (!arena)
		return;
	a->comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS | IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;
	a->alloc = arena_alloc;
	a->free = arena_free;
	a->pd_context = arena;
}

static struct ibv_dm *fake_alloc_dm(struct ibv_context *c, struct ibv_alloc_dm_attr *a)
{
	(void)c;
	(void)a;
	errno = ENOTTY;
	return NULL;
}
uintptr_t svbh_fake_alloc_dm(void) { return (uintptr_t)fake_alloc_dm; }

void svbh_set_imm(struct ibv_send_wr *wr, uint32_t imm) { wr->imm_data = htobe32(imm); }
void svbh_set_rdma(struct ibv_send_wr *wr, uint64_t addr, uint32_t rkey)
{
	wr->wr.rdma.remote_addr = addr;
	wr->wr.rdma.rkey = rkey;
}
void svbh_set_atomic(struct ibv_send_wr *wr, uint64_t addr, uint32_t rkey, uint64_t compare_add, uint64_t swap)
{
	wr->wr.atomic.remote_addr = addr;
	wr->wr.atomic.rkey = rkey;
	wr->wr.atomic.compare_add = compare_add;
	wr->wr.atomic.swap = swap;
}
void svbh_set_ud(struct ibv_send_wr *wr, void *ah, uint32_t qpn, uint32_t qkey)
{
	wr->wr.ud.ah = ah;
	wr->wr.ud.remote_qpn = qpn;
	wr->wr.ud.remote_qkey = qkey;
}
uint32_t svbh_wc_imm(const struct ibv_wc *wc) { return be32toh(wc->imm_data); }
