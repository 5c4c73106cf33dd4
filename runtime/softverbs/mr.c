//go:build linux && cgo

// Memory regions: ibv_reg_mr and its kin, deregistration, import.
#include <unistd.h>

#include "entry.h"
#include "region.h"

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
		return svb_null(err);
	return svb_mr_enter(pd, &span, addr, access, NULL, true);
}

struct ibv_mr *svb_reg_mr_iova2(struct ibv_pd *pub, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	int err;
	struct svb_pd *pd = svb_enter(pub, SVB_T_PD, SVB_REG_MR, &err);

	return err ? svb_null(err) : reg_host(pd, addr, length, iova, access);
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
		return svb_null(EINVAL);
	return svb_map_mr(pd, a->fd_offset, a->length, a->iova, a->fd, (uint32_t)a->access);
}

// in_buffer replaces the part of a buffer that is named by where it lies: an address, or a descriptor.
static int in_buffer(struct svb_pd *pd, struct ibv_mr_init_attr *a)
{
	const uint64_t excluded = IBV_REG_MR_MASK_FD | IBV_REG_MR_MASK_FD_OFFSET;
	struct svb_buf *b;
	uintptr_t off;

	svb_lock_all();
	b = svb_live(a->buf, SVB_T_BUF);
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
	struct svb_pd *pd = svb_enter(pub, SVB_T_PD, SVB_REG_MR_EX, &err);

	if (!err && (a->comp_mask & IBV_REG_MR_MASK_BUF))
		err = in_buffer(pd, a);
	if (err)
		return svb_null(err);
	if (a->comp_mask & IBV_REG_MR_MASK_DMAH)
		return svb_null(EOPNOTSUPP);
	if (a->comp_mask & IBV_REG_MR_MASK_FD)
		return reg_ex_fd(pd, a);
	if ((a->comp_mask & IBV_REG_MR_MASK_FD_OFFSET) || !(a->comp_mask & IBV_REG_MR_MASK_ADDR))
		return svb_null(EINVAL);
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
	struct svb_pd *pd = svb_enter(pub, SVB_T_PD, SVB_REG_DMABUF_MR, &err);

	return err ? svb_null(err) : svb_map_mr(pd, offset, length, iova, fd, (uint32_t)access);
}

// It has a local key only, covers everything and stands for no memory.
struct ibv_mr *svb_alloc_null_mr(struct ibv_pd *pub)
{
	int err;
	struct svb_pd *pd = svb_enter(pub, SVB_T_PD, SVB_ALLOC_NULL_MR, &err);

	return err ? svb_null(err) : svb_mr_enter_null(pd);
}

SVB_DESTROYS(svb_dereg_mr, ibv_mr, SVB_T_MR, SVB_DEREG_MR)

struct ibv_mr *svb_import_mr(struct ibv_pd *ppd, uint32_t handle)
{
	int err;
	struct svb_pd *pd = svb_begin(ppd, SVB_T_PD, SVB_IMPORT_MR, &err);
	struct svb_kmr *k = NULL;
	struct svb_mr *mr;

	if (!err && pd->obj.ctx->dev->cfg.no_import)
		err = EOPNOTSUPP;
	if (!err && !(k = svb_handle_get(pd->obj.ctx->file, handle, SVB_K_MR)))
		err = ENOENT;
	mr = err ? NULL : svb_mr_new(pd, &err);
	if (!err) {
		mr->pub.handle = handle;
		mr->pub.lkey = k->lkey;
		mr->pub.rkey = k->rkey;
		mr->pub.length = k->span.length;
	}
	return svb_made(mr, err);
}

void svb_unimport_mr(struct ibv_mr *pub)
{
	svb_unimport(pub, SVB_T_MR);
}
