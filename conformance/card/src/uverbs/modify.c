// Modifying and querying a queue pair: Linux 6.1, drivers/infiniband/core/uverbs_cmd.c, modify_qp and ib_uverbs_query_qp; core/verbs.c,
// _ib_modify_qp.
#include "uverbs/provider.h"
#include "uverbs/gid.h"
#include "wire/wire.h"

enum { STANDARD = (IBV_QP_DEST_QPN << 1) - 1, PSN = 0xffffff };

// Attributes of the other end of an XRC connection are not looked at (modify_qp_mask).
static uint32_t mask_of(int type, uint32_t mask)
{
	if (type == IBV_QPT_XRC_SEND)
		return mask & ~(uint32_t)(IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	if (type == IBV_QPT_XRC_RECV)
		return mask & ~(uint32_t)(IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY);
	return mask;
}

static bool bad_ports(const struct qp *q, const struct ib_uverbs_modify_qp *a)
{
	const uint32_t m = a->attr_mask;

	if (m & IBV_QP_PORT && a->port_num != 1)
		return true;
	if (m & IBV_QP_AV && a->dest.port_num != 1)
		return true;
	if (m & IBV_QP_AV && m & IBV_QP_STATE && a->qp_state == IBV_QPS_RTR && a->dest.port_num != q->at.port_num)
		return true;
	return m & IBV_QP_ALT_PATH && (a->alt_port_num != 1 || a->alt_dest.port_num != 1);
}

static bool bad_states(const struct ib_uverbs_modify_qp *a)
{
	return (a->attr_mask & IBV_QP_CUR_STATE && a->cur_qp_state > IBV_QPS_ERR) || (a->attr_mask & IBV_QP_STATE && a->qp_state > IBV_QPS_ERR);
}

// An address on RoCE needs a GRH and a GID. Alternate paths, which are for InfiniBand only, are not built.
static void check_paths(const struct call *c, const struct qp *q, const struct ib_uverbs_modify_qp *a)
{
	if (a->attr_mask & IBV_QP_AV)
		check(gid_path(c->dev, a->dest.is_global, a->dest.sgid_index));
	if (a->attr_mask & IBV_QP_AV && q->type != IBV_QPT_UD && q->type != IBV_QPT_DRIVER)
		check(gid_resolve(c->dev, a->dest.sgid_index, a->dest.dgid));
	refuse_if(a->attr_mask & IBV_QP_ALT_PATH, EINVAL);
}

static void take(struct ib_uverbs_modify_qp *to, const struct ib_uverbs_modify_qp *a)
{
	const uint32_t m = a->attr_mask;

#define TAKE(bit, field) do { if (m & (bit)) to->field = a->field; } while (0)
	TAKE(IBV_QP_QKEY, qkey);
	TAKE(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	TAKE(IBV_QP_PKEY_INDEX, pkey_index);
	TAKE(IBV_QP_PATH_MTU, path_mtu);
	TAKE(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
	TAKE(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	TAKE(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	TAKE(IBV_QP_PORT, port_num);
	TAKE(IBV_QP_TIMEOUT, timeout);
	TAKE(IBV_QP_RETRY_CNT, retry_cnt);
	TAKE(IBV_QP_RNR_RETRY, rnr_retry);
	TAKE(IBV_QP_AV, dest);
	TAKE(IBV_QP_PATH_MIG_STATE, path_mig_state);
#undef TAKE
	if (m & IBV_QP_RQ_PSN)
		to->rq_psn = a->rq_psn & PSN;
	if (m & IBV_QP_SQ_PSN)
		to->sq_psn = a->sq_psn & PSN;
	if (m & IBV_QP_DEST_QPN)
		to->dest_qp_num = a->dest_qp_num & PSN;
}

// change checks the transition, as the driver knows the state of the queue pair, and does it.
static void change(const struct call *c, struct qp *q, const struct ib_uverbs_modify_qp *a)
{
	const int from = a->attr_mask & IBV_QP_CUR_STATE ? a->cur_qp_state : q->state;
	const int to = a->attr_mask & IBV_QP_STATE ? a->qp_state : from;

	refuse_if(q->type != IBV_QPT_DRIVER && !svb_transition((enum ibv_qp_type)q->type, (enum ibv_qp_state)from, (enum ibv_qp_state)to,
		(int)a->attr_mask), EINVAL);
	c->dev->provider->modify_qp(c, q, a);
	refuse_if(from != q->state && to != IBV_QPS_RESET && to != IBV_QPS_ERR, EINVAL); // the card knows better
	if (to == IBV_QPS_ERR)
		engine_answered(q);
	take(&q->at, a);
	q->state = to;
	q->wait = 0;
	if (to == IBV_QPS_RESET) {
		far_drop(q);
		q->at = (struct ib_uverbs_modify_qp){0};
		q->tries = q->rnr = 0;
		q->late = false;
		q->nerrored = 0;
		q->established = q->last_said = false;
		c->dev->provider->reset_qp(q);
	}
}

static void modify(const struct call *c, struct ib_uverbs_modify_qp *a)
{
	struct qp *q = qp_get(c, a->qp_handle);

	refuse_if(bad_ports(q, a) || bad_states(a), EINVAL);
	check_paths(c, q, a);
	a->attr_mask = mask_of(q->type, a->attr_mask);
	note("qp %#x type %d mask %#x state %d\n", q->number, q->type, a->attr_mask, q->state);
	change(c, q, a);
}

void qp_modify(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_modify_qp, q);

	refuse_if(q.attr_mask & ~(uint32_t)STANDARD, EOPNOTSUPP);
	modify(c, &q);
}

void qp_modify_ex(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_ex_modify_qp, q);
	struct ib_uverbs_ex_modify_qp_resp r = {.response_length = sizeof r};

	refuse_if(q.base.attr_mask & ~(uint32_t)(STANDARD | IBV_QP_RATE_LIMIT), EOPNOTSUPP);
	modify(c, &q.base);
	ATTR_OUT(c, UVERBS_ATTR_CORE_OUT, r);
}

void qp_query(const struct call *c)
{
	ATTR_READ(c, UVERBS_ATTR_CORE_IN, ib_uverbs_query_qp, q);
	struct ib_uverbs_query_qp_resp r = {0};
	const struct ib_uverbs_modify_qp *a;
	const struct qp *qp = qp_get(c, q.qp_handle);

	refuse_if(qp->table, ENOSYS); // hw/mlx5/qp.c, mlx5_ib_query_qp
	a = &qp->at;
	r = (struct ib_uverbs_query_qp_resp){
		.qp_state = (__u8)qp->state, .cur_qp_state = (__u8)qp->state, .sq_sig_all = qp->signal_all,
		.dest = a->dest, .qkey = a->qkey, .rq_psn = a->rq_psn, .sq_psn = a->sq_psn, .dest_qp_num = a->dest_qp_num,
		.pkey_index = a->pkey_index, .path_mtu = a->path_mtu, .path_mig_state = a->path_mig_state, .port_num = a->port_num,
		.min_rnr_timer = a->min_rnr_timer, .timeout = a->timeout, .retry_cnt = a->retry_cnt, .rnr_retry = a->rnr_retry,
		.qp_access_flags = a->qp_access_flags, .max_rd_atomic = a->max_rd_atomic, .max_dest_rd_atomic = a->max_dest_rd_atomic,
	};
	c->dev->provider->query_qp(qp, &r);
	attr_out(c, UVERBS_ATTR_CORE_OUT, &r, offsetof(struct ib_uverbs_query_qp_resp, driver_data));
}
