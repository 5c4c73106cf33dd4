//go:build linux && cgo

// The life of a queue pair.

#include "entry.h"
#include "steer.h"
#include "worker.h"
#include "xrc.h"

#define RESOURCE_QP 2
#define BLOCK_SIZE 256

// limited says whether the capacities are within those of soft-RoCE.
static bool limited(const struct ibv_qp_init_attr *a)
{
	const struct ibv_qp_cap *c = &a->cap;

	if (c->max_send_wr > SVB_MAX_WR || c->max_send_sge > SVB_MAX_SGE || c->max_inline_data > SVB_MAX_INLINE)
		return false;
	return a->srq || (c->max_recv_wr <= SVB_MAX_WR && c->max_recv_sge <= SVB_MAX_SGE);
}

// check_init gives in *given what mlx5 makes of the capacities.
static int check_init(const struct svb_dev *d, const struct ibv_qp_init_attr *a, uint64_t ops, struct ibv_qp_cap *given)
{
	const bool sender = a->qp_type == IBV_QPT_XRC_SEND;

	if (a->qp_type == IBV_QPT_DRIVER && d->cfg.mlx5)
		return SVB_SILENT;
	if ((a->qp_type == IBV_QPT_RAW_PACKET && d->cfg.no_raw) || a->qp_type == IBV_QPT_DRIVER || (sender && !svb_has_xrc(d)))
		return EOPNOTSUPP;
	if (a->qp_type == IBV_QPT_RAW_PACKET && !d->cfg.net_raw) // core/uverbs_cmd.c, create_qp
		return EPERM;
	if (!sender && a->qp_type != IBV_QPT_RC && a->qp_type != IBV_QPT_UC && a->qp_type != IBV_QPT_UD && a->qp_type != IBV_QPT_RAW_PACKET)
		return EINVAL;
	if (!a->send_cq || (sender ? a->srq != NULL : !a->recv_cq))
		return EINVAL;
	if (d->cfg.mlx5)
		return svb_mlx5_caps(a, ops, given);
	return limited(a) ? 0 : EINVAL;
}

// grant gives what is asked for. SGEs and inline bytes share a slot, so soft-RoCE gives as much of one as of the other. With mlx5 all has
// been rounded already, in given.
static void grant(struct svb_qp *qp, const struct ibv_qp_cap *asked, const struct ibv_qp_cap *given, bool mlx5)
{
	qp->cap = mlx5 ? *given : *asked;
	if (mlx5 && !given->max_send_wr)
		qp->cap.max_send_sge = qp->cap.max_inline_data = 0;
	qp->slot = qp->cap.max_send_sge * (uint32_t)sizeof(struct ibv_sge);
	if (qp->slot < qp->cap.max_inline_data)
		qp->slot = qp->cap.max_inline_data;
	if (!mlx5) {
		qp->cap.max_send_sge = qp->slot / (uint32_t)sizeof(struct ibv_sge);
		qp->cap.max_inline_data = qp->slot;
		qp->cap.max_send_wr = svb_ring_size(asked->max_send_wr);
	}
	qp->slot = (qp->slot + 15) / 16 * 16 + 16;
}

static void release(struct svb_qp *qp)
{
	free(qp->sq);
	free(qp->sdata);
	free(qp->groups);
	svb_stream_free(qp->stream);
	svb_recvq_free(&qp->rq);
}

static int allocate(struct svb_qp *qp, const struct svb_dev *d, const struct ibv_qp_cap *asked, const struct ibv_qp_cap *given, bool shared)
{
	int err = 0;

	grant(qp, asked, given, d->cfg.mlx5);
	qp->sq = calloc((size_t)qp->cap.max_send_wr + 1, sizeof *qp->sq);
	qp->sdata = calloc((size_t)qp->cap.max_send_wr + 1, qp->slot);
	if (d->cfg.mlx5 && !shared)
		err = svb_recvq_exact(&qp->rq, given->max_recv_wr, given->max_recv_sge);
	else if (!shared)
		err = svb_recvq_make(&qp->rq, asked->max_recv_wr, asked->max_recv_sge);
	qp->cap.max_recv_wr = qp->rq.max_wr;
	qp->cap.max_recv_sge = qp->rq.max_sge;
	return qp->sq && qp->sdata ? err : ENOMEM;
}

// part ends all but the handle: no request starts or arrives any more.
static void part(struct svb_obj *o)
{
	struct svb_qp *qp = SVB_OF(o, struct svb_qp);

	svb_qp_leave(qp);
	svb_qp_wait(qp);
	if (qp->dev->cfg.mlx5)
		svb_cq_clean(qp);
	svb_async_forget(o->ctx, &qp->pub);
	for (int op = 0; op < SVB_CO_N; op++)
		if (qp->counters[op])
			qp->counters[op]->obj.users--;
}

static void settle(struct svb_obj *o)
{
	struct svb_qp *qp = SVB_OF(o, struct svb_qp);

	svb_wait_acks(&qp->pub.mutex, &qp->pub.cond, &qp->pub.events_completed, qp->async_reported);
	svb_block_put(&qp->block);
}

