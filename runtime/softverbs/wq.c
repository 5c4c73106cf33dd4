//go:build linux && cgo

// Work queues: their states. Nothing is received into one here.
#include <stdio.h>
#include <stdlib.h>

#include "entry.h"
#include "completion.h"
#include "domain.h"
#include "instance.h"
#include "kernel.h"
#include "objects.h"

#define MASK (IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_CURR_STATE | IBV_WQ_ATTR_FLAGS)

struct wq {
	struct ibv_wq pub;
	struct svb_obj obj;
	struct svb_kobj k;
	struct svb_kpd *pd;
	struct svb_pd *holder; // parent domain, or NULL
	struct svb_cq *cq;
	uint32_t flags;
};

static void end(struct wq *w)
{
	svb_handle_drop(w->obj.ctx->file, w->k.handle);
	w->pd->queues--;
	w->cq->users--;
	if (w->holder)
		w->holder->users--;
	svb_unregister(&w->obj);
	free(w);
}

static void name(const struct svb_obj *o, char *buf, size_t n)
{
	snprintf(buf, n, "work queue (handle %u)", SVB_OF(o, struct wq)->pub.handle);
}

static void forget(struct svb_obj *o)
{
	end(SVB_OF(o, struct wq));
}

static const struct svb_kind kind = {SVB_T_WQ, name, forget};

static int enter(struct svb_ctx *c, struct wq *w, const struct ibv_wq_init_attr *a)
{
	struct svb_pd *pd = svb_find_pd(a->pd);
	struct svb_cq *cq = svb_find_cq(a->cq);
	struct svb_kobj *kpd = pd ? svb_handle_get(c->file, pd->pub.handle, SVB_K_PD) : NULL;
	int err;

	if (!kpd || !cq || cq->dying || pd->obj.ctx != c || cq->obj.ctx != c)
		return EINVAL;
	err = svb_handle_add(c->file, &w->k, SVB_K_WQ);
	if (err)
		return err;
	w->pd = SVB_K(kpd, struct svb_kpd);
	w->pd->queues++;
	w->cq = cq;
	cq->users++;
	if (pd->inner) {
		w->holder = pd;
		pd->users++;
	}
	w->pub.context = &c->vctx.context;
	w->pub.pd = a->pd;
	w->pub.cq = a->cq;
	w->pub.wq_type = a->wq_type;
	w->pub.handle = w->pub.wq_num = w->k.handle;
	w->pub.state = IBV_WQS_RESET;
	svb_register(&w->obj, &kind, &w->pub, c->obj.inst, c);
	return 0;
}

struct ibv_wq *svb_create_wq(struct ibv_context *pub, struct ibv_wq_init_attr *a)
{
	int err;
	struct svb_ctx *c = svb_enter(pub, SVB_CREATE_WQ, &err);
	struct wq *w = NULL;

	if (!err && a->comp_mask >= IBV_WQ_INIT_ATTR_RESERVED)
		err = EINVAL;
	if (!err && (a->wq_type != IBV_WQT_RQ || a->max_wr == 0))
		err = EINVAL;
	if (!err && (a->comp_mask & IBV_WQ_INIT_ATTR_FLAGS) && a->create_flags >= IBV_WQ_FLAGS_RESERVED)
		err = EOPNOTSUPP;
	if (!err && !(w = calloc(1, sizeof *w)))
		err = ENOMEM;
	if (!err) {
		w->flags = a->comp_mask & IBV_WQ_INIT_ATTR_FLAGS ? a->create_flags : 0;
		pthread_mutex_lock(&svb_lock);
		err = enter(c, w, a);
		pthread_mutex_unlock(&svb_lock);
	}
	if (!err)
		return &w->pub;
	free(w);
	errno = err;
	return NULL;
}

// change holds the state that is named against the one that the queue is in.
static int change(struct wq *w, const struct ibv_wq_attr *a)
{
	if (a->attr_mask == 0 || (a->attr_mask & ~(uint32_t)MASK))
		return EINVAL;
	if ((a->attr_mask & IBV_WQ_ATTR_CURR_STATE) && a->curr_wq_state != w->pub.state)
		return EINVAL;
	if ((a->attr_mask & IBV_WQ_ATTR_FLAGS) && a->flags_mask >= IBV_WQ_FLAGS_RESERVED)
		return EOPNOTSUPP;
	if (a->attr_mask & IBV_WQ_ATTR_STATE) {
		if (a->wq_state > IBV_WQS_ERR || (a->wq_state == IBV_WQS_RDY && w->pub.state == IBV_WQS_ERR))
			return EINVAL;
		w->pub.state = a->wq_state;
	}
	if (a->attr_mask & IBV_WQ_ATTR_FLAGS)
		w->flags = (w->flags & ~a->flags_mask) | (a->flags & a->flags_mask);
	return 0;
}

int svb_modify_wq(struct ibv_wq *pub, struct ibv_wq_attr *a)
{
	struct svb_obj *o;
	int err;

	pthread_mutex_lock(&svb_lock);
	o = svb_find(pub, SVB_T_WQ);
	err = o ? svb_refused_locked(o, SVB_MODIFY_WQ) : EINVAL;
	if (!err)
		err = change(SVB_OF(o, struct wq), a);
	pthread_mutex_unlock(&svb_lock);
	return err ? errno = err : 0;
}

int svb_destroy_wq(struct ibv_wq *pub)
{
	struct svb_obj *o;
	int err;

	pthread_mutex_lock(&svb_lock);
	o = svb_find(pub, SVB_T_WQ);
	err = o ? svb_refused_locked(o, SVB_DESTROY_WQ) : EINVAL;
	if (!err)
		forget(o);
	pthread_mutex_unlock(&svb_lock);
	return err ? errno = err : 0;
}
