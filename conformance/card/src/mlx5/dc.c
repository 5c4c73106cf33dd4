// Queue pairs of the transport DC: Linux 6.1, drivers/infiniband/hw/mlx5/qp.c.
#include "mlx5/mlx5.h"

// mlx5_create_dc looks at which end of the transport a queue pair is (check_qp_type, check_valid_flow). A target has the receives of a
// shared queue, and no queue of its own.
static void mlx5_create_dc(struct qp *q, const struct mlx5_ib_create_qp *u, struct mlx5_qp *m)
{
	const uint32_t ends = MLX5_QP_FLAG_TYPE_DCT | MLX5_QP_FLAG_TYPE_DCI;

	if ((u->flags & ends) == ends || !(u->flags & ends))
		refuse(u->flags & ends ? EINVAL : EOPNOTSUPP);
	m->dct = u->flags & MLX5_QP_FLAG_TYPE_DCT;
	q->only_sends = !m->dct;
	q->errored_most = u->flags & MLX5_QP_FLAG_DCI_STREAM ? 1 << MIN(u->dci_streams.log_num_errored, LOG_ERRORED) : 1;
	refuse_if(!m->dct && u->flags & MLX5_QP_FLAG_DCI_STREAM &&
		(u->dci_streams.log_num_concurent > LOG_STREAMS || u->dci_streams.log_num_errored > LOG_ERRORED), EINVAL);
	if (!m->dct)
		return;
	refuse_if(!q->srq || !q->rcq, EINVAL);
	q->dc_key = u->access_key;
	q->unnamed = true;
}

static bool exactly(uint32_t mask, uint32_t need, uint32_t may)
{
	return (mask & need) == need && !(mask & ~(need | may | IBV_QP_STATE));
}

static bool initiator_allowed(int from, int to, uint32_t mask)
{
	if (to == IBV_QPS_RESET || (to == IBV_QPS_ERR && from != IBV_QPS_RESET))
		return exactly(mask, 0, 0);
	if (from == IBV_QPS_RESET && to == IBV_QPS_INIT)
		return exactly(mask, IBV_QP_PKEY_INDEX | IBV_QP_PORT, 0);
	if (from == IBV_QPS_INIT && to == IBV_QPS_INIT)
		return exactly(mask, 0, IBV_QP_PKEY_INDEX | IBV_QP_PORT);
	if (from == IBV_QPS_INIT && to == IBV_QPS_RTR)
		return exactly(mask, IBV_QP_PATH_MTU, IBV_QP_PKEY_INDEX | IBV_QP_AV);
	if (from == IBV_QPS_RTR && to == IBV_QPS_RTS)
		return exactly(mask, IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_SQ_PSN,
			IBV_QP_MIN_RNR_TIMER);
	return from == IBV_QPS_RTS && to == IBV_QPS_RTS && exactly(mask, 0, IBV_QP_MIN_RNR_TIMER);
}

// mlx5_ib_modify_dct and modify_dci_qp_is_ok.
static bool mlx5_dc_allowed(const struct qp *q, const struct ib_uverbs_modify_qp *a)
{
	const int from = q->state, to = a->attr_mask & IBV_QP_STATE ? a->qp_state : from;

	if (!((const struct mlx5_qp *)q->o.own)->dct)
		return initiator_allowed(from, to, a->attr_mask);
	if (from == IBV_QPS_RESET && to == IBV_QPS_INIT)
		return exactly(a->attr_mask, IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT, 0);
	return from == IBV_QPS_INIT && to == IBV_QPS_RTR && exactly(a->attr_mask, IBV_QP_MIN_RNR_TIMER | IBV_QP_AV | IBV_QP_PATH_MTU, 0);
}
