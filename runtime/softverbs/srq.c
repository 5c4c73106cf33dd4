//go:build linux && cgo

// Shared receive queues.

#include "entry.h"
#include "xrc.h"

#define SRQ_RESIZE (1u << 13) // of the device's capabilities

static void part(struct svb_obj *o)
{
	struct svb_srq *srq = SVB_OF(o, struct svb_srq);

	if (srq->xrcd) // nothing arrives in it any longer
		TAILQ_REMOVE(&o->ctx->dev->srqs, srq, link);
	while (srq->xrcd && srq->busy)
		pthread_cond_wait(&svb_idle, &svb_lock);
	svb_async_forget(o->ctx, &srq->pub);
}

static void settle(struct svb_obj *o)
{
	struct svb_srq *srq = SVB_OF(o, struct svb_srq);

	svb_wait_acks(&srq->pub.mutex, &srq->pub.cond, &srq->pub.events_completed, srq->async_reported);
}

static void forget(struct svb_obj *o)
{
	struct svb_srq *srq = SVB_OF(o, struct svb_srq);

	pthread_mutex_destroy(&srq->pub.mutex);
	pthread_cond_destroy(&srq->pub.cond);
	svb_recvq_free(&srq->q);
}

static const struct svb_kind kind = {
	SVB_KIND(SVB_T_SRQ, svb_srq), .noun = "SRQ", .numbered = true, .part = part, .settle = settle, .free = forget,
};

static void enter(struct svb_pd *pd, struct svb_srq *srq, void *srq_context)
{
	srq->pub.context = pd->pub.context;
	srq->pub.srq_context = srq_context;
	srq->pub.pd = &pd->pub;
	srq->pub.handle = srq->obj.handle;
	pthread_mutex_init(&srq->pub.mutex, NULL);
	pthread_cond_init(&srq->pub.cond, NULL);
}

// publish gives a queue of type XRC its number.
static void publish(struct svb_srq *srq, struct svb_xrcd *x, struct svb_cq *cq)
{
	struct svb_dev *d = srq->obj.ctx->dev;

	srq->num = svb_srq_number(d);
	srq->xrcd = x;
	srq->cq = cq;
	svb_need(&srq->obj, &x->obj);
	svb_need(&srq->obj, &cq->obj);
	TAILQ_INSERT_TAIL(&d->srqs, srq, link);
}

static int make(const struct svb_dev *d, struct svb_srq *srq, struct ibv_srq_attr *a, bool xrc)
{
	int err;

	if (d->cfg.mlx5) {
		err = svb_mlx5_srq_caps(a, xrc, &srq->told);
		return err ? err : svb_recvq_exact(&srq->q, a->max_wr, a->max_sge);
	}
	if (a->max_wr == 0 || a->max_wr > SVB_MAX_WR || a->max_sge > SVB_MAX_SRQ_SGE)
		return EINVAL;
	srq->limit = a->srq_limit;
	err = svb_recvq_make(&srq->q, a->max_wr, a->max_sge ? a->max_sge : 1);
	srq->told = srq->q.max_wr;
	return err;
}

// create makes a queue, with xrcd one of type XRC.
static struct ibv_srq *create(struct ibv_pd *ppd, struct ibv_srq_init_attr *a, enum svb_verb v, const struct ibv_xrcd *xrcd,
			      const struct ibv_cq *pcq)
{
	int err;
	struct svb_pd *pd = svb_begin(ppd, SVB_T_PD, v, &err);
	struct svb_xrcd *x = xrcd ? svb_live(xrcd, SVB_T_XRCD) : NULL;
	struct svb_cq *cq = xrcd ? svb_live(pcq, SVB_T_CQ) : NULL;
	struct ibv_srq_attr given = a->attr;
	struct svb_srq *srq;

	if (!err && xrcd && (!x || !cq || x->obj.ctx != pd->obj.ctx || cq->obj.ctx != pd->obj.ctx))
		err = EINVAL;
	srq = err ? NULL : svb_new_obj(&kind, pd->obj.ctx, &err);
	if (!err) {
		enter(pd, srq, a->srq_context);
		err = make(pd->obj.ctx->dev, srq, &given, x);
	}
	if (!err)
		err = svb_pd_join(pd, &srq->obj);
	if (!err && x)
		publish(srq, x, cq);
	if (!err) {
		a->attr.max_wr = srq->q.max_wr;
		a->attr.max_sge = srq->q.max_sge;
	}
	return svb_made(srq, err);
}

struct ibv_srq *svb_create_srq(struct ibv_pd *ppd, struct ibv_srq_init_attr *a)
{
	return create(ppd, a, SVB_CREATE_SRQ, NULL, NULL);
}

// matches reports whether completions of a queue can be of matched tags, which libmlx5 asks for.
static bool matches(const struct ibv_cq *pub)
{
	const struct svb_cq *cq = pub ? svb_live(pub, SVB_T_CQ) : NULL;

	return cq && cq->ex.start_poll;
}

