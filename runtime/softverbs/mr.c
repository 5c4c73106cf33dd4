//go:build linux && cgo

// Memory regions: ibv_reg_mr and its kin, deregistration, import.
#include <stdlib.h>
#include <unistd.h>

#include "entry.h"
#include "domain.h"
#include "instance.h"
#include "kernel.h"
#include "objects.h"
#include "region.h"

// enter_pd answers the protection domain, or NULL and *err.
static struct svb_pd *enter_pd(struct ibv_pd *pub, enum svb_verb v, int *err)
{
	struct svb_pd *pd;

	svb_lock_all();
	pd = svb_find_pd(pub);
	svb_unlock_all();
	*err = pd ? svb_refused(&pd->obj, v) : EINVAL;
	return pd;
}

static struct ibv_mr *give(struct svb_mr *mr)
{
	return mr ? &mr->pub : NULL;
}

static struct ibv_mr *refuse(int err)
{
	errno = err;
	return NULL;
}

// The whole address space: asked for by addr NULL and length SIZE_MAX. The peer's addresses are the program's. Nobody can
// promise huge pages for all of it.
static int check_implicit(const struct svb_dev *d, const void *addr, uint64_t iova, uint32_t access)
{
	if (addr || iova || (access & IBV_ACCESS_HUGETLB) || !(d->cfg.odp_general & IBV_ODP_SUPPORT_IMPLICIT))
		return EINVAL;
	return 0;
}

static struct ibv_mr *reg_host(struct svb_pd *pd, void *addr, size_t length, uint64_t iova, uint32_t access)
{
	const struct svb_dev *d = pd->obj.ctx->dev;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct svb_span span = {
		.where = access & IBV_ACCESS_ON_DEMAND ? SVB_ODP : SVB_HOST, .start = addr, .length = length, .iova = iova,
	};
	int err = 0;

	if (((uintptr_t)addr ^ iova) & (page - 1))
		err = EINVAL;
	if (!err)
		err = svb_check_access(d, access);
	if (!err)
		err = (access & IBV_ACCESS_ON_DEMAND) && length == SIZE_MAX ? check_implicit(d, addr, iova, access) :
									  svb_check_host(d, (uintptr_t)addr, length, access);
	if (err)
		return refuse(err);
	return give(svb_mr_enter(pd, &span, addr, access, NULL, true));
}

struct ibv_mr *svb_reg_mr_iova2(struct ibv_pd *pub, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	int err;
	struct svb_pd *pd = enter_pd(pub, SVB_REG_MR, &err);

	return err ? refuse(err) : reg_host(pd, addr, length, iova, access);
}

struct ibv_mr *svb_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
	return svb_reg_mr_iova2(pd, addr, length, iova, (unsigned)access);
}

struct ibv_mr *svb_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	return svb_reg_mr_iova2(pd, addr, length, (uintptr_t)addr, (unsigned)access);
}

static struct ibv_mr *reg_ex_fd(struct svb_pd *pd, const struct ibv_mr_init_attr *a)
{
	const uint64_t need = IBV_REG_MR_MASK_FD_OFFSET | IBV_REG_MR_MASK_IOVA;

	if ((a->comp_mask & need) != need || (a->comp_mask & IBV_REG_MR_MASK_ADDR))
		return refuse(EINVAL);
	return svb_map_mr(pd, a->fd_offset, a->length, a->iova, a->fd, (uint32_t)a->access);
}

// in_buffer replaces the part of a buffer that is named by where it lies: an address, or a descriptor.
static int in_buffer(struct svb_pd *pd, struct ibv_mr_init_attr *a)
{
	const uint64_t excluded = IBV_REG_MR_MASK_FD | IBV_REG_MR_MASK_FD_OFFSET;
	struct svb_buf *b;
	uintptr_t off;

	svb_lock_all();
	b = svb_find_buf(a->buf);
	svb_unlock_all();
	if (!b || b->pd != pd || !(a->comp_mask & IBV_REG_MR_MASK_ADDR) || (a->comp_mask & excluded))
		return EINVAL;
	off = (uintptr_t)a->addr - (uintptr_t)b->addr;
	if ((uintptr_t)a->addr < (uintptr_t)b->addr || off > b->size || a->length > b->size - off)
		return EINVAL;
	a->comp_mask &= ~(uint64_t)IBV_REG_MR_MASK_BUF;
	if (b->fd < 0)
		return 0;
	if (a->comp_mask & IBV_REG_MR_MASK_IOVA)
		return EINVAL;
	a->comp_mask = (a->comp_mask & ~(uint64_t)IBV_REG_MR_MASK_ADDR) | excluded | IBV_REG_MR_MASK_IOVA;
	a->fd = b->fd;
	a->fd_offset = off;
	a->iova = (uintptr_t)a->addr;
	return 0;
}

