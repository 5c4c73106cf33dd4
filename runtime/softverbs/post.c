//go:build linux && cgo

// Work requests into the queues. What is refused here is what a provider refuses; the rest shows in completions.

#include "entry.h"
#include "region.h"
#include "wire.h"

// binds tells whether the provider takes a request to bind a window: one without data of any kind.
static bool binds(const struct svb_qp *qp, const struct ibv_send_wr *wr)
{
	const enum ibv_qp_type t = qp->pub.qp_type;

	return !wr->num_sge && !wr->imm_data && (t == IBV_QPT_RC || t == IBV_QPT_UC) && svb_live(wr->bind_mw.mw, SVB_T_MW) &&
	       svb_live(wr->bind_mw.bind_info.mr, SVB_T_MR);
}

static void take_bind(struct svb_bind *b, const struct ibv_send_wr *wr)
{
	const struct ibv_mw_bind_info *info = &wr->bind_mw.bind_info;

	*b = (struct svb_bind){.addr = info->addr, .length = info->length, .window = wr->bind_mw.mw->rkey, .region = info->mr->lkey,
			       .key = wr->bind_mw.rkey, .access = info->mw_access_flags};
}

static int check_send(const struct svb_qp *qp, const struct ibv_send_wr *wr)
{
	int err;

	if (qp->dev->cfg.mlx5 && (err = svb_mlx5_send(qp, wr)))
		return err;
	if ((wr->num_sge < 0 && !qp->dev->cfg.mlx5) || wr->num_sge > (int)qp->cap.max_send_sge)
		return EINVAL; // to mlx5 it is as if there were no elements
	if (!qp->dev->cfg.mlx5 && svb_is_atomic(wr->opcode) && (svb_length(wr) < 8 || (wr->wr.atomic.remote_addr & 7)))
		return EINVAL;
	if ((wr->send_flags & IBV_SEND_INLINE) && svb_length(wr) > qp->cap.max_inline_data)
		return EINVAL;
	if (qp->pub.qp_type == IBV_QPT_UD && !svb_live(wr->wr.ud.ah, SVB_T_AH))
		return EINVAL;
	if (wr->opcode == IBV_WR_BIND_MW && !binds(qp, wr))
		return EINVAL;
	return qp->scount == qp->cap.max_send_wr ? ENOMEM : 0;
}

// take_data keeps the elements of a request, or its inline data: false when the program has no such memory. A provider would fault.
static bool take_data(char *data, const struct ibv_send_wr *wr)
{
	int i;

	if (!(wr->send_flags & IBV_SEND_INLINE)) {
		if (wr->num_sge > 0)
			memcpy(data, wr->sg_list, (size_t)wr->num_sge * sizeof *wr->sg_list);
		return true;
	}
	for (i = 0; i < wr->num_sge; i++) {
		if (!svb_copy_host((char *)(uintptr_t)wr->sg_list[i].addr, data, wr->sg_list[i].length, false))
			return false;
		data += wr->sg_list[i].length;
	}
	return true;
}

// take_send puts a request into the queue; NULL when its inline data is not there.
static struct svb_swr *take_send(struct svb_qp *qp, const struct ibv_send_wr *wr)
{
	const uint32_t at = (qp->shead + qp->scount) % qp->cap.max_send_wr;
	struct svb_swr *r = &qp->sq[at];

	if (!take_data(qp->sdata + (size_t)at * qp->slot, wr))
		return NULL;
	memset(r, 0, sizeof *r);
	r->length = svb_length(wr);
	r->nsge = wr->num_sge < 0 ? 0 : wr->num_sge;
	r->wr_id = wr->wr_id;
	r->opcode = wr->opcode;
	r->flags = wr->send_flags;
	r->imm = wr->imm_data;
	r->remote_srqn = wr->qp_type.xrc.remote_srqn;
	r->told = (enum ibv_wc_status)svb_fails_locked(qp->dev->inst, SVB_SENT);
	if (qp->pub.qp_type == IBV_QPT_UD) {
		r->av = ((struct svb_ah *)svb_live(wr->wr.ud.ah, SVB_T_AH))->attr;
		r->remote_qpn = wr->wr.ud.remote_qpn;
		r->remote_qkey = wr->wr.ud.remote_qkey;
	} else if (wr->opcode == IBV_WR_BIND_MW) {
		take_bind(&r->bind, wr);
	} else if (svb_is_atomic(wr->opcode)) {
		r->remote_addr = wr->wr.atomic.remote_addr;
		r->rkey = wr->wr.atomic.rkey;
		r->compare_add = wr->wr.atomic.compare_add;
		r->swap = wr->wr.atomic.swap;
	} else if (!svb_streamed(wr->opcode)) { // of those svb_post_all takes what is theirs, and svb_post_send hands on nothing
		r->remote_addr = wr->wr.rdma.remote_addr;
		r->rkey = wr->wr.rdma.rkey;
	}
	qp->scount++;
	qp->sposted++;
	return r;
}

