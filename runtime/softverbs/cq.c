//go:build linux && cgo

// Completion queues.
#include <stdio.h>

#include "entry.h"
#include "qp.h"

static void part(struct svb_obj *o)
{
	struct svb_cq *cq = SVB_OF(o, struct svb_cq);

	svb_late_forget(cq, 0);
	svb_chan_forget(cq);
	svb_async_forget(o->ctx, &cq->pub);
}

static void settle(struct svb_obj *o)
{
	struct svb_cq *cq = SVB_OF(o, struct svb_cq);

	svb_wait_acks(&cq->pub.mutex, &cq->pub.cond, &cq->pub.comp_events_completed, cq->comp_reported);
	svb_wait_acks(&cq->pub.mutex, &cq->pub.cond, &cq->pub.async_events_completed, cq->async_reported);
}

static void forget(struct svb_obj *o)
{
	struct svb_cq *cq = SVB_OF(o, struct svb_cq);

	if (cq->chan)
		cq->chan->pub.refcnt--;
	pthread_mutex_destroy(&cq->polling);
	pthread_mutex_destroy(&cq->pub.mutex);
	pthread_cond_destroy(&cq->pub.cond);
	free(cq->ring);
}

static void name(const struct svb_obj *o, char *buf, size_t n)
{
	const struct ibv_cq *cq = o->pub;

	snprintf(buf, n, "CQ (handle %u, %d entries)", cq->handle, cq->cqe);
}

static const struct svb_kind kind = {
	SVB_KIND(SVB_T_CQ, svb_cq), .numbered = true, .part = part, .settle = settle, .free = forget, .name = name,
};

static int check(const struct svb_ctx *c, const struct ibv_cq_init_attr_ex *attr, bool wraps)
{
	const struct svb_chan *chan = attr->channel ? svb_live(attr->channel, SVB_T_CHANNEL) : NULL;

	if (attr->cqe == 0 || (wraps ? !c->dev->cfg.mlx5 : attr->cqe > SVB_MAX_CQE))
		return EINVAL;
	if (attr->comp_vector >= (uint32_t)c->vctx.context.num_comp_vectors)
		return EINVAL;
	return attr->channel && (!chan || chan->obj.ctx->file != c->file) ? EINVAL : 0;
}

struct svb_cq *svb_make_cq(struct ibv_context *pub, const struct ibv_cq_init_attr_ex *attr, enum svb_verb verb)
{
	const bool wraps = attr->cqe == UINT32_MAX; // libmlx5 adds one, and makes a queue of none
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, verb, &err);
	struct svb_cq *cq;

	if (!err)
		err = check(c, attr, wraps);
	cq = svb_new_obj(&kind, c, &err);
	if (!err) {
		cq->pub.context = pub;
		cq->pub.channel = attr->channel;
		cq->pub.cq_context = attr->cq_context;
		cq->pub.handle = cq->obj.handle;
		pthread_mutex_init(&cq->polling, NULL);
		pthread_mutex_init(&cq->pub.mutex, NULL);
		pthread_cond_init(&cq->pub.cond, NULL);
		if (attr->channel) {
			cq->chan = svb_live(attr->channel, SVB_T_CHANNEL);
			attr->channel->refcnt++;
		}
		cq->size = wraps ? 1 : svb_ring_size(attr->cqe);
		cq->pub.cqe = wraps ? 0 : (int)cq->size;
		cq->ring = svb_zeroed(cq->size * sizeof *cq->ring, &err);
	}
	return svb_made(cq, err);
}

struct ibv_cq *svb_create_cq(struct ibv_context *pub, int cqe, void *cq_context, struct ibv_comp_channel *ch, int vector)
{
	const struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe < 0 ? 0 : (uint32_t)cqe, .cq_context = cq_context, .channel = ch, .comp_vector = (uint32_t)vector,
	};
	struct svb_cq *cq = svb_make_cq(pub, &attr, SVB_CREATE_CQ);

	return cq ? &cq->pub : NULL;
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
	if (!err && !(ring = calloc(svb_ring_size((uint32_t)cqe), sizeof *ring)))
		err = ENOMEM;
	if (!err)
		replace_ring(cq, ring, svb_ring_size((uint32_t)cqe));
	return svb_end(err);
}

SVB_DESTROYS(svb_destroy_cq, ibv_cq, SVB_T_CQ, SVB_DESTROY_CQ)

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
