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

// SGEs and inline bytes share a slot, so what is asked of one is given of the other.
static void grant(struct svb_qp *qp, const struct ibv_qp_cap *asked)
{
	qp->slot = asked->max_send_sge * (uint32_t)sizeof(struct ibv_sge);
	if (qp->slot < asked->max_inline_data)
		qp->slot = asked->max_inline_data;
	qp->cap.max_send_sge = qp->slot / (uint32_t)sizeof(struct ibv_sge);
	qp->cap.max_inline_data = qp->slot;
	qp->slot = (qp->slot + 15) / 16 * 16 + 16;
	qp->cap.max_send_wr = svb_ring_size(asked->max_send_wr);
}

static void release(struct svb_qp *qp)
{
	if (!qp)
		return;
	free(qp->sq);
	free(qp->sdata);
	free(qp->groups);
	svb_stream_free(qp->stream);
	svb_recvq_free(&qp->rq);
	free(qp);
}

// given is for mlx5: all has been rounded already.
static void grant_exactly(struct svb_qp *qp, const struct ibv_qp_cap *given)
{
	qp->cap = *given;
	if (!given->max_send_wr)
		qp->cap.max_send_sge = qp->cap.max_inline_data = 0;
	qp->slot = qp->cap.max_send_sge * (uint32_t)sizeof(struct ibv_sge);
	if (qp->slot < qp->cap.max_inline_data)
		qp->slot = qp->cap.max_inline_data;
	qp->slot = (qp->slot + 15) / 16 * 16 + 16;
}

static struct svb_qp *allocate(const struct svb_dev *d, const struct ibv_qp_cap *asked, const struct ibv_qp_cap *given, bool shared)
{
	struct svb_qp *qp = calloc(1, sizeof *qp);
	int err = 0;

	if (!qp)
		return NULL;
	if (d->cfg.mlx5)
		grant_exactly(qp, given);
	else
		grant(qp, asked);
	qp->sq = calloc((size_t)qp->cap.max_send_wr + 1, sizeof *qp->sq);
	qp->sdata = calloc((size_t)qp->cap.max_send_wr + 1, qp->slot);
	if (d->cfg.mlx5 && !shared)
		err = svb_recvq_exact(&qp->rq, given->max_recv_wr, given->max_recv_sge);
	else if (!shared)
		err = svb_recvq_make(&qp->rq, asked->max_recv_wr, asked->max_recv_sge);
	qp->cap.max_recv_wr = qp->rq.max_wr;
	qp->cap.max_recv_sge = qp->rq.max_sge;
	if (qp->sq && qp->sdata && !err)
		return qp;
	release(qp);
	return NULL;
}

// detach ends all but the handle: no request starts or arrives any more.
static void detach(struct svb_qp *qp)
{
	qp->obj.dying = true;
	svb_qp_leave(qp);
	svb_qp_wait(qp);
	if (qp->dev->cfg.mlx5)
		svb_cq_clean(qp);
	svb_async_forget(qp->obj.ctx, &qp->pub);
	svb_handle_drop(qp->obj.ctx->file, qp->k.handle);
	qp->scq->obj.users--;
	if (qp->rcq)
		qp->rcq->obj.users--;
	if (qp->srq)
		qp->srq->obj.users--;
	svb_table_left(qp->table);
	qp->pd->queues--;
	for (int op = 0; op < SVB_CO_N; op++)
		if (qp->counters[op])
			qp->counters[op]->obj.users--;
}

static void finish(struct svb_qp *qp)
{
	svb_windows_leave(qp->dev, qp);
	svb_unregister(&qp->obj);
	pthread_mutex_destroy(&qp->pub.mutex);
	pthread_cond_destroy(&qp->pub.cond);
}

// forget does without a call of the domain's allocator.
static void forget(struct svb_obj *o)
{
	struct svb_qp *qp = SVB_OF(o, struct svb_qp);

	if (!o->dying)
		detach(qp);
	finish(qp);
	if (qp->holder) {
		qp->holder->obj.users--;
		if (!qp->block.custom)
			free(qp->block.ptr);
	}
	release(qp);
}

static const struct svb_kind kind = {SVB_T_QP, .free = forget, .name = svb_qp_name};

