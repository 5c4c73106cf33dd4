//go:build linux && cgo

// Memory windows: made, bound by the verb, and ended. A window is a key: that of a region while it is bound, otherwise of no memory.
#include <stdio.h>
#include <stdlib.h>

#include "entry.h"
#include "domain.h"
#include "instance.h"
#include "kernel.h"
#include "objects.h"
#include "window.h"

static void end(struct svb_mw *w)
{
	svb_handle_drop(w->obj.ctx->file, w->key.k.handle);
	svb_window_unbind(&w->key);
	svb_key_drop(&w->key);
	w->pd->queues--;
	if (w->holder)
		w->holder->users--;
	svb_unregister(&w->obj);
	free(w);
}

static void name(const struct svb_obj *o, char *buf, size_t n)
{
	snprintf(buf, n, "memory window (rkey 0x%x)", SVB_OF(o, struct svb_mw)->pub.rkey);
}

static void forget(struct svb_obj *o)
{
	end(SVB_OF(o, struct svb_mw));
}

static const struct svb_kind kind = {SVB_T_MW, name, forget};

static int enter(struct svb_pd *pd, struct svb_mw *w)
{
	struct svb_file *f = pd->obj.ctx->file;
	struct svb_kobj *kpd = svb_handle_get(f, pd->pub.handle, SVB_K_PD);
	int err = kpd ? svb_handle_add(f, &w->key.k, SVB_K_MW) : ENOENT;

	if (err)
		return err;
	err = svb_key_add(pd->obj.ctx->dev, &w->key);
	if (err) {
		svb_handle_drop(f, w->key.k.handle);
		return err;
	}
	w->pd = w->key.pd = SVB_K(kpd, struct svb_kpd);
	w->pd->queues++;
	if (pd->inner) {
		w->holder = pd;
		pd->users++;
	}
	w->key.window = w->pub.type;
	w->key.rkey = w->key.lkey + 1;
	w->pub.context = pd->pub.context;
	w->pub.pd = &pd->pub;
	w->pub.handle = w->key.k.handle;
	w->pub.rkey = w->key.rkey;
	svb_register(&w->obj, &kind, &w->pub, pd->obj.inst, pd->obj.ctx);
	return 0;
}

struct ibv_mw *svb_alloc_mw(struct ibv_pd *ppd, enum ibv_mw_type type)
{
	struct svb_mw *w = calloc(1, sizeof *w);
	struct svb_pd *pd;
	int err = w ? 0 : ENOMEM;

	svb_lock_all();
	pd = svb_find_pd(ppd);
	if (!err)
		err = pd ? svb_refused_locked(&pd->obj, SVB_ALLOC_MW) : EINVAL;
	if (!err && type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2)
		err = EINVAL;
	if (!err) {
		w->pub.type = type;
		err = enter(pd, w);
	}
	svb_unlock_all();
	if (!err)
		return &w->pub;
	free(w);
	errno = err;
	return NULL;
}

// The provider makes a request of it, with the next key, and posts that.
int svb_bind_mw(struct ibv_qp *qp, struct ibv_mw *pub, struct ibv_mw_bind *b)
{
	struct ibv_send_wr wr = {.wr_id = b->wr_id, .opcode = IBV_WR_BIND_MW, .send_flags = b->send_flags}, *bad;
	struct svb_mw *w;
	int err;

	svb_lock_all();
	w = svb_find_mw(pub);
	err = w ? svb_refused_locked(&w->obj, SVB_BIND_MW) : EINVAL;
	svb_unlock_all();
	if (!err && (b->bind_info.mw_access_flags & IBV_ACCESS_ZERO_BASED))
		err = EINVAL;
	wr.bind_mw.mw = pub;
	wr.bind_mw.rkey = (pub->rkey & ~0xffu) | ((pub->rkey + 1) & 0xff);
	wr.bind_mw.bind_info = b->bind_info;
	if (!err)
		err = svb_post_send(qp, &wr, &bad);
	if (err)
		return errno = err;
	pub->rkey = wr.bind_mw.rkey;
	return 0;
}

int svb_dealloc_mw(struct ibv_mw *pub)
{
	struct svb_obj *o;
	int err;

	svb_lock_all();
	o = svb_find(pub, SVB_T_MW);
	err = o ? svb_refused_locked(o, SVB_DEALLOC_MW) : EINVAL;
	if (!err)
		forget(o);
	svb_unlock_all();
	return err ? errno = err : 0;
}