// Requests go into the queue before the kernel is told, as in soft-RoCE. In a state that takes none it refuses, without a bad
// one to name, and they lie there until a post that it takes. mlx5 has refused before.
static int ring(struct svb_qp *qp, int err)
{
	const bool takes = qp->dev->cfg.mlx5 || (qp->state != IBV_QPS_RESET && qp->state != IBV_QPS_INIT && qp->state != IBV_QPS_RTR);

	qp->silent = !takes && qp->scount;
	svb_kick(qp->dev);
	return takes ? err : EINVAL;
}

int svb_post_send(struct ibv_qp *pub, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct svb_qp *qp;
	int err;

	*bad = NULL;
	qp = svb_begin_qp(pub, SVB_POST_SEND, &err);
	if (!err && !wr)
		err = EINVAL;
	for (; !err && wr; wr = wr->next) {
		err = check_send(qp, wr);
		if (err)
			break;
		if (!take_send(qp, wr)) {
			err = EFAULT;
			break;
		}
	}
	if (err)
		*bad = wr;
	if (qp)
		err = ring(qp, err);
	svb_unlock_all();
	return err;
}

// A stream keeps the values of its own requests in the members of an atomic: the length or the bytes where it compares, the level where it
// swaps.
static void take_streamed(struct svb_swr *r, const struct ibv_send_wr *wr)
{
	r->remote_addr = wr->wr.atomic.remote_addr;
	r->rkey = wr->wr.atomic.rkey;
	r->compare_add = wr->wr.atomic.compare_add;
	r->swap = wr->wr.atomic.swap;
	r->length = wr->opcode == IBV_WR_FLUSH ? r->compare_add : sizeof r->compare_add;
}

int svb_post_all(struct svb_qp *qp, struct ibv_send_wr *wr, uint32_t n, int verb)
{
	struct ibv_send_wr *w;
	struct svb_swr *r;
	SVB_LOCKED;
	int err = svb_refused(&qp->obj, verb);

	if (!err && qp->scount + n > qp->cap.max_send_wr)
		err = qp->dev->cfg.mlx5 ? ENOMEM : ENOSPC;
	for (w = wr; !err && w; w = w->next)
		err = check_send(qp, w);
	for (w = wr; !err && w; w = w->next) {
		r = take_send(qp, w); // inline data lies in the stream
		if (svb_streamed(w->opcode))
			take_streamed(r, w);
	}
	if (!err)
		err = ring(qp, 0);
	return err;
}

// no_place: to mlx5 a request has its place until its completion is polled.
static bool no_place(const struct svb_qp *qp)
{
	return qp->dev->cfg.mlx5 && qp->rposted - qp->rfreed >= qp->cap.max_recv_wr;
}

int svb_post_recv(struct ibv_qp *pub, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	int err;
	struct svb_qp *qp = svb_begin_qp(pub, SVB_POST_RECV, &err);

	*bad = NULL;
	if (!err && (!wr || qp->srq || qp->state == IBV_QPS_RESET)) {
		wr = NULL; // none to name
		err = EINVAL;
	}
	for (; !err && wr; wr = wr->next) {
		err = no_place(qp) ? ENOMEM : svb_recvq_post(&qp->rq, wr);
		if (err)
			break;
		qp->rposted++;
	}
	if (qp && qp->state == IBV_QPS_ERR)
		svb_kick(qp->dev); // they are flushed
	svb_unlock_all();
	if (err)
		*bad = wr;
	return err;
}
