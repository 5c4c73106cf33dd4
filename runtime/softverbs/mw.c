//go:build linux && cgo

// Memory windows: made, bound by the verb, and ended. A window is a key: that of a region while it is bound, otherwise of no memory.
#include <stdio.h>

#include "entry.h"
#include "window.h"

static void name(const struct svb_obj *o, char *buf, size_t n)
{
	snprintf(buf, n, "memory window (rkey 0x%x)", SVB_OF(o, struct svb_mw)->pub.rkey);
}

static void part(struct svb_obj *o)
{
	struct svb_mw *w = SVB_OF(o, struct svb_mw);

	svb_window_unbind(&w->key);
	if (w->key.dev)
		svb_key_drop(&w->key);
}

static const struct svb_kind kind = {SVB_KIND(SVB_T_MW, svb_mw), .numbered = true, .part = part, .name = name};

static int enter(struct svb_pd *pd, struct svb_mw *w, enum ibv_mw_type type)
{
	int err = svb_pd_join(pd, &w->obj);

	if (!err)
		err = svb_key_add(pd->obj.ctx->dev, &w->key);
	if (err)
		return err;
	w->key.pd = w->obj.kpd;
	w->key.window = type;
	w->key.rkey = w->key.lkey + 1;
	w->pub = (struct ibv_mw){.context = pd->pub.context, .pd = &pd->pub, .rkey = w->key.rkey, .handle = w->obj.handle, .type = type};
	return 0;
}

struct ibv_mw *svb_alloc_mw(struct ibv_pd *ppd, enum ibv_mw_type type)
{
	int err;
	struct svb_pd *pd = svb_begin(ppd, SVB_T_PD, SVB_ALLOC_MW, &err);
	struct svb_mw *w;

	if (!err && type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2)
		err = EINVAL;
	w = err ? NULL : svb_new_obj(&kind, pd->obj.ctx, &err);
	if (!err)
		err = enter(pd, w, type);
	return svb_made(w, err);
}

// The provider makes a request of it, with the next key, and posts that.
int svb_bind_mw(struct ibv_qp *qp, struct ibv_mw *pub, struct ibv_mw_bind *b)
{
	struct ibv_send_wr wr = {.wr_id = b->wr_id, .opcode = IBV_WR_BIND_MW, .send_flags = b->send_flags}, *bad;
	int err;

	svb_enter(pub, SVB_T_MW, SVB_BIND_MW, &err);
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

SVB_DESTROYS(svb_dealloc_mw, ibv_mw, SVB_T_MW, SVB_DEALLOC_MW)
