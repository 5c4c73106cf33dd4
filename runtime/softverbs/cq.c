//go:build linux && cgo

// Completion queues.
#include <stdio.h>

#include "entry.h"
#include "qp.h"

// Room for one less than a power of two, as soft-RoCE makes it.
static uint32_t room(uint32_t asked)
{
	uint32_t n = 1;

	while (n < asked + 1)
		n *= 2;
	return n - 1;
}

static void detach(struct svb_cq *cq)
{
	cq->obj.dying = true;
	svb_late_forget(cq, 0);
	svb_chan_forget(cq);
	svb_async_forget(cq->obj.ctx, &cq->pub);
	svb_handle_drop(cq->obj.ctx->file, cq->k.handle);
}

static void finish(struct svb_cq *cq)
{
	if (cq->chan)
		cq->chan->pub.refcnt--;
	svb_unregister(&cq->obj);
	pthread_mutex_destroy(&cq->polling);
	pthread_mutex_destroy(&cq->pub.mutex);
	pthread_cond_destroy(&cq->pub.cond);
	free(cq->ring);
	free(cq);
}

static void name(const struct svb_obj *o, char *buf, size_t n)
{
	const struct ibv_cq *cq = o->pub;

	snprintf(buf, n, "CQ (handle %u, %d entries)", cq->handle, cq->cqe);
}

static void forget(struct svb_obj *o)
{
	struct svb_cq *cq = SVB_OF(o, struct svb_cq);

	if (!o->dying)
		detach(cq);
	finish(cq);
}

static const struct svb_kind kind = {SVB_T_CQ, .free = forget, .name = name};

static int enter_cq(struct svb_ctx *c, struct svb_cq *cq, void *cq_context, struct ibv_comp_channel *ch)
{
	struct svb_chan *chan = ch ? svb_live(ch, SVB_T_CHANNEL) : NULL;
	int err;

	if (ch && (!chan || chan->obj.ctx->file != c->file))
		return EINVAL;
	err = svb_handle_add(c->file, &cq->k, SVB_K_CQ);
	if (err)
		return err;
	cq->pub.context = &c->vctx.context;
	cq->pub.channel = ch;
	cq->pub.cq_context = cq_context;
	cq->pub.handle = cq->k.handle;
	cq->pub.cqe = (int)cq->size;
	pthread_mutex_init(&cq->polling, NULL);
	pthread_mutex_init(&cq->pub.mutex, NULL);
	pthread_cond_init(&cq->pub.cond, NULL);
	cq->chan = chan;
	if (chan)
		ch->refcnt++;
	svb_register(&cq->obj, &kind, &cq->pub, c->obj.inst, c);
	return 0;
}

int svb_make_cq(struct ibv_context *pub, const struct ibv_cq_init_attr_ex *attr, int verb, struct svb_cq **made)
{
	const bool wraps = attr->cqe == UINT32_MAX; // libmlx5 adds one, and makes a queue of none
	struct svb_cq *cq = calloc(1, sizeof *cq);
	struct svb_ctx *c;
	int err = cq ? 0 : ENOMEM;

	if (!err && (attr->cqe == 0 || (attr->cqe > SVB_MAX_CQE && !wraps)))
		err = EINVAL;
	if (!err) {
		cq->size = wraps ? 1 : room(attr->cqe);
		cq->ring = calloc(cq->size, sizeof *cq->ring);
		err = cq->ring ? 0 : ENOMEM;
	}
	svb_lock_all();
	c = svb_live(pub, SVB_T_CTX);
	if (!err || err == EINVAL) {
		int told = svb_refused(c ? &c->obj : NULL, verb);
		err = told ? told : err;
	}
	if (!err && (attr->comp_vector >= (uint32_t)pub->num_comp_vectors || (wraps && !c->dev->cfg.mlx5)))
		err = EINVAL;
	if (!err)
		err = enter_cq(c, cq, attr->cq_context, attr->channel);
	svb_unlock_all();
	if (!err) {
		if (wraps)
			cq->pub.cqe = 0;
		*made = cq;
		return 0;
	}
	if (cq)
		free(cq->ring);
	free(cq);
	return err;
}

