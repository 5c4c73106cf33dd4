//go:build linux && cgo

// Device memory, behind the copy rule of mlx5.
#include <fcntl.h>
#include <stdio.h>

#include "entry.h"
#include "region.h"

#define ALLOWED \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC | \
	 IBV_ACCESS_ZERO_BASED | 0x3ff00000u)

// The provider's order: range, then alignment. Its 4-byte loop too, so that a benchmark compares with it.
static int check_copy(const struct svb_dm *dm, enum svb_verb v, uint64_t offset, size_t length)
{
	const uint64_t align = dm->dev->cfg.dm_copy_align;
	const int err = svb_gone(&dm->obj) ? EIO : svb_fails(dm->obj.inst, v); // without svb_lock, as no copy waits for another

	if (err)
		return err;
	if (offset > dm->mem->length || length > dm->mem->length - offset)
		return EFAULT;
	if (align > 1 && ((offset | length) & (align - 1)))
		return EINVAL;
	return 0;
}

static int copy_to(struct ibv_dm *pub, uint64_t offset, const void *host, size_t length)
{
	const struct svb_dm *dm = (struct svb_dm *)pub;
	const char *from = host;
	uint32_t *to, word;
	size_t n = length / 4;
	const int err = check_copy(dm, SVB_COPY_TO_DM, offset, length);

	if (err)
		return err;
	to = (uint32_t *)(void *)(dm->mem->addr + offset);
	if ((offset | length) & 3) {
		memcpy(to, host, length);
		return 0;
	}
	for (; n--; from += 4) {
		memcpy(&word, from, 4);
		__atomic_store_n(to++, word, __ATOMIC_RELAXED);
	}
	return 0;
}

static int copy_from(void *host, struct ibv_dm *pub, uint64_t offset, size_t length)
{
	const struct svb_dm *dm = (struct svb_dm *)pub;
	const uint32_t *from;
	char *to = host;
	uint32_t word;
	size_t n = length / 4;
	const int err = check_copy(dm, SVB_COPY_FROM_DM, offset, length);

	if (err)
		return err;
	from = (const uint32_t *)(void *)(dm->mem->addr + offset);
	if ((offset | length) & 3) {
		memcpy(host, from, length);
		return 0;
	}
	for (; n--; to += 4) {
		word = __atomic_load_n(from++, __ATOMIC_RELAXED);
		memcpy(to, &word, 4);
	}
	return 0;
}

static void name(const struct svb_obj *o, char *buf, size_t n)
{
	const struct svb_dm *dm = SVB_OF(o, struct svb_dm);

	snprintf(buf, n, "DM (handle %u, length %llu)", dm->pub.handle, (unsigned long long)dm->mem->length);
}

static int end(struct svb_obj *o)
{
	struct svb_kdm *dm = svb_handle_get(o->ctx->file, SVB_OF(o, struct svb_dm)->pub.handle, SVB_K_DM);

	if (!dm || dm->mrs)
		return dm ? EBUSY : ENOENT;
	svb_kdm_end(o->ctx->file, dm);
	return 0;
}

static void forget(struct svb_obj *o)
{
	if (SVB_OF(o, struct svb_dm)->mem)
		svb_mem_put(SVB_OF(o, struct svb_dm)->mem);
}

static const struct svb_kind kind = {SVB_KIND(SVB_T_DM, svb_dm), .end = end, .free = forget, .name = name};

// enter gives a handle the kernel's object.
static void enter(struct svb_dm *dm, const struct svb_kdm *k)
{
	dm->mem = k->mem;
	dm->mem->refs++;
	dm->dev = dm->obj.ctx->dev;
	dm->pub.context = &dm->obj.ctx->vctx.context;
	dm->pub.memcpy_to_dm = copy_to;
	dm->pub.memcpy_from_dm = copy_from;
	dm->pub.handle = k->k.handle;
}

static int check_alloc(const struct svb_dev *d, const struct ibv_alloc_dm_attr *a)
{
	if (!d->cfg.max_dm_size)
		return EOPNOTSUPP;
	if (a->comp_mask || a->length == 0 || a->length > d->cfg.max_dm_size || a->log_align_req > d->cfg.dm_max_log_align)
		return EINVAL;
	return 0;
}

// alignment is the one to give; mlx5 has none below its unit.
static uint64_t alignment(const struct svb_dev *d, const struct ibv_alloc_dm_attr *a)
{
	const uint64_t asked = (uint64_t)1 << a->log_align_req;

	return d->cfg.mlx5 ? svb_dm_units(d, asked) : asked;
}