static int check(const struct svb_dev *d, const struct ibv_srq_init_attr_ex *a, enum ibv_srq_type type)
{
	const uint32_t both = IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;

	if (d->cfg.mlx5 && type == IBV_SRQT_BASIC)
		return 0; // its mask is not looked at
	if (d->cfg.mlx5 && (type > IBV_SRQT_TM || (type == IBV_SRQT_TM && !matches(a->cq))))
		return EINVAL;

	if (a->comp_mask >= IBV_SRQ_INIT_ATTR_RESERVED || type == IBV_SRQT_TM)
		return EOPNOTSUPP;
	if (!(a->comp_mask & IBV_SRQ_INIT_ATTR_PD) || (type != IBV_SRQT_BASIC && type != IBV_SRQT_XRC))
		return EINVAL;
	if (type == IBV_SRQT_BASIC)
		return 0;
	if (!svb_has_xrc(d))
		return EOPNOTSUPP;
	return (a->comp_mask & both) == both ? 0 : EINVAL;
}

struct ibv_srq *svb_create_srq_ex(struct ibv_context *pub, struct ibv_srq_init_attr_ex *a)
{
	const enum ibv_srq_type type = a->comp_mask & IBV_SRQ_INIT_ATTR_TYPE ? a->srq_type : IBV_SRQT_BASIC;
	const bool xrc = type == IBV_SRQT_XRC;
	struct svb_ctx *c;
	int err;

	svb_lock_all();
	c = svb_live(pub, SVB_T_CTX);
	err = c ? check(c->dev, a, type) : EINVAL;
	svb_unlock_all();
	if (!err) // the extended structure begins with the plain one
		return create(a->pd, (struct ibv_srq_init_attr *)a, SVB_CREATE_SRQ_EX, xrc ? a->xrcd : NULL, xrc ? a->cq : NULL);
	return svb_null(err);
}

// The limit is held against the size before the change, and the size against the limit before it, as in soft-RoCE.
static int change(struct svb_srq *srq, const struct ibv_srq_attr *a, int mask)
{
	int err = 0;

	if (srq->obj.ctx->dev->cfg.mlx5) { // its size is fixed
		if (mask & IBV_SRQ_MAX_WR || (mask & IBV_SRQ_LIMIT && a->srq_limit > srq->told))
			return EINVAL;
		srq->limit = mask & IBV_SRQ_LIMIT ? a->srq_limit : srq->limit;
		return 0;
	}

	if (mask & IBV_SRQ_MAX_WR) {
		if (!(srq->obj.ctx->dev->cfg.cap_flags & SRQ_RESIZE))
			return EINVAL;
		if (a->max_wr == 0 || a->max_wr > SVB_MAX_WR || a->max_wr < srq->limit)
			return EINVAL;
	}
	if ((mask & IBV_SRQ_LIMIT) && a->srq_limit > srq->q.max_wr)
		return EINVAL;
	if (mask & IBV_SRQ_MAX_WR)
		err = svb_recvq_resize(&srq->q, a->max_wr);
	srq->told = srq->q.max_wr;
	if (!err && (mask & IBV_SRQ_LIMIT))
		srq->limit = a->srq_limit;
	return err;
}

int svb_modify_srq(struct ibv_srq *pub, struct ibv_srq_attr *a, int mask)
{
	int err;
	struct svb_srq *srq = svb_begin(pub, SVB_T_SRQ, SVB_MODIFY_SRQ, &err);

	if (!err)
		err = change(srq, a, mask);
	return svb_end(err);
}

int svb_query_srq(struct ibv_srq *pub, struct ibv_srq_attr *a)
{
	int err;
	struct svb_srq *srq = svb_begin(pub, SVB_T_SRQ, SVB_QUERY_SRQ, &err);

	if (!err)
		*a = (struct ibv_srq_attr){.max_wr = srq->told, .max_sge = srq->q.max_sge, .srq_limit = srq->limit};
	return svb_end(err);
}

int svb_get_srq_num(struct ibv_srq *pub, uint32_t *num)
{
	int err;
	struct svb_srq *srq = svb_begin(pub, SVB_T_SRQ, SVB_GET_SRQ_NUM, &err);

	if (!err && !srq->xrcd)
		err = EOPNOTSUPP;
	if (!err)
		*num = srq->num;
	svb_unlock_all();
	return err;
}

SVB_DESTROYS(svb_destroy_srq, ibv_srq, SVB_T_SRQ, SVB_DESTROY_SRQ)

int svb_post_srq_recv(struct ibv_srq *pub, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int err;
	struct svb_srq *srq = svb_begin(pub, SVB_T_SRQ, SVB_POST_SRQ_RECV, &err);

	for (; !err && wr; wr = wr->next) {
		err = svb_recvq_post(&srq->q, wr);
		if (err)
			break;
	}
	svb_unlock_all();
	if (err)
		*bad = wr;
	return err;
}
