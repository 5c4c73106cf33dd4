//go:build linux && cgo

// What a region is made of, and how it ends.
#include <stdio.h>
#include <sys/mman.h>

#include "region.h"

#define RESOURCE_MR 1
#define BLOCK_SIZE 64

static int enter_kernel(struct svb_pd *pd, const struct svb_span *span, uint32_t access, struct svb_dm *dm, struct svb_kmr *k)
{
	struct svb_dev *d = pd->obj.ctx->dev;
	struct svb_file *f = pd->obj.ctx->file;
	struct svb_kpd *kpd = svb_handle_get(f, pd->pub.handle, SVB_K_PD);
	struct svb_kdm *kdm = dm ? svb_handle_get(f, dm->pub.handle, SVB_K_DM) : NULL;
	int err;

	if (!kpd || (dm && !kdm))
		return ENOENT;
	if (span->where == SVB_HOST && d->cfg.memlock && d->pinned + span->length > d->cfg.memlock)
		return ENOMEM;
	err = svb_handle_add(f, &k->k, SVB_K_MR);
	if (err)
		return err;
	k->access = access;
	err = svb_key_add(d, k);
	if (err) {
		svb_handle_drop(f, k->k.handle);
		return err;
	}
	k->span = *span;
	k->pd = kpd;
	kpd->users++;
	k->dm = kdm;
	if (kdm)
		kdm->mrs++;
	if (span->where == SVB_HOST)
		d->pinned += span->length;
	return 0;
}

static void name(const struct svb_obj *o, char *buf, size_t n)
{
	const struct ibv_mr *mr = o->pub;

	snprintf(buf, n, "MR (handle %u, lkey 0x%x, length %zu)", mr->handle, mr->lkey, mr->length);
}

static int end(struct svb_obj *o)
{
	const struct svb_mr *mr = SVB_OF(o, struct svb_mr);
	struct svb_kmr *k = svb_handle_get(o->ctx->file, mr->pub.handle, SVB_K_MR);

	if (mr->null)
		return 0;
	if (!k || k->windows)
		return k ? EINVAL : ENOENT; // EINVAL as soft-RoCE answers
	svb_kmr_end(o->ctx->file, k);
	return 0;
}

static void settle(struct svb_obj *o)
{
	svb_block_put(&SVB_OF(o, struct svb_mr)->block);
}

static void forget(struct svb_obj *o)
{
	svb_block_drop(&SVB_OF(o, struct svb_mr)->block);
}

static const struct svb_kind kind = {SVB_KIND(SVB_T_MR, svb_mr), .end = end, .settle = settle, .free = forget, .name = name};

struct svb_mr *svb_mr_new(struct svb_pd *pd, int *err)
{
	struct svb_mr *mr = svb_new_obj(&kind, pd->obj.ctx, err);

	if (mr) {
		mr->pub.context = pd->pub.context;
		mr->pub.pd = &pd->pub;
	}
	return mr;
}

struct ibv_mr *svb_mr_enter(struct svb_pd *pd, const struct svb_span *span, void *addr, uint32_t access, struct svb_dm *dm,
			    bool plain)
{
	struct svb_kmr *k = calloc(1, sizeof *k);
	struct svb_block block = {.ptr = NULL};
	int err = k ? svb_block_get(pd, RESOURCE_MR, BLOCK_SIZE, &block) : ENOMEM;
	struct svb_mr *mr;

	svb_lock_all();
	mr = err ? NULL : svb_mr_new(pd, &err);
	if (!err)
		err = enter_kernel(pd, span, access, dm, k);
	if (!err) {
		mr->plain = plain;
		mr->block = block;
		mr->pub.handle = k->k.handle;
		mr->pub.lkey = k->lkey;
		mr->pub.rkey = k->rkey;
		mr->pub.addr = addr;
		mr->pub.length = span->length;
	}
	if (svb_made(mr, err))
		return &mr->pub;
	if (span->where == SVB_MAPPED)
		munmap(span->map, span->mapped);
	svb_block_put(&block);
	free(k);
	return svb_null(err);
}

// A null region needs no block: no provider allocates for one, so bindings may rule out callbacks in that call.
struct ibv_mr *svb_mr_enter_null(struct svb_pd *pd)
{
	struct svb_block block = {.ptr = NULL};
	int err = svb_block_get(pd, RESOURCE_MR, 0, &block);
	struct svb_mr *mr;

	svb_lock_all();
	mr = err ? NULL : svb_mr_new(pd, &err);
	if (!err) {
		mr->null = true;
		mr->block = block;
		mr->pub.lkey = SVB_NULL_LKEY;
		mr->pub.length = SIZE_MAX;
	} else {
		svb_block_drop(&block);
	}
	return svb_made(mr, err);
}
