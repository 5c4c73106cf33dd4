//go:build linux && cgo

// The life of a region: from its keys to its deregistration, and import.
#include <stdlib.h>
#include <sys/mman.h>

#include "svb.h"

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
static struct svb_mr *begin(struct svb_pd *pd, bool block)
{
	struct svb_mr *mr = calloc(1, sizeof *mr);
	int err = mr ? 0 : ENOMEM;

	if (!err && pd->inner) {
		pthread_mutex_lock(&svb_lock);
		if (svb_find_pd(&pd->pub)) {
			pd->users++;
			mr->holder = pd;
		} else {
			err = EINVAL;
		}
		pthread_mutex_unlock(&svb_lock);
	}
	if (!err && block)
		err = svb_block_get(pd, RESOURCE_MR, BLOCK_SIZE, &mr->block);
	if (!err)
		return mr;
	if (mr && mr->holder) {
		pthread_mutex_lock(&svb_lock);
		pd->users--;
		pthread_mutex_unlock(&svb_lock);
	}
	free(mr);
	errno = err;
	return NULL;
}

// end frees a handle that is no longer registered.
static void end(struct svb_mr *mr)
{
	svb_block_put(mr->holder, &mr->block);
	if (mr->holder) {
		pthread_mutex_lock(&svb_lock);
		mr->holder->users--;
		pthread_mutex_unlock(&svb_lock);
	}
	free(mr);
}

static void publish(struct svb_mr *mr, struct svb_pd *pd)
{
	mr->pub.context = pd->pub.context;
	mr->pub.pd = &pd->pub;
	svb_register(&mr->obj, SVB_T_MR, &mr->pub, pd->obj.inst, pd->obj.ctx);
}

struct svb_mr *svb_enter_mr(struct svb_pd *pd, const struct svb_span *span, void *addr, uint32_t access, struct svb_dm *dm,
			    bool plain)
{
	struct svb_kmr *k = calloc(1, sizeof *k);
	struct svb_mr *mr = k ? begin(pd, true) : NULL;
	int err = mr ? 0 : k ? errno : ENOMEM;

	if (!err) {
		pthread_mutex_lock(&svb_lock);
		err = enter_kernel(pd, span, access, dm, k);
		if (!err) {
			mr->plain = plain;
			mr->pub.handle = k->k.handle;
			mr->pub.lkey = k->lkey;
			mr->pub.rkey = k->rkey;
			mr->pub.addr = addr;
			mr->pub.length = span->length;
			publish(mr, pd);
		}
		pthread_mutex_unlock(&svb_lock);
	}
	if (!err)
		return mr;
	if (span->where == SVB_MAPPED)
		munmap(span->map, span->mapped);
	if (mr)
		end(mr);
	free(k);
	errno = err;
	return NULL;
}

// A null region needs no block: no provider allocates for one, so bindings may rule out callbacks in that call.
struct svb_mr *svb_enter_null_mr(struct svb_pd *pd)
{
	struct svb_mr *mr = begin(pd, false);

	if (!mr)
		return NULL;
	mr->null = true;
	mr->pub.lkey = SVB_NULL_LKEY;
	mr->pub.length = SIZE_MAX;
	pthread_mutex_lock(&svb_lock);
	publish(mr, pd);
	pthread_mutex_unlock(&svb_lock);
	return mr;
}

static struct svb_mr *find(const struct ibv_mr *pub)
{
	struct svb_obj *o = svb_find(pub, SVB_T_MR);
	return o ? SVB_OF(o, struct svb_mr) : NULL;
}

static struct svb_mr *enter(const struct ibv_mr *pub, enum svb_verb v, int *err)
{
	struct svb_mr *mr;

	pthread_mutex_lock(&svb_lock);
	mr = find(pub);
	pthread_mutex_unlock(&svb_lock);
	*err = mr ? svb_fails(mr->obj.inst, v) : EINVAL;
	return mr;
}

// take ends the kernel object and unregisters the handle. It may let go of the lock on the way; the
// handle is out of reach by then.
static int take(struct svb_mr *mr)
{
	struct svb_file *f = mr->obj.ctx->file;
	struct svb_kobj *k = mr->null ? NULL : svb_handle_get(f, mr->pub.handle, SVB_K_MR);

	if (!mr->null && !k)
		return ENOENT;
	svb_unregister(&mr->obj);
	if (k)
		svb_kmr_end(f, SVB_K(k, struct svb_kmr));
	return 0;
}

int svb_dereg_mr(struct ibv_mr *pub)
{
	int err;
	struct svb_mr *mr = enter(pub, SVB_DEREG_MR, &err);

	if (!err) {
		pthread_mutex_lock(&svb_lock);
		mr = find(pub);
		err = mr ? take(mr) : EINVAL;
		pthread_mutex_unlock(&svb_lock);
	}
	if (err)
		return errno = err;
	end(mr);
	return 0;
}

struct ibv_mr *svb_import_mr(struct ibv_pd *ppd, uint32_t handle)
{
	struct svb_mr *mr = calloc(1, sizeof *mr);
	struct svb_kobj *k = NULL;
	struct svb_pd *pd;
	int err = mr ? 0 : ENOMEM;

	pthread_mutex_lock(&svb_lock);
	pd = svb_find_pd(ppd);
	pthread_mutex_unlock(&svb_lock);
	if (!err)
		err = pd ? svb_fails(pd->obj.inst, SVB_IMPORT_MR) : EINVAL;
	if (!err && pd->obj.ctx->dev->cfg.no_import)
		err = EOPNOTSUPP;
	if (!err) {
		pthread_mutex_lock(&svb_lock);
		k = svb_handle_get(pd->obj.ctx->file, handle, SVB_K_MR);
		if (k) {
			mr->pub.handle = handle;
			mr->pub.lkey = SVB_K(k, struct svb_kmr)->lkey;
			mr->pub.rkey = SVB_K(k, struct svb_kmr)->rkey;
			mr->pub.length = SVB_K(k, struct svb_kmr)->span.length;
			publish(mr, pd);
		} else {
			err = ENOENT;
		}
		pthread_mutex_unlock(&svb_lock);
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

	pthread_mutex_lock(&svb_lock);
	mr = find(pub);
	if (mr)
		svb_unregister(&mr->obj);
	pthread_mutex_unlock(&svb_lock);
	if (mr)
		end(mr);
}
