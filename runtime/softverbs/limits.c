//go:build linux && cgo

// What queue pairs of mlx5 have otherwise than those of soft-RoCE: sizes, errors of posts, states. The sources are named at
// LikeMLX5 in like.go.
#include "qp.h"

// Bytes in a request's descriptor.
#define BLOCK 64        // its size is a multiple of this
#define SEGMENT 16      // an SGE, and the unit of inline data
#define INLINE_HEADER 4 // in front of inline data
#define LARGEST 1024
#define LARGEST_RECEIVE 512

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

// front is what stands in front of all data: what the longest of the operations needs, and the address. All operations are possible
// unless a queue pair is asked for some.
static uint64_t front(enum ibv_qp_type type, uint64_t ops)
{
	const bool datagrams = type == IBV_QPT_UD || type == IBV_QPT_RAW_PACKET;
	uint64_t size = SEGMENT;

	if (datagrams && ops == SVB_ALL_OPS)
		ops = 0;
	if (ops & (IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ))
		size = 2 * SEGMENT;
	if (ops & (IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD))
		size = 3 * SEGMENT;
	if (ops & (IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV))
		size = 12 * SEGMENT; // a memory key
	if (type == IBV_QPT_UD)
		return size + 3 * SEGMENT;
	if (type == IBV_QPT_RAW_PACKET)
		return size + 2 * SEGMENT;
	return type == IBV_QPT_XRC_SEND ? size + SEGMENT : size;
}

// The size with inline data is an int: large requests are negative, or small again.
static int send_caps(enum ibv_qp_type type, uint64_t ops, struct ibv_qp_cap *c)
{
	const uint64_t before = front(type, ops);
	uint64_t size, queue;
	int32_t with_inline = 0;

	if (!c->max_send_wr)
		return 0;
	if (c->max_inline_data)
		with_inline = (int32_t)(uint32_t)(before + up(INLINE_HEADER + (uint64_t)c->max_inline_data, SEGMENT));
	size = before + (uint64_t)c->max_send_sge * SEGMENT;
	if (size > LARGEST)
		return EINVAL;
	size = up(with_inline > (int32_t)size ? (uint64_t)with_inline : size, BLOCK);
	if (size > LARGEST || c->max_send_wr > INT32_MAX / LARGEST)
		return EINVAL;
	queue = power(c->max_send_wr * size);
	if (queue / BLOCK > SVB_MLX5_BLOCKS)
		return EINVAL;
	c->max_inline_data = (uint32_t)(size - before - INLINE_HEADER);
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
	if (size > LARGEST_RECEIVE || c->max_recv_wr > SVB_MLX5_BLOCKS)
		return EINVAL;
	if (queue < BLOCK)
		queue = BLOCK;
	c->max_recv_wr = (uint32_t)(queue / size);
	c->max_recv_sge = (uint32_t)(size / SEGMENT);
	return 0;
}

int svb_mlx5_caps(const struct ibv_qp_init_attr *a, uint64_t ops, struct ibv_qp_cap *given)
{
	int err;

	*given = a->cap;
	err = send_caps(a->qp_type, ops, given);
	if (err)
		return err;
	if (a->qp_type == IBV_QPT_XRC_SEND && given->max_recv_wr)
		return EINVAL;
	if (!a->srq)
		return receive_caps(given);
	if (given->max_recv_wr > SVB_MLX5_BLOCKS)
		return EINVAL;
	given->max_recv_wr = given->max_recv_sge = 0;
	return 0;
}

// A list of free requests needs one more than can be posted, and as many again are for requests that wait for pages, if the device has
// room for them. ibv_query_srq counts all.
int svb_mlx5_srq_caps(struct ibv_srq_attr *a, bool xrc, uint32_t *all)
{
	const uint32_t wr = a->max_wr, most = xrc ? SVB_MLX5_BLOCKS : LARGEST_RECEIVE;
	uint64_t size;

	if (wr > SVB_MLX5_BLOCKS || a->max_sge > most / SEGMENT)
		return EINVAL;
	size = power(SEGMENT + (uint64_t)a->max_sge * SEGMENT);
	if (size < 2 * SEGMENT)
		size = 2 * SEGMENT;
	a->max_sge = (uint32_t)(size / SEGMENT - 1);
	a->max_wr = (uint32_t)power(wr + 1) - 1;
	*all = (uint32_t)power(2 * wr + 1 > SVB_MLX5_BLOCKS ? wr + 1 : 2 * wr + 1) - 1;
	return *all >= SVB_MLX5_BLOCKS || a->max_sge > LARGEST_RECEIVE / SEGMENT ? EINVAL : 0; // the kernel
}

// A queue that was never in RTS has no room for an SGE, and not even for none.
int svb_mlx5_send(const struct svb_qp *qp, const struct ibv_send_wr *wr)
{
	if ((unsigned)wr->opcode > IBV_WR_DRIVER1)
		return EINVAL;
	if (qp->sposted - qp->sfreed >= qp->cap.max_send_wr || wr->num_sge > (qp->up ? (int)qp->cap.max_send_sge : -1))
		return ENOMEM;
	if ((wr->send_flags & IBV_SEND_INLINE) && svb_length(wr) > qp->cap.max_inline_data)
		return ENOMEM;
	return 0;
}

int svb_mlx5_modify(const struct ibv_qp_attr *a, int mask, enum ibv_qp_state from, enum ibv_qp_state to)
{
	if (mask & IBV_QP_ALT_PATH)
		return EINVAL; // there is none over Ethernet
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