static void forget(struct svb_obj *o)
{
	struct svb_qp *qp = SVB_OF(o, struct svb_qp);

	svb_windows_leave(qp->dev, qp);
	pthread_mutex_destroy(&qp->pub.mutex);
	pthread_cond_destroy(&qp->pub.cond);
	svb_block_drop(&qp->block);
	release(qp);
}

static const struct svb_kind kind = {
	SVB_KIND(SVB_T_QP, svb_qp), .numbered = true, .part = part, .settle = settle, .free = forget, .name = svb_qp_name,
};

static void publish(struct svb_qp *qp, struct svb_pd *pd, const struct ibv_qp_init_attr *a)
{
	qp->pub.context = pd->pub.context;
	qp->pub.qp_context = a->qp_context;
	qp->pub.pd = &pd->pub;
	qp->pub.send_cq = a->send_cq;
	qp->pub.recv_cq = qp->rcq ? a->recv_cq : NULL;
	qp->pub.srq = a->srq;
	qp->pub.handle = qp->obj.handle;
	qp->pub.qp_num = svb_qp_number(qp->dev);
	qp->pub.state = qp->state = IBV_QPS_RESET;
	qp->pub.qp_type = a->qp_type;
	pthread_mutex_init(&qp->pub.mutex, NULL);
	pthread_cond_init(&qp->pub.cond, NULL);
	qp->sig_all = a->sq_sig_all;
	qp->attr.path_mtu = IBV_MTU_256;
	svb_qp_enter(qp);
}

static int enter(struct svb_pd *pd, struct svb_qp *qp, const struct ibv_qp_init_attr *a)
{
	struct svb_file *f = pd->obj.ctx->file;
	const bool receives = a->qp_type != IBV_QPT_XRC_SEND;
	struct svb_cq *scq = svb_live(a->send_cq, SVB_T_CQ), *rcq = receives ? svb_live(a->recv_cq, SVB_T_CQ) : scq;
	struct svb_srq *srq = svb_live(a->srq, SVB_T_SRQ);
	int err;

	if (!svb_handle_get(f, pd->pub.handle, SVB_K_PD))
		return ENOENT;
	if (!scq || !rcq || scq->obj.ctx->file != f || rcq->obj.ctx->file != f)
		return EINVAL;
	if (a->srq && (!srq || srq->obj.ctx->file != f))
		return EINVAL;
	qp->dev = pd->obj.ctx->dev;
	err = svb_worker_start(qp->dev);
	if (!err)
		err = svb_enroll(&qp->obj, &kind, pd->obj.ctx);
	if (err)
		return err;
	svb_pd_join(pd, &qp->obj);
	qp->scq = scq;
	svb_need(&qp->obj, &scq->obj);
	if (receives) {
		qp->rcq = rcq;
		svb_need(&qp->obj, &rcq->obj);
	}
	qp->srq = srq;
	svb_need(&qp->obj, srq ? &srq->obj : NULL);
	publish(qp, pd, a);
	return 0;
}

// say writes back what was granted. libmlx5 leaves what it did not use as it was; soft-RoCE the receives of a shared queue.
static void say(const struct svb_qp *qp, const struct ibv_qp_cap *given, struct ibv_qp_init_attr *a)
{
	const struct ibv_qp_cap asked = a->cap;

	if (qp->dev->cfg.mlx5) {
		a->cap = *given;
		return;
	}
	a->cap = qp->cap;
	if (a->srq) {
		a->cap.max_recv_wr = asked.max_recv_wr;
		a->cap.max_recv_sge = asked.max_recv_sge;
	}
}

struct ibv_qp *svb_make_qp(struct ibv_pd *ppd, struct ibv_qp_init_attr *a, uint64_t ops)
{
	const bool none = a->srq || a->qp_type == IBV_QPT_XRC_SEND; // it has no receives of its own
	struct ibv_qp_cap given;
	int err;
	struct svb_pd *pd = svb_enter(ppd, SVB_T_PD, SVB_CREATE_QP, &err);
	struct svb_qp *qp;

	if (!err)
		err = check_init(pd->obj.ctx->dev, a, ops, &given);
	qp = svb_zeroed(sizeof *qp, &err);
	if (!qp)
		return svb_null(err);
	err = allocate(qp, pd->obj.ctx->dev, &a->cap, &given, none);
	if (!err) // the memory of its queues
		err = svb_block_get(pd, RESOURCE_QP, BLOCK_SIZE, &qp->block);
	if (!err) {
		SVB_LOCKED;
		err = enter(pd, qp, a);
	}
	if (!err) {
		say(qp, &given, a);
		return &qp->pub;
	}
	svb_block_put(&qp->block);
	release(qp);
	free(qp);
	return svb_null(err);
}

struct ibv_qp *svb_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *a)
{
	return svb_make_qp(pd, a, SVB_ALL_OPS);
}

// Completions of the queue pair that are in a completion queue stay there.
int svb_destroy_qp(struct ibv_qp *pub)
{
	return svb_destroy(pub, svb_is_target(pub) ? SVB_T_TARGET : SVB_T_QP, SVB_DESTROY_QP);
}