struct ibv_cq *svb_create_cq(struct ibv_context *pub, int cqe, void *cq_context, struct ibv_comp_channel *ch, int vector)
{
	const struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe < 0 ? 0 : (uint32_t)cqe, .cq_context = cq_context, .channel = ch, .comp_vector = (uint32_t)vector,
	};
	struct svb_cq *cq;
	int err = svb_make_cq(pub, &attr, SVB_CREATE_CQ, &cq);

	return err ? svb_null(err) : &cq->pub;
}

static void replace_ring(struct svb_cq *cq, struct svb_cqe *ring, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < cq->count; i++)
		ring[i] = cq->ring[(cq->head + i) % cq->size];
	free(cq->ring);
	cq->ring = ring;
	cq->size = size;
	cq->head = 0;
	cq->pub.cqe = (int)size;
}

int svb_resize_cq(struct ibv_cq *pub, int cqe)
{
	struct svb_cqe *ring = NULL;
	int err;
	struct svb_cq *cq = svb_begin(pub, SVB_T_CQ, SVB_RESIZE_CQ, &err);

	if (!err && (cqe <= 0 || cqe > SVB_MAX_CQE || (uint32_t)cqe < cq->count))
		err = EINVAL;
	if (!err && !(ring = calloc(room((uint32_t)cqe), sizeof *ring)))
		err = ENOMEM;
	if (!err)
		replace_ring(cq, ring, room((uint32_t)cqe));
	return svb_end(err);
}

int svb_destroy_cq(struct ibv_cq *pub)
{
	uint32_t comp = 0, async = 0;
	int err;
	struct svb_cq *cq = svb_begin(pub, SVB_T_CQ, SVB_DESTROY_CQ, &err);

	if (!err && cq->obj.users)
		err = EBUSY;
	if (!err) {
		detach(cq);
		comp = cq->comp_reported;
		async = cq->async_reported;
	}
	if (svb_end(err))
		return err;
	svb_wait_acks(&pub->mutex, &pub->cond, &pub->comp_events_completed, comp);
	svb_wait_acks(&pub->mutex, &pub->cond, &pub->async_events_completed, async);
	SVB_LOCKED;
	finish(cq);
	return 0;
}

void svb_dequeue(struct svb_cq *cq, struct svb_cqe *into)
{
	*into = cq->ring[cq->head];
	svb_polled(cq, into);
	cq->head = (cq->head + 1) % cq->size;
	cq->count--;
}

int svb_poll_cq(struct ibv_cq *pub, int n, struct ibv_wc *wc)
{
	struct svb_cqe entry;
	int i = 0, err;
	struct svb_cq *cq = svb_begin(pub, SVB_T_CQ, SVB_POLL_CQ, &err);

	for (; !err && i < n && cq->count; i++) {
		svb_dequeue(cq, &entry);
		wc[i] = entry.wc;
	}
	svb_unlock_all();
	return err ? -err : i;
}

int svb_req_notify_cq(struct ibv_cq *pub, int solicited_only)
{
	int err;
	struct svb_cq *cq = svb_begin(pub, SVB_T_CQ, SVB_REQ_NOTIFY_CQ, &err);

	if (!err && cq->notify != SVB_NEXT)
		cq->notify = solicited_only ? SVB_SOLICITED : SVB_NEXT;
	svb_unlock_all();
	return err;
}

// An event is reported for every completion here, as the first of many.
int svb_modify_cq(struct ibv_cq *pub, struct ibv_modify_cq_attr *a)
{
	int err;

	svb_begin(pub, SVB_T_CQ, SVB_MODIFY_CQ, &err);
	if (!err && a->attr_mask != IBV_CQ_ATTR_MODERATE)
		err = EINVAL;
	return svb_end(err);
}
