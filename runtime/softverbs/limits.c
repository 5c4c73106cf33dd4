//go:build linux && cgo

// What queue pairs of mlx5 have otherwise than those of soft-RoCE: sizes, errors of posts, states. The sources are named at
// LikeMLX5 in like.go.
#include "qp.h"
#include "completion.h"
#include "instance.h"
#include "piece.h"

// Bytes in a request's descriptor.
#define BLOCK 64            // its size is a multiple of this
#define SEGMENT 16          // an SGE, and the unit of inline data
#define INLINE_HEADER 4     // in front of inline data
#define CONNECTED_FRONT 192 // in front of all data: room for a memory key, which is the longest that a request can need
#define DATAGRAM_FRONT 64   // control and address
#define LARGEST 1024

static uint64_t up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

static uint64_t power(uint64_t n)
{
	uint64_t p = 1;

	while (p < n)
		p *= 2;
	return p;
}

static int send_caps(const struct ibv_qp_init_attr *a, struct ibv_qp_cap *c)
{
	const uint64_t front = a->qp_type == IBV_QPT_UD ? DATAGRAM_FRONT : CONNECTED_FRONT;
	uint64_t with_sges, with_inline, size, queue;

	if (!c->max_send_wr)
		return 0;
	with_sges = front + (uint64_t)c->max_send_sge * SEGMENT;
	with_inline = c->max_inline_data ? front + up(INLINE_HEADER + (uint64_t)c->max_inline_data, SEGMENT) : 0;
	size = up(with_sges > with_inline ? with_sges : with_inline, BLOCK);
	if (c->max_send_sge > SVB_MAX_SGE || size > LARGEST)
		return EINVAL;
	queue = power(c->max_send_wr * size);
	if (queue / BLOCK > SVB_MLX5_BLOCKS)
		return EINVAL;
	c->max_inline_data = (uint32_t)(size - front - INLINE_HEADER);
	c->max_send_wr = (uint32_t)(queue / size);
	return 0;
}

static int receive_caps(struct ibv_qp_cap *c)
{
	const uint64_t size = power((uint64_t)(c->max_recv_sge ? c->max_recv_sge : 1) * SEGMENT);
	uint64_t queue = power(c->max_recv_wr) * size;

	if (!c->max_recv_wr) {
		c->max_recv_sge = 0;
		return 0;
	}
	if (c->max_recv_sge > SVB_MAX_SGE || c->max_recv_wr > SVB_MLX5_BLOCKS)
		return EINVAL;
	if (queue < BLOCK)
		queue = BLOCK;
	c->max_recv_wr = (uint32_t)(queue / size);
	c->max_recv_sge = (uint32_t)(size / SEGMENT);
	return 0;
}

int svb_mlx5_caps(const struct ibv_qp_init_attr *a, struct ibv_qp_cap *given)
{
	int err;

	*given = a->cap;
	err = send_caps(a, given);
	if (err)
		return err;
	if (!a->srq)
		return receive_caps(given);
	given->max_recv_wr = given->max_recv_sge = 0;
	return 0;
}

static uint64_t total(const struct ibv_send_wr *wr)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		sum += wr->sg_list[i].length;
	return sum;
}

// A queue that was never in RTS has no room for an SGE, and not even for none.
int svb_mlx5_send(const struct svb_qp *qp, const struct ibv_send_wr *wr)
{
	if ((unsigned)wr->opcode > IBV_WR_DRIVER1)
		return EINVAL;
	if (qp->sposted - qp->sfreed >= qp->cap.max_send_wr || !qp->up)
		return ENOMEM;
	if (wr->num_sge > (int)qp->cap.max_send_sge)
		return ENOMEM;
	if (wr->num_sge < 0)
		return EINVAL;
	if ((wr->send_flags & IBV_SEND_INLINE) && total(wr) > qp->cap.max_inline_data)
		return ENOMEM;
	return 0;
}

int svb_mlx5_modify(const struct ibv_qp_attr *a, int mask, enum ibv_qp_state from, enum ibv_qp_state to)
{
	if (from == IBV_QPS_SQD || to == IBV_QPS_SQD)
		return to == IBV_QPS_RESET || to == IBV_QPS_ERR ? 0 : EINVAL; // the driver has no command for it
	if ((mask & IBV_QP_PATH_MTU) && (a->path_mtu < IBV_MTU_256 || a->path_mtu > IBV_MTU_4096))
		return EINVAL;
	if ((mask & IBV_QP_PKEY_INDEX) && a->pkey_index)
		return EINVAL; // the table has one entry
	if ((mask & IBV_QP_MAX_QP_RD_ATOMIC) && a->max_rd_atomic > SVB_MLX5_RD_ATOM)
		return EINVAL;
	return (mask & IBV_QP_MAX_DEST_RD_ATOMIC) && a->max_dest_rd_atomic > SVB_MLX5_RD_ATOM ? EINVAL : 0;
}

void svb_polled(struct svb_cq *cq, const struct svb_cqe *c)
{
	struct svb_dev *d = cq->obj.ctx->dev;
	struct svb_qp *qp = d->cfg.mlx5 ? svb_qp_numbered(d, c->wc.qp_num) : NULL;

	if (!qp)
		return;
	if (!c->seq)
		qp->rfreed++;
	else if (c->seq > qp->sfreed)
		qp->sfreed = c->seq;
}

static void clean(struct svb_cq *cq, uint32_t qpn)
{
	uint32_t i, kept = 0;

	svb_late_forget(cq, qpn);
	for (i = 0; i < cq->count; i++) {
		const struct svb_cqe *c = &cq->ring[(cq->head + i) % cq->size];

		if (c->wc.qp_num != qpn)
			cq->ring[(cq->head + kept++) % cq->size] = *c;
	}
	cq->count = kept;
}

void svb_cq_clean(struct svb_qp *qp)
{
	if (qp->scq)
		clean(qp->scq, qp->pub.qp_num);
	if (qp->rcq)
		clean(qp->rcq, qp->pub.qp_num);
}