static void publish(struct svb_qp *qp, struct svb_pd *pd, const struct ibv_qp_init_attr *a)
{
	qp->pub.context = pd->pub.context;
	qp->pub.qp_context = a->qp_context;
	qp->pub.pd = &pd->pub;
	qp->pub.send_cq = a->send_cq;
	qp->pub.recv_cq = qp->rcq ? a->recv_cq : NULL;
	qp->pub.srq = a->srq;
	qp->pub.handle = qp->k.handle;
	qp->pub.qp_num = svb_qp_number(qp->dev);
	qp->pub.state = qp->state = IBV_QPS_RESET;
	qp->pub.qp_type = a->qp_type;
	pthread_mutex_init(&qp->pub.mutex, NULL);
	pthread_cond_init(&qp->pub.cond, NULL);
	qp->sig_all = a->sq_sig_all;
	qp->attr.path_mtu = IBV_MTU_256;
	svb_register(&qp->obj, &kind, &qp->pub, pd->obj.inst, pd->obj.ctx);
	svb_qp_enter(qp);
}

static int enter(struct svb_pd *pd, struct svb_qp *qp, const struct ibv_qp_init_attr *a)
{
	struct svb_file *f = pd->obj.ctx->file;
	struct svb_kobj *kpd = svb_handle_get(f, pd->pub.handle, SVB_K_PD);
	const bool receives = a->qp_type != IBV_QPT_XRC_SEND;
	struct svb_cq *scq = svb_live(a->send_cq, SVB_T_CQ), *rcq = receives ? svb_live(a->recv_cq, SVB_T_CQ) : scq;
	struct svb_srq *srq = svb_live(a->srq, SVB_T_SRQ);
	int err;

	if (!kpd)
		return ENOENT;
	if (!scq || !rcq || scq->obj.dying || rcq->obj.dying || scq->obj.ctx->file != f || rcq->obj.ctx->file != f)
		return EINVAL;
	if (a->srq && (!srq || srq->obj.dying || srq->obj.ctx->file != f))
		return EINVAL;
	qp->dev = pd->obj.ctx->dev;
	err = svb_worker_start(qp->dev);
	if (!err)
		err = svb_handle_add(f, &qp->k, SVB_K_QP);
	if (err)
		return err;
	qp->pd = SVB_K(kpd, struct svb_kpd);
	qp->pd->queues++;
	qp->scq = scq;
	scq->obj.users++;
	if (receives) {
		qp->rcq = rcq;
		rcq->obj.users++;
	}
	qp->srq = srq;
	if (srq)
		srq->obj.users++;
	publish(qp, pd, a);
	return 0;
}

// hold keeps a parent domain in place: its allocator is needed for the queues, now and at the end.
static int hold(struct svb_pd *pd, struct svb_qp *qp)
{
	int err = 0;

	svb_lock_all();
	if (!svb_live(&pd->pub, SVB_T_PD))
		err = EINVAL;
	else if (pd->inner) {
		pd->obj.users++;
		qp->holder = pd;
	}
	svb_unlock_all();
	if (!err && qp->holder)
		err = svb_block_get(pd, RESOURCE_QP, BLOCK_SIZE, &qp->block);
	return err;
}

static void let_go(struct svb_qp *qp)
{
	if (!qp->holder)
		return;
	if (qp->block.ptr)
		svb_block_put(qp->holder, &qp->block);
	SVB_LOCKED;
	qp->holder->obj.users--;
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
	struct svb_qp *qp = NULL;
	struct svb_pd *pd;
	int err;

	pd = svb_begin(ppd, SVB_T_PD, SVB_CREATE_QP, &err);
	svb_unlock_all();
	if (!err)
		err = check_init(pd->obj.ctx->dev, a, ops, &given);
	if (!err && !(qp = allocate(pd->obj.ctx->dev, &a->cap, &given, none)))
		err = ENOMEM;
	if (!err)
		err = hold(pd, qp);
	if (!err) {
		SVB_LOCKED;
		err = enter(pd, qp, a);
	}
	if (!err) {
		say(qp, &given, a);
		return &qp->pub;
	}
	if (qp)
		let_go(qp);
	release(qp);
	return svb_null(err);
}

struct ibv_qp *svb_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *a)
{
	return svb_make_qp(pd, a, SVB_ALL_OPS);
}

// Completions of the queue pair that are in a completion queue stay there.
int svb_destroy_qp(struct ibv_qp *pub)
{
	uint32_t reported = 0;
	struct svb_qp *qp;
	int err;

	svb_lock_all();
	if (svb_target_destroy(pub, &err))
		return svb_end(err);
	qp = svb_find_qp(pub);
	err = svb_refused(qp ? &qp->obj : NULL, SVB_DESTROY_QP);
	if (!err && (qp->ngroups || qp->obj.users))
		err = EBUSY;
	if (!err) {
		detach(qp);
		reported = qp->async_reported;
	}
	if (svb_end(err))
		return err;
	svb_wait_acks(&pub->mutex, &pub->cond, &pub->events_completed, reported);
	svb_lock_all();
	finish(qp);
	svb_unlock_all();
	let_go(qp);
	release(qp);
	return 0;
}
