//go:build linux && cgo

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "overlay.h"
#include "../../../runtime/gensupport/verbs_abi.h"

#define PAGE ((size_t)4096)
#define MAX_DM (UINT64_C(1) << 20) // bytes of one allocation, told as max_dm_size

// Device memory is whole pages of the host, which the processor copies to, and the device reaches by a region with iova 0.
struct overlay_dm {
	struct ibv_dm dm; // first, so that a pointer to one is a pointer to the other
	unsigned char *bytes;
	size_t length;
};

static vg_fn_ibv_open_device real_open;
static vg_fn_ibv_reg_mr_iova2 real_reg;
static int (*real_query)(struct ibv_context *, const struct ibv_query_device_ex_input *, struct ibv_device_attr_ex *, size_t);
static uint32_t last_handle;

static size_t whole_pages(size_t length) { return (length + PAGE - 1) & ~(PAGE - 1); }

static int outside(const struct overlay_dm *d, uint64_t off, size_t length)
{
	return off > d->length || length > d->length - off;
}

// Copies in words, as the device that has such memory does: offset and length are multiples of 4.
static int copy_to(struct ibv_dm *dm, uint64_t off, const void *host, size_t length)
{
	struct overlay_dm *d = (struct overlay_dm *)dm;

	if (outside(d, off, length))
		return EFAULT;
	if (off % 4 || length % 4)
		return EINVAL;
	memcpy(d->bytes + off, host, length);
	return 0;
}

static int copy_from(void *host, struct ibv_dm *dm, uint64_t off, size_t length)
{
	struct overlay_dm *d = (struct overlay_dm *)dm;

	if (outside(d, off, length))
		return EFAULT;
	if (off % 4 || length % 4)
		return EINVAL;
	memcpy(host, d->bytes + off, length);
	return 0;
}

static struct ibv_dm *alloc_dm(struct ibv_context *ctx, struct ibv_alloc_dm_attr *attr)
{
	struct overlay_dm *d;

	if (attr->comp_mask || !attr->length || attr->length > MAX_DM || attr->log_align_req > 12) {
		errno = EINVAL;
		return NULL;
	}
	d = calloc(1, sizeof *d);
	if (d == NULL)
		return NULL;
	d->bytes = mmap(NULL, whole_pages(attr->length), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (d->bytes == MAP_FAILED) {
		free(d);
		errno = ENOMEM;
		return NULL;
	}
	d->length = attr->length;
	d->dm.context = ctx;
	d->dm.memcpy_to_dm = copy_to;
	d->dm.memcpy_from_dm = copy_from;
	d->dm.handle = __atomic_add_fetch(&last_handle, 1, __ATOMIC_RELAXED);
	return &d->dm;
}

static int free_dm(struct ibv_dm *dm)
{
	struct overlay_dm *d = (struct overlay_dm *)dm;

	munmap(d->bytes, whole_pages(d->length));
	free(d);
	return 0;
}

// An offset within a page is refused by the kernel, as iova and address must agree there.
static struct ibv_mr *reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t off, size_t length, unsigned int access)
{
	struct overlay_dm *d = (struct overlay_dm *)dm;
	struct ibv_mr *mr;

	if (!(access & IBV_ACCESS_ZERO_BASED) || outside(d, off, length)) {
		errno = EINVAL;
		return NULL;
	}
	mr = real_reg(pd, d->bytes + off, length, 0, access & ~(unsigned int)IBV_ACCESS_ZERO_BASED);
	if (mr != NULL)
		mr->addr = NULL; // as of every region over device memory
	return mr;
}

static int query_device_ex(struct ibv_context *ctx, const struct ibv_query_device_ex_input *in, struct ibv_device_attr_ex *attr,
	size_t size)
{
	int err = real_query(ctx, in, attr, size);

	if (!err && size >= offsetof(struct ibv_device_attr_ex, max_dm_size) + sizeof attr->max_dm_size)
		attr->max_dm_size = MAX_DM;
	return err;
}

// Opens the device and puts the operations into the table of its context, where a provider puts its own.
static struct ibv_context *open_device(struct ibv_device *device)
{
	struct ibv_context *ctx = real_open(device);
	struct verbs_context *v;

	if (ctx == NULL)
		return NULL;
	v = (struct verbs_context *)((char *)ctx - offsetof(struct verbs_context, context));
	if ((uintptr_t)ctx->abi_compat != UINTPTR_MAX || v->sz < sizeof *v - offsetof(struct verbs_context, reg_dm_mr))
		return ctx; // a context without room: it stays a device without device memory
	v->reg_dm_mr = reg_dm_mr;
	v->alloc_dm = alloc_dm;
	v->free_dm = free_dm;
	if (v->query_device_ex != query_device_ex) {
		real_query = v->query_device_ex;
		v->query_device_ex = query_device_ex;
	}
	return ctx;
}

void overlay_init(uintptr_t open_fn, uintptr_t reg_fn)
{
	real_open = (vg_fn_ibv_open_device)open_fn;
	real_reg = (vg_fn_ibv_reg_mr_iova2)reg_fn;
}

uintptr_t overlay_open_device(void) { return (uintptr_t)open_device; }