// DMA handles do not exist here, so none can be one of this device.
struct ibv_mr *svb_reg_mr_ex(struct ibv_pd *pub, struct ibv_mr_init_attr *given)
{
	struct ibv_mr_init_attr own = *given, *a = &own;
	int err;
	struct svb_pd *pd = enter_pd(pub, SVB_REG_MR_EX, &err);

	if (!err && (a->comp_mask & IBV_REG_MR_MASK_BUF))
		err = in_buffer(pd, a);
	if (err)
		return refuse(err);
	if (a->comp_mask & IBV_REG_MR_MASK_DMAH)
		return refuse(EOPNOTSUPP);
	if (a->comp_mask & IBV_REG_MR_MASK_FD)
		return reg_ex_fd(pd, a);
	if ((a->comp_mask & IBV_REG_MR_MASK_FD_OFFSET) || !(a->comp_mask & IBV_REG_MR_MASK_ADDR))
		return refuse(EINVAL);
	return reg_host(pd, a->addr, a->length, a->comp_mask & IBV_REG_MR_MASK_IOVA ? a->iova : (uintptr_t)a->addr,
			(uint32_t)a->access);
}

struct ibv_mr *svb_reg_buf_mr(struct ibv_pd *pd, struct ibv_buf *buf, void *addr, size_t length, int access)
{
	struct ibv_mr_init_attr a = {
		.length = length, .access = access, .comp_mask = IBV_REG_MR_MASK_BUF | IBV_REG_MR_MASK_ADDR, .addr = addr, .buf = buf,
	};

	return svb_reg_mr_ex(pd, &a);
}

struct ibv_mr *svb_reg_dmabuf_mr(struct ibv_pd *pub, uint64_t offset, size_t length, uint64_t iova, int fd, int access)
{
	int err;
	struct svb_pd *pd = enter_pd(pub, SVB_REG_DMABUF_MR, &err);

	return err ? refuse(err) : svb_map_mr(pd, offset, length, iova, fd, (uint32_t)access);
}

// It has a local key only, covers everything and stands for no memory.
struct ibv_mr *svb_alloc_null_mr(struct ibv_pd *pub)
{
	int err;
	struct svb_pd *pd = enter_pd(pub, SVB_ALLOC_NULL_MR, &err);
	struct svb_mr *mr = NULL;

	if (!err)
		mr = svb_mr_enter_null(pd);
	else
		errno = err;
	return give(mr);
}

static struct svb_mr *enter_mr(const struct ibv_mr *pub, enum svb_verb v, int *err)
{
	struct svb_mr *mr;

	svb_lock_all();
	mr = svb_find_mr(pub);
	svb_unlock_all();
	*err = mr ? svb_refused(&mr->obj, v) : EINVAL;
	return mr;
}

int svb_dereg_mr(struct ibv_mr *pub)
{
	int err;
	struct svb_mr *mr = enter_mr(pub, SVB_DEREG_MR, &err);

	if (!err) {
		svb_lock_all();
		mr = svb_find_mr(pub);
		err = mr ? svb_mr_take(mr) : EINVAL;
		svb_unlock_all();
	}
	if (err)
		return errno = err;
	svb_mr_free(mr);
	return 0;
}

struct ibv_mr *svb_import_mr(struct ibv_pd *ppd, uint32_t handle)
{
	struct svb_mr *mr = calloc(1, sizeof *mr);
	struct svb_kobj *k = NULL;
	struct svb_pd *pd;
	int err = mr ? 0 : ENOMEM;

	svb_lock_all();
	pd = svb_find_pd(ppd);
	svb_unlock_all();
	if (!err)
		err = pd ? svb_refused(&pd->obj, SVB_IMPORT_MR) : EINVAL;
	if (!err && pd->obj.ctx->dev->cfg.no_import)
		err = EOPNOTSUPP;
	if (!err) {
		svb_lock_all();
		k = svb_handle_get(pd->obj.ctx->file, handle, SVB_K_MR);
		if (k) {
			mr->pub.handle = handle;
			mr->pub.lkey = SVB_K(k, struct svb_kmr)->lkey;
			mr->pub.rkey = SVB_K(k, struct svb_kmr)->rkey;
			mr->pub.length = SVB_K(k, struct svb_kmr)->span.length;
			svb_mr_publish(mr, pd);
		} else {
			err = ENOENT;
		}
		svb_unlock_all();
	}
	if (err) {
		free(mr);
		errno = err;
		return NULL;
	}
	return &mr->pub;
}

void svb_unimport_mr(struct ibv_mr *pub)
{
	struct svb_mr *mr;

	svb_lock_all();
	mr = svb_find_mr(pub);
	if (mr)
		svb_unregister(&mr->obj);
	svb_unlock_all();
	if (mr)
		svb_mr_free(mr);
}
