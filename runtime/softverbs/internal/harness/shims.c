//go:build linux && cgo

#include <errno.h>
#include <stdlib.h>

#include "shims.h"

#define VCTX(c) ((struct verbs_context *)(void *)((char *)(c) - offsetof(struct verbs_context, context)))
#define HAS(c, op) (VCTX(c)->sz >= sizeof(struct verbs_context) - offsetof(struct verbs_context, op) && VCTX(c)->op)
#define POINTER(call) \
	void *r; \
	errno = 0; \
	r = (call); \
	*err = r ? 0 : errno; \
	return r

static void *lacks(int *err)
{
	*err = EOPNOTSUPP;
	return NULL;
}

void *svbh_list(uintptr_t fn, int *n, int *err) { POINTER(((struct ibv_device **(*)(int *))fn)(n)); }
void *svbh_list_at(void *list, int i) { return ((struct ibv_device **)list)[i]; }
void svbh_void(uintptr_t fn, void *obj) { ((void (*)(void *))fn)(obj); }
int svbh_int(uintptr_t fn, void *obj) { return ((int (*)(void *))fn)(obj); }
const char *svbh_name(uintptr_t fn, void *dev) { return ((const char *(*)(void *))fn)(dev); }
uint64_t svbh_guid(uintptr_t fn, void *dev) { return ((uint64_t(*)(void *))fn)(dev); }
void *svbh_ptr(uintptr_t fn, void *obj, int *err) { POINTER(((void *(*)(void *))fn)(obj)); }
void *svbh_import_device(uintptr_t fn, int fd, int *err) { POINTER(((void *(*)(int))fn)(fd)); }
void *svbh_import(uintptr_t fn, void *obj, uint32_t handle, int *err)
{
	POINTER(((void *(*)(void *, uint32_t))fn)(obj, handle));
}
void *svbh_reg_mr(uintptr_t fn, void *pd, uintptr_t addr, size_t length, int access, int *err)
{
	POINTER(((void *(*)(void *, void *, size_t, int))fn)(pd, (void *)addr, length, access));
}
int svbh_rereg(uintptr_t fn, void *mr, int flags, void *pd, uintptr_t addr, size_t length, int access, int *err)
{
	int rc;
	errno = 0;
	rc = ((int (*)(void *, int, void *, void *, size_t, int))fn)(mr, flags, pd, (void *)addr, length, access);
	*err = rc ? errno : 0;
	return rc;
}
int svbh_query_device(uintptr_t fn, void *ctx, struct ibv_device_attr *a) { return ((int (*)(void *, void *))fn)(ctx, a); }
int svbh_query_port(uintptr_t fn, void *ctx, uint8_t port, void *a)
{
	return ((int (*)(void *, uint8_t, void *))fn)(ctx, port, a);
}
size_t svbh_sz(void *ctx) { return VCTX(ctx)->sz; }
uintptr_t svbh_raw_reg_mr_ex(void *ctx) { return (uintptr_t)VCTX(ctx)->reg_mr_ex; }
int svbh_query_device_ex(void *ctx, uint32_t comp_mask, struct ibv_device_attr_ex *a, size_t size)
{
	struct ibv_query_device_ex_input in = {.comp_mask = comp_mask};
	return HAS(ctx, query_device_ex) ? VCTX(ctx)->query_device_ex(ctx, &in, a, size) : EOPNOTSUPP;
}
int svbh_query_port_op(void *ctx, uint8_t port, struct ibv_port_attr *a, size_t size)
{
	return HAS(ctx, query_port) ? VCTX(ctx)->query_port(ctx, port, a, size) : EOPNOTSUPP;
}
void *svbh_alloc_td(void *ctx, uint32_t comp_mask, int *err)
{
	struct ibv_td_init_attr a = {.comp_mask = comp_mask};
	if (!HAS(ctx, alloc_td))
		return lacks(err);
	POINTER(VCTX(ctx)->alloc_td(ctx, &a));
}
void *svbh_alloc_parent_domain(void *ctx, struct ibv_parent_domain_init_attr *a, int *err)
{
	if (!HAS(ctx, alloc_parent_domain))
		return lacks(err);
	POINTER(VCTX(ctx)->alloc_parent_domain(ctx, a));
}
void *svbh_alloc_dm(void *ctx, size_t length, uint32_t log_align, uint32_t comp_mask, int *err)
{
	struct ibv_alloc_dm_attr a = {.length = length, .log_align_req = log_align, .comp_mask = comp_mask};
	if (!HAS(ctx, alloc_dm))
		return lacks(err);
	POINTER(VCTX(ctx)->alloc_dm(ctx, &a));
}
int svbh_free_dm(void *ctx, void *dm) { return HAS(ctx, free_dm) ? VCTX(ctx)->free_dm(dm) : EOPNOTSUPP; }
int svbh_to_dm(void *dm, uint64_t off, const void *host, size_t length)
{
	return ((struct ibv_dm *)dm)->memcpy_to_dm(dm, off, host, length);
}
int svbh_from_dm(void *host, void *dm, uint64_t off, size_t length)
{
	return ((struct ibv_dm *)dm)->memcpy_from_dm(host, dm, off, length);
}
void *svbh_reg_dm_mr(void *pd, void *dm, uint64_t off, size_t length, unsigned access, int *err)
{
	struct ibv_context *ctx = ((struct ibv_pd *)pd)->context;
	if (!HAS(ctx, reg_dm_mr))
		return lacks(err);
	POINTER(VCTX(ctx)->reg_dm_mr(pd, dm, off, length, access));
}
void *svbh_null_mr(void *pd, int *err)
{
	struct ibv_context *ctx = ((struct ibv_pd *)pd)->context;
	if (!HAS(ctx, alloc_null_mr))
		return lacks(err);
	POINTER(VCTX(ctx)->alloc_null_mr(pd));
}
void *svbh_reg_mr_ex_op(void *pd, struct ibv_mr_init_attr *a, int *err)
{
	struct ibv_context *ctx = ((struct ibv_pd *)pd)->context;
	if (!HAS(ctx, reg_mr_ex))
		return lacks(err);
	POINTER(VCTX(ctx)->reg_mr_ex(pd, a));
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

int svbh_advise(void *pd, int advice, uint32_t flags, uint64_t addr, uint32_t length, uint32_t lkey, uint32_t n)
{
	struct ibv_context *ctx = ((struct ibv_pd *)pd)->context;
	struct ibv_sge s = {.addr = addr, .length = length, .lkey = lkey};
	return HAS(ctx, advise_mr) ? VCTX(ctx)->advise_mr(pd, advice, flags, &s, n) : EOPNOTSUPP;
}
