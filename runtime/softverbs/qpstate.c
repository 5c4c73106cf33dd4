//go:build linux && cgo

// Changing and asking the state of a queue pair.

#include "entry.h"
#include "address.h"
#include "qp.h"

#define PSN 0xffffffu
#define STANDARD 0x1fffff // attributes that the InfiniBand specification has

static int check_values(struct svb_qp *qp, const struct ibv_qp_attr *a, int mask)
{
	int err = 0;

	if ((mask & IBV_QP_PORT) && (a->port_num == 0 || a->port_num > qp->dev->cfg.ports))
		return EINVAL;
	if ((mask & IBV_QP_PATH_MTU) && (unsigned)a->path_mtu > IBV_MTU_4096) // 0 is taken
		return EINVAL;
	if ((mask & IBV_QP_MAX_QP_RD_ATOMIC) && a->max_rd_atomic > SVB_MAX_RD_ATOM)
		return EINVAL;
	if ((mask & IBV_QP_TIMEOUT) && a->timeout > 31)
		return EINVAL;
	if (mask & IBV_QP_ALT_PATH) {
		if (a->alt_port_num == 0 || a->alt_port_num > qp->dev->cfg.ports || a->alt_timeout > 31)
			return EINVAL;
		err = svb_check_av(qp->dev, &a->alt_ah_attr);
	}
	if (!err && (mask & IBV_QP_AV))
		err = svb_check_av(qp->dev, &a->ah_attr);
	return err;
}

static uint8_t power_of_two(uint8_t n)
{
	unsigned p = 1;

	while (p < n)
		p *= 2;
	return n ? (uint8_t)p : 0;
}

static void take(struct svb_qp *qp, const struct ibv_qp_attr *a, int mask)
{
	struct ibv_qp_attr *to = &qp->attr;

#define TAKE(bit, field) do { if (mask & (bit)) to->field = a->field; } while (0)
	TAKE(IBV_QP_AV, ah_attr);
	TAKE(IBV_QP_ALT_PATH, alt_ah_attr);
	TAKE(IBV_QP_ALT_PATH, alt_port_num);
	TAKE(IBV_QP_ALT_PATH, alt_pkey_index);
	TAKE(IBV_QP_ALT_PATH, alt_timeout);
	TAKE(IBV_QP_PATH_MTU, path_mtu);
	TAKE(IBV_QP_PATH_MIG_STATE, path_mig_state);
	TAKE(IBV_QP_DEST_QPN, dest_qp_num);
	TAKE(IBV_QP_EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify);
	TAKE(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	TAKE(IBV_QP_PKEY_INDEX, pkey_index);
	TAKE(IBV_QP_PORT, port_num);
	TAKE(IBV_QP_QKEY, qkey);
	TAKE(IBV_QP_TIMEOUT, timeout);
	TAKE(IBV_QP_RETRY_CNT, retry_cnt);
	TAKE(IBV_QP_RNR_RETRY, rnr_retry);
	TAKE(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
#undef TAKE
	if (mask & IBV_QP_RQ_PSN)
		qp->resp_psn = to->rq_psn = a->rq_psn & PSN;
	if (mask & IBV_QP_SQ_PSN)
		qp->req_psn = to->sq_psn = a->sq_psn & PSN;
	if (mask & IBV_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = power_of_two(a->max_rd_atomic);
	if (mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = power_of_two(a->max_dest_rd_atomic);
}

// What is queued is dropped without completions.
static void reset(struct svb_qp *qp)
{
	qp->shead = qp->scount = qp->rq.head = qp->rq.count = 0;
	qp->sposted = qp->sfreed = qp->rposted = qp->rfreed = 0;
	qp->started = qp->stuck = qp->silent = qp->up = false;
	qp->wake = 0;
}

static void move(struct svb_qp *qp, enum ibv_qp_state to)
{
	qp->state = to;
	qp->drained = false;
	if (to == IBV_QPS_RESET) {
		reset(qp);
		if (qp->dev->cfg.mlx5)
			svb_cq_clean(qp);
	}
	qp->up |= to == IBV_QPS_RTS;
	svb_qp_settle(qp);
	svb_kick(qp->dev);
}

static int change(struct svb_qp *qp, const struct ibv_qp_attr *a, int mask)
{
	enum ibv_qp_state from = mask & IBV_QP_CUR_STATE ? a->cur_qp_state : qp->state;
	enum ibv_qp_state to = mask & IBV_QP_STATE ? a->qp_state : from;
	int err;

	if (mask & ~STANDARD)
		return mask & IBV_QP_RATE_LIMIT && qp->dev->cfg.mlx5 ? EINVAL : EOPNOTSUPP; // only raw packets have one there
	if (!svb_transition(qp->pub.qp_type, from, to, mask))
		return EINVAL;
	// A queue that is still draining can only be given up.
	if ((mask & IBV_QP_STATE) && from == IBV_QPS_SQD && !qp->drained && to != IBV_QPS_ERR)
		return EINVAL;
	err = check_values(qp, a, mask);
	if (!err && qp->dev->cfg.mlx5)
		err = svb_mlx5_modify(a, mask, from, to);
	if (err)
		return err;
	take(qp, a, mask);
	if (mask & IBV_QP_STATE)
		move(qp, to);
	return 0;
}

// ignored are attributes of the side that a queue pair of XRC does not have, which a kernel takes off.
static int ignored(const struct svb_qp *qp)
{
	if (qp->pub.qp_type == IBV_QPT_XRC_SEND)
		return IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return qp->pub.qp_type == IBV_QPT_XRC_RECV ? IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY : 0;
}

int svb_modify_qp(struct ibv_qp *pub, struct ibv_qp_attr *a, int mask)
{
	struct svb_qp *qp;
	int err;

	svb_lock_all();
	qp = svb_find_qp(pub);
	if (qp && (mask & IBV_QP_STATE) && a->qp_state == IBV_QPS_RESET) {
		svb_qp_wait(qp);
		qp = svb_find_qp(pub); // the lock was let go of
	}
	err = svb_refused(qp ? &qp->obj : NULL, SVB_MODIFY_QP);
	if (!err && qp->table)
		err = EOPNOTSUPP; // as the library of mlx5, which asks no kernel
	if (!err)
		err = change(qp, a, mask & ~ignored(qp));
	if (!err && (mask & IBV_QP_STATE))
		pub->state = qp->state;
	return svb_end(err);
}

int svb_query_qp(struct ibv_qp *pub, struct ibv_qp_attr *a, int mask, struct ibv_qp_init_attr *init)
{
	struct svb_qp *qp;
	int err;

	if (mask & ~(IBV_QP_RATE_LIMIT - 1)) // the library asks for nothing from there on
		return EOPNOTSUPP;
	qp = svb_begin_qp(pub, SVB_QUERY_QP, &err);
	if (!err) {
		*a = qp->attr;
		a->qp_state = a->cur_qp_state = qp->state;
		a->rq_psn = qp->resp_psn;
		a->sq_psn = qp->req_psn;
		a->cap = qp->cap;
		a->sq_draining = qp->state == IBV_QPS_SQD && !qp->drained;
		memset(init, 0, sizeof *init);
		init->qp_context = pub->qp_context;
		init->send_cq = pub->send_cq;
		init->recv_cq = pub->recv_cq;
		init->srq = pub->srq;
		init->cap = qp->cap;
		init->qp_type = pub->qp_type;
		init->sq_sig_all = qp->sig_all;
		if (mask & IBV_QP_STATE)
			pub->state = qp->state;
	}
	return svb_end(err);
}
