//go:build linux && cgo

// ibv_rereg_mr, with the return codes of its own, and ibv_advise_mr.

#include "entry.h"
#include "region.h"

// What the library finds wrong before it asks the kernel.
static bool bad_input(const struct svb_mr *mr, int flags, const void *addr, size_t length, int access)
{
	return !mr->plain || (flags & ~(int)IBV_REREG_MR_FLAGS_SUPPORTED) ||
	       ((flags & IBV_REREG_MR_CHANGE_TRANSLATION) && (!length || !addr)) ||
	       (access && !(flags & IBV_REREG_MR_CHANGE_ACCESS));
}

struct change {
	int flags;
	struct svb_pd *pd;
	void *addr;
	size_t length;
	uint32_t access;
};

static int check_change(const struct svb_mr *mr, const struct svb_kmr *k, const struct change *c)
{
	const struct svb_dev *d = mr->obj.ctx->dev;
	uint32_t access = c->flags & IBV_REREG_MR_CHANGE_ACCESS ? c->access : k->access;
	int err;

	if (!c->flags || k->dm)
		return EINVAL;
	if ((c->flags & IBV_REREG_MR_CHANGE_PD) && (!c->pd || c->pd->obj.ctx->file != mr->obj.ctx->file))
		return EINVAL;
	err = svb_check_access(d, access);
	if (err)
		return err;
	if ((k->access ^ access) & IBV_ACCESS_ON_DEMAND)
		return EOPNOTSUPP; // a region does not change between pinned and paged
	if (c->flags & IBV_REREG_MR_CHANGE_TRANSLATION)
		return svb_check_host(d, (uintptr_t)c->addr, c->length, access);
	if ((c->flags & IBV_REREG_MR_CHANGE_ACCESS) && k->span.where == SVB_HOST)
		return svb_check_host(d, (uintptr_t)k->span.start, k->span.length, access);
	return 0;
}

// A region that leaves a parent domain does not hold it any more. What it has of the domain's allocator stays with the domain
// until that ends: no provider asks an allocator in this verb.
static int leave(struct svb_mr *mr)
{
	struct svb_left *l = calloc(1, sizeof *l);

	if (!l)
		return ENOMEM;
	l->block = mr->block;
	l->next = mr->block.holder->left;
	mr->block.holder->left = l;
	mr->block.holder->obj.users--;
	mr->block = (struct svb_block){.ptr = NULL};
	return 0;
}

static int move_pd(struct svb_mr *mr, struct svb_kmr *k, struct svb_pd *pd)
{
	struct svb_kpd *kpd = svb_handle_get(pd->obj.ctx->file, pd->pub.handle, SVB_K_PD);
	int err = kpd ? 0 : ENOENT;

	if (!err && mr->block.holder && mr->block.holder != pd)
		err = leave(mr);
	if (err)
		return err;
	k->pd->users--;
	k->pd = kpd;
	kpd->users++;
	mr->pub.pd = &pd->pub;
	mr->pub.context = pd->pub.context;
	return 0;
}

static struct svb_kmr *kernel_of(const struct svb_mr *mr)
{
	return svb_handle_get(mr->obj.ctx->file, mr->pub.handle, SVB_K_MR);
}

// The keys change with the translation, as they may: a program that goes on with the old ones is wrong.
static int translate(struct svb_mr *mr, struct svb_kmr *k, const struct change *c)
{
	const struct ibv_mr *pub = &mr->pub;
	int err;

	svb_kmr_wait(k);
	if (svb_live(pub, SVB_T_MR) != mr || kernel_of(mr) != k)
		return ENOENT; // deregistered while we waited
	if (k->span.where == SVB_HOST)
		k->dev->pinned += c->length - k->span.length;
	k->span.start = c->addr;
	k->span.length = c->length;
	k->span.iova = (uintptr_t)c->addr;
	err = svb_key_add(k->dev, k);
	if (err)
		return err;
	mr->pub.lkey = k->lkey;
	mr->pub.rkey = k->rkey;
	mr->pub.addr = c->addr;
	mr->pub.length = c->length;
	return 0;
}

static int change(struct svb_mr *mr, const struct change *c)
{
	struct svb_kmr *k = kernel_of(mr);
	int err = k ? check_change(mr, k, c) : ENOENT;

	if (!err && (c->flags & IBV_REREG_MR_CHANGE_PD))
		err = move_pd(mr, k, c->pd);
	if (!err && (c->flags & IBV_REREG_MR_CHANGE_ACCESS))
		k->access = c->access;
	if (!err && (c->flags & IBV_REREG_MR_CHANGE_TRANSLATION))
		err = translate(mr, k, c);
	return err;
}

int svb_rereg_mr(struct ibv_mr *pub, int flags, struct ibv_pd *ppd, void *addr, size_t length, int access)
{
	struct change c = {.flags = flags, .addr = addr, .length = length, .access = (uint32_t)access};
	struct svb_mr *mr;
	int err;

	svb_lock_all();
	mr = svb_live(pub, SVB_T_MR);
	if (!mr || bad_input(mr, flags, addr, length, access)) {
		svb_end(EINVAL);
		return IBV_REREG_MR_ERR_INPUT;
	}
	err = svb_refused(&mr->obj, SVB_REREG_MR);
	if (!err && mr->obj.ctx->dev->cfg.no_rereg)
		err = EOPNOTSUPP;
	c.pd = flags & IBV_REREG_MR_CHANGE_PD ? svb_live(ppd, SVB_T_PD) : NULL;
	if (!err)
		err = change(mr, &c);
	return svb_end(err) ? IBV_REREG_MR_ERR_CMD : 0;
}

static int advise_one(struct svb_pd *pd, const struct ibv_sge *s, bool write)
{
	const struct svb_kmr *k = svb_key_find(pd->obj.ctx->dev, s->lkey, false);
	uint64_t off;

	if (!k)
		return ENOENT;
	if (k->pd->k.handle != pd->pub.handle || (write && !(k->access & IBV_ACCESS_LOCAL_WRITE)))
		return EPERM;
	if (k->span.where != SVB_ODP)
		return EOPNOTSUPP;
	off = s->addr - k->span.iova;
	if (off > k->span.length || s->length > k->span.length - off)
		return EFAULT;
	return svb_mapped((uintptr_t)k->span.start + off, s->length, write) ? 0 : EFAULT;
}

int svb_advise_mr(struct ibv_pd *ppd, enum ibv_advise_mr_advice advice, uint32_t flags, struct ibv_sge *sgl, uint32_t n)
{
	uint32_t i;
	int err;
	struct svb_pd *pd = svb_begin(ppd, SVB_T_PD, SVB_ADVISE_MR, &err);

	if (!err && (flags & ~(uint32_t)IBV_ADVISE_MR_FLAG_FLUSH))
		err = EINVAL;
	if (!err && n == 0)
		err = EINVAL;
	if (!err && (!(pd->obj.ctx->dev->cfg.odp_general & IBV_ODP_SUPPORT) || (unsigned)advice > IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT))
		err = EOPNOTSUPP;
	for (i = 0; i < n && !err; i++)
		err = advise_one(pd, &sgl[i], advice == IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE);
	return svb_end(err);
}