// allocate makes the kernel's object; NULL: no memory.
static struct svb_kdm *allocate(struct svb_ctx *c, const struct ibv_alloc_dm_attr *a)
{
	struct svb_kdm *k = calloc(1, sizeof *k);

	if (k && c->dev->dm_used + svb_dm_units(c->dev, a->length) <= c->dev->cfg.max_dm_size)
		k->mem = svb_mem_get(a->length, alignment(c->dev, a));
	if (k && k->mem && !svb_handle_add(c->file, &k->k, SVB_K_DM)) {
		c->dev->dm_used += svb_dm_units(c->dev, a->length);
		return k;
	}
	if (k && k->mem)
		svb_mem_put(k->mem);
	free(k);
	return NULL;
}

struct ibv_dm *svb_alloc_dm(struct ibv_context *pub, struct ibv_alloc_dm_attr *a)
{
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_ALLOC_DM, &err);
	struct svb_kdm *k = NULL;
	struct svb_dm *dm;

	if (!err)
		err = check_alloc(c->dev, a);
	dm = svb_new_obj(&kind, c, &err);
	if (!err && !(k = allocate(c, a)))
		err = ENOMEM;
	if (!err) {
		enter(dm, k);
		dm->pub.comp_mask = IBV_DM_MASK_HANDLE;
	}
	return svb_made(dm, err);
}

SVB_DESTROYS(svb_free_dm, ibv_dm, SVB_T_DM, SVB_FREE_DM)

// As mlx5 does, it leaves comp_mask 0 although the handle is there.
struct ibv_dm *svb_import_dm(struct ibv_context *pub, uint32_t handle)
{
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_IMPORT_DM, &err);
	struct svb_kdm *k = NULL;
	struct svb_dm *dm;

	if (!err && c->dev->cfg.no_import)
		err = EOPNOTSUPP;
	if (!err && !(k = svb_handle_get(c->file, handle, SVB_K_DM)))
		err = ENOENT;
	dm = svb_new_obj(&kind, c, &err);
	if (!err)
		enter(dm, k);
	return svb_made(dm, err);
}

void svb_unimport_dm(struct ibv_dm *pub)
{
	svb_unimport(pub, SVB_T_DM);
}

int svb_dm_export_dmabuf_fd(struct ibv_dm *pub)
{
	int fd = -1, err;
	struct svb_dm *dm = svb_begin(pub, SVB_T_DM, SVB_DM_EXPORT, &err);

	if (!err) {
		fd = fcntl(dm->mem->fd, F_DUPFD_CLOEXEC, 0);
		err = fd < 0 ? errno : 0;
	}
	svb_end(err);
	return fd;
}

static int check_reg(const struct svb_pd *pd, const struct svb_dm *dm, uint64_t offset, size_t length, uint32_t access)
{
	const struct svb_dev *d = pd->obj.ctx->dev;
	int err;

	if (!dm || dm->obj.ctx->file != pd->obj.ctx->file)
		return EINVAL;
	if ((access & ~(uint32_t)ALLOWED) || !(access & IBV_ACCESS_ZERO_BASED) || (d->cfg.mlx5 && access & IBV_ACCESS_OPTIONAL_RANGE))
		return EINVAL;
	err = svb_check_access(d, access);
	if (err)
		return err;
	if (offset > dm->mem->length || length > dm->mem->length - offset)
		return EINVAL;
	if (d->cfg.dm_mr_align > 1 && (offset % d->cfg.dm_mr_align || length % d->cfg.dm_mr_align))
		return EINVAL;
	return 0;
}

// The region's addresses count from 0, and it has no address in this process.
struct ibv_mr *svb_reg_dm_mr(struct ibv_pd *ppd, struct ibv_dm *pdm, uint64_t offset, size_t length, unsigned int access)
{
	struct svb_span span = {.where = SVB_DEVICE, .length = length};
	int err;
	struct svb_pd *pd = svb_begin(ppd, SVB_T_PD, SVB_REG_DM_MR, &err);
	struct svb_dm *dm = svb_live(pdm, SVB_T_DM);

	if (!err)
		err = check_reg(pd, dm, offset, length, access);
	svb_unlock_all();
	if (err)
		return svb_null(err);
	span.start = dm->mem->addr + offset;
	return svb_mr_enter(pd, &span, NULL, access, dm, true);
}
