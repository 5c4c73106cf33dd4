//go:build linux && cgo

// Work queues: their states, and requests, which come back when a queue fails. Nothing is received into one here.

#include "entry.h"
#include "steer.h"

#define MASK (IBV_WQ_ATTR_STATE | IBV_WQ_ATTR_CURR_STATE | IBV_WQ_ATTR_FLAGS)

static void forget(struct svb_obj *o)
{
	svb_recvq_free(&SVB_OF(o, struct svb_wq)->q);
}

static const struct svb_kind kind = {SVB_KIND(SVB_T_WQ, svb_wq), .noun = "work queue", .numbered = true, .free = forget};

// flush brings back all requests of a queue that failed.
static void flush(struct svb_wq *w)
{
	struct svb_cqe c = {.wc = {.status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV, .qp_num = w->pub.wq_num}};
	struct svb_receive r;

	while (svb_recvq_take(&w->q, &r)) {
		c.wc.wr_id = r.wr_id;
		svb_complete(w->cq, &c);
	}
}

// post is what a program finds in the queue. In RESET nothing can be posted, in ERR it comes back at once.
static int post(struct ibv_wq *pub, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int err;
	struct svb_wq *w = svb_begin(pub, SVB_T_WQ, SVB_POST_WQ_RECV, &err);

	if (!err && w->pub.state == IBV_WQS_RESET)
		err = EINVAL;
	for (; !err && wr; wr = wr->next) {
		err = svb_recvq_post(&w->q, wr);
		if (err)
			break;
	}
	if (w && w->pub.state == IBV_WQS_ERR)
		flush(w);
	svb_unlock_all();
	if (err)
		*bad = wr;
	return err;
}

static int enter(struct svb_ctx *c, struct svb_wq *w, const struct ibv_wq_init_attr *a)
{
	struct svb_pd *pd = svb_live(a->pd, SVB_T_PD);
	struct svb_cq *cq = svb_live(a->cq, SVB_T_CQ);
	int err;

	if (!pd || !cq || pd->obj.ctx != c || cq->obj.ctx != c)
		return EINVAL;
	err = svb_pd_join(pd, &w->obj);
	if (err)
		return err;
	w->cq = cq;
	svb_need(&w->obj, &cq->obj);
	w->pub.context = &c->vctx.context;
	w->pub.pd = a->pd;
	w->pub.cq = a->cq;
	w->pub.wq_type = a->wq_type;
	w->pub.handle = w->pub.wq_num = w->obj.handle;
	w->pub.state = IBV_WQS_RESET;
	w->pub.post_recv = post;
	return 0;
}

struct ibv_wq *svb_create_wq(struct ibv_context *pub, struct ibv_wq_init_attr *a)
{
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_CREATE_WQ, &err);
	struct svb_wq *w;

	if (!err && a->comp_mask >= IBV_WQ_INIT_ATTR_RESERVED)
		err = EINVAL;
	if (!err && (a->wq_type != IBV_WQT_RQ || a->max_wr == 0))
		err = EINVAL;
	if (!err && (a->comp_mask & IBV_WQ_INIT_ATTR_FLAGS) && a->create_flags >= IBV_WQ_FLAGS_RESERVED)
		err = EOPNOTSUPP;
	w = svb_new_obj(&kind, c, &err);
	if (!err && (a->max_wr > SVB_MAX_WR || a->max_sge > SVB_MAX_SGE))
		err = EINVAL;
	if (!err)
		err = svb_recvq_make(&w->q, a->max_wr, a->max_sge);
	if (!err) {
		a->max_wr = w->q.max_wr;
		w->flags = a->comp_mask & IBV_WQ_INIT_ATTR_FLAGS ? a->create_flags : 0;
		err = enter(c, w, a);
	}
	return svb_made(w, err);
}

// change holds the state that is named against the one that the queue is in.
static int change(struct svb_wq *w, const struct ibv_wq_attr *a)
{
	if (a->attr_mask == 0 || (a->attr_mask & ~(uint32_t)MASK))
		return EINVAL;
	if ((a->attr_mask & IBV_WQ_ATTR_CURR_STATE) && a->curr_wq_state != w->pub.state)
		return EINVAL;
	if ((a->attr_mask & IBV_WQ_ATTR_FLAGS) && a->flags_mask >= IBV_WQ_FLAGS_RESERVED)
		return EOPNOTSUPP;
	if ((a->attr_mask & IBV_WQ_ATTR_FLAGS) && (a->flags_mask & IBV_WQ_FLAGS_CVLAN_STRIPPING)) // raw_packet_caps is 0
		return EOPNOTSUPP;
	if (a->attr_mask & IBV_WQ_ATTR_STATE) {
		if (a->wq_state > IBV_WQS_ERR || (a->wq_state == IBV_WQS_RDY && w->pub.state == IBV_WQS_ERR))
			return EINVAL;
		w->pub.state = a->wq_state;
		if (w->pub.state == IBV_WQS_ERR)
			flush(w);
		w->q.count = w->pub.state == IBV_WQS_RESET ? 0 : w->q.count;
	}
	if (a->attr_mask & IBV_WQ_ATTR_FLAGS)
		w->flags = (w->flags & ~a->flags_mask) | (a->flags & a->flags_mask);
	return 0;
}

int svb_modify_wq(struct ibv_wq *pub, struct ibv_wq_attr *a)
{
	int err;
	struct svb_wq *w = svb_begin(pub, SVB_T_WQ, SVB_MODIFY_WQ, &err);

	if (!err)
		err = change(w, a);
	return svb_end(err);
}

SVB_DESTROYS(svb_destroy_wq, ibv_wq, SVB_T_WQ, SVB_DESTROY_WQ)
