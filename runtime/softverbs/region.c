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
	struct svb_kobj *kpd = svb_handle_get(f, pd->pub.handle, SVB_K_PD);
	struct svb_kobj *kdm = dm ? svb_handle_get(f, dm->pub.handle, SVB_K_DM) : NULL;
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
	k->pd = SVB_K(kpd, struct svb_kpd);
	k->pd->mrs++;
	k->dm = kdm ? SVB_K(kdm, struct svb_kdm) : NULL;
	if (k->dm)
		k->dm->mrs++;
	if (span->where == SVB_HOST)
		d->pinned += span->length;
	return 0;
}

// begin makes the handle and, when asked to, its bookkeeping block. The parent domain is held meanwhile, and
// as long as the handle lives: its allocator is needed at the end.
static void let_go(struct svb_mr *mr)
{
	if (mr->holder) {
		SVB_LOCKED;
		mr->holder->obj.users--;
	}
	free(mr);
}

static struct svb_mr *begin(struct svb_pd *pd, bool block)
{
	struct svb_mr *mr = calloc(1, sizeof *mr);
	int err = mr ? 0 : ENOMEM;

	if (!err && pd->inner) {
		SVB_LOCKED;
		if (svb_live(&pd->pub, SVB_T_PD)) {
			pd->obj.users++;
			mr->holder = pd;
		} else {
			err = EINVAL;
		}
	}
	if (!err && block)
		err = svb_block_get(pd, RESOURCE_MR, BLOCK_SIZE, &mr->block);
	if (!err)
		return mr;
	if (mr)
		let_go(mr);
	return svb_null(err);
}

// svb_mr_free frees a handle that is no longer registered.
void svb_mr_free(struct svb_mr *mr)
{
	svb_block_put(mr->holder, &mr->block);
	let_go(mr);
}

static void name(const struct svb_obj *o, char *buf, size_t n)
{
	const struct ibv_mr *mr = o->pub;

	snprintf(buf, n, "MR (handle %u, lkey 0x%x, length %zu)", mr->handle, mr->lkey, mr->length);
}

// forget does without a call of the domain's allocator.
static void forget(struct svb_obj *o)
{
	struct svb_mr *mr = SVB_OF(o, struct svb_mr);

	svb_unregister(o);
	if (!mr->block.custom)
		free(mr->block.ptr);
	free(mr);
}

static const struct svb_kind kind = {SVB_T_MR, .free = forget, .name = name};

void svb_mr_publish(struct svb_mr *mr, struct svb_pd *pd)
{
	mr->pub.context = pd->pub.context;
	mr->pub.pd = &pd->pub;
	svb_register(&mr->obj, &kind, &mr->pub, pd->obj.inst, pd->obj.ctx);
}

struct ibv_mr *svb_mr_enter(struct svb_pd *pd, const struct svb_span *span, void *addr, uint32_t access, struct svb_dm *dm,
			    bool plain)
{
	struct svb_kmr *k = calloc(1, sizeof *k);
	struct svb_mr *mr = k ? begin(pd, true) : NULL;
	int err = mr ? 0 : k ? errno : ENOMEM;

	if (!err) {
		SVB_LOCKED;
		err = enter_kernel(pd, span, access, dm, k);
		if (!err) {
			mr->plain = plain;
			mr->pub.handle = k->k.handle;
			mr->pub.lkey = k->lkey;
			mr->pub.rkey = k->rkey;
			mr->pub.addr = addr;
			mr->pub.length = span->length;
			svb_mr_publish(mr, pd);
		}
	}
	if (!err)
		return &mr->pub;
	if (span->where == SVB_MAPPED)
		munmap(span->map, span->mapped);
	if (mr)
		svb_mr_free(mr);
	free(k);
	return svb_null(err);
}

// A null region needs no block: no provider allocates for one, so bindings may rule out callbacks in that call.
struct ibv_mr *svb_mr_enter_null(struct svb_pd *pd)
{
	struct svb_mr *mr = begin(pd, false);

	if (!mr)
		return NULL;
	mr->null = true;
	mr->pub.lkey = SVB_NULL_LKEY;
	mr->pub.length = SIZE_MAX;
	SVB_LOCKED;
	svb_mr_publish(mr, pd);
	return &mr->pub;
}

// svb_mr_take ends the kernel object and unregisters the handle. It may let go of the lock on the way; the
// handle is out of reach by then.
int svb_mr_take(struct svb_mr *mr)
{
	struct svb_file *f = mr->obj.ctx->file;
	struct svb_kobj *k = mr->null ? NULL : svb_handle_get(f, mr->pub.handle, SVB_K_MR);

	if (!mr->null && !k)
		return ENOENT;
	if (k && SVB_K(k, struct svb_kmr)->windows)
		return EINVAL; // as soft-RoCE answers
	svb_unregister(&mr->obj);
	if (k)
		svb_kmr_end(f, SVB_K(k, struct svb_kmr));
	return 0;
}
