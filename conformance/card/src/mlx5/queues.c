// Shared receive queues and queue pairs: Linux 6.1, drivers/infiniband/hw/mlx5/srq.c and qp.c.
#include "mlx5/mlx5.h"

// mlx5_ib_create_srq: the number of receives is a power of two, less the one that keeps the list from being empty.
static void mlx5_create_srq(const struct call *c, struct srq *s)
{
	ATTR_READ(c, UVERBS_ATTR_UHW_IN, mlx5_ib_create_srq, q);
	struct mlx5_srq *m;
	uint32_t n = 1;
	unsigned shift = 5;

	refuse_if(s->max_wr >= SRQ_MOST || s->max_sge > RECEIVE_BYTES / 16, EINVAL);
	refuse_if(q.reserved0 || q.reserved1, EINVAL);
	while (n < s->max_wr + 1)
		n *= 2;
	while (1u << shift < sizeof(struct mlx5_wqe_srq_next_seg) + s->max_sge * sizeof(struct mlx5_wqe_data_seg))
		shift++;
	check(memory_pin(q.buf_addr, (uint64_t)n << shift, 0));
	check(memory_pin(q.db_addr, 4, IBV_ACCESS_LOCAL_WRITE));
	m = object_own(&s->o, sizeof *m);
	m->buf = (uint8_t *)(uintptr_t)q.buf_addr;
	m->db = (_Atomic uint32_t *)(uintptr_t)q.db_addr;
	m->shift = shift;
	m->uidx = q.uidx;
	s->max_wr = n - 1;
	ATTR_ANSWER(c, UVERBS_ATTR_UHW_OUT, mlx5_ib_create_srq_resp, .srqn = s->o.number);
}

// mlx5_ib_modify_srq: the size cannot change; a limit of all that the queue holds is too much.
static void mlx5_modify_srq(struct srq *s, const struct ib_uverbs_modify_srq *q)
{
	refuse_if(q->attr_mask & IBV_SRQ_MAX_WR, EINVAL);
	if (q->attr_mask & IBV_SRQ_LIMIT) {
		refuse_if(q->srq_limit >= s->max_wr + 1, EINVAL);
		s->limit = q->srq_limit;
	}
}

static bool has_receives(const struct qp *q)
{
	return !q->srq && q->type != IBV_QPT_XRC_SEND && q->type != IBV_QPT_XRC_RECV && q->cap.max_recv_wr;
}

// set_rq_size, set_user_buf_size, process_create_flags and create_raw_packet_qp.
static void check_qp(const struct device *dev, const struct qp *q, const struct mlx5_ib_create_qp *u, uint32_t flags)
{
	refuse_if(flags & ~(uint32_t)IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK, EOPNOTSUPP);
	refuse_if(q->cap.max_recv_wr > QUEUE_MOST, EINVAL);
	refuse_if(!has_receives(q) && (u->rq_wqe_count || u->rq_wqe_shift), EINVAL);
	refuse_if(u->rq_wqe_shift > 16 || u->rq_wqe_count > QUEUE_MOST, EINVAL);
	refuse_if(u->sq_wqe_count > QUEUE_MOST || u->sq_wqe_count & (u->sq_wqe_count - 1), EINVAL);
	refuse_if(q->type == IBV_QPT_RAW_PACKET && dev->infiniband, EINVAL); // ours: the firmware decides
	refuse_if(q->type == IBV_QPT_RAW_PACKET && !u->sq_wqe_count && !u->rq_wqe_count, EINVAL);
}

// pin_queues pins the queues; that of sends lies apart if the queue pair is of frames (create_user_qp, create_raw_packet_qp_sq).
static void pin_queues(const struct qp *q, const struct mlx5_ib_create_qp *u)
{
	const uint64_t sends = (uint64_t)u->sq_wqe_count * MLX5_SEND_WQE_BB, apart = q->type == IBV_QPT_RAW_PACKET ? sends : 0;
	const uint64_t size = ((uint64_t)u->rq_wqe_count << u->rq_wqe_shift) + sends - apart;

	if (u->buf_addr && size)
		check(memory_pin(u->buf_addr, size, 0));
	if (apart)
		check(memory_pin(u->sq_buf_addr, apart, 0));
	check(memory_pin(u->db_addr, 8, IBV_ACCESS_LOCAL_WRITE));
}

// The receive queue lies at the start of the buffer, the send queue behind it. An XRC target has neither (create_xrc_tgt_qp).
static void mlx5_create_qp(const struct call *c, struct qp *q, uint32_t flags)
{
	struct mlx5_ib_create_qp u;
	struct mlx5_qp *m = object_own(&q->o, sizeof *m);

	if (q->table) {
		mlx5_create_over_table(c, q, flags);
		return;
	}
	ATTR_IN(c, UVERBS_ATTR_UHW_IN, u);
	if (q->type == IBV_QPT_XRC_RECV)
		u = (struct mlx5_ib_create_qp){.uidx = u.uidx};
	else
		check_qp(c->dev, q, &u, flags);
	if (q->type == IBV_QPT_DRIVER)
		mlx5_create_dc(q, &u, m);
	if (q->type != IBV_QPT_XRC_RECV && !m->dct)
		pin_queues(q, &u);
	if (!has_receives(q))
		q->cap.max_recv_wr = q->cap.max_recv_sge = 0;
	m->rq = (struct mlx5_wq){
		(uint8_t *)(uintptr_t)u.buf_addr, (_Atomic uint32_t *)(uintptr_t)u.db_addr, u.rq_wqe_count, u.uidx, u.rq_wqe_shift,
	};
	m->sends = u.sq_wqe_count;
	m->sq = q->type == IBV_QPT_RAW_PACKET ? (uint8_t *)(uintptr_t)u.sq_buf_addr : m->rq.buf + ((size_t)m->rq.n << m->rq.shift);
	ATTR_ANSWER(c, UVERBS_ATTR_UHW_OUT, mlx5_ib_create_qp_resp, .bfreg_index = u.bfreg_index, .ece_options = u.ece_options & ECE);
}

// The checks of mlx5_ib_modify_qp and __mlx5_ib_modify_qp, whose table of operations has none to or from SQD but SQD to RTS.
static void mlx5_modify_qp(const struct call *c, struct qp *q, const struct ib_uverbs_modify_qp *a)
{
	ATTR_READ(c, UVERBS_ATTR_UHW_IN, mlx5_ib_modify_qp, u);
	const uint32_t m = a->attr_mask;
	struct mlx5_ib_modify_qp_resp r = {.response_length = sizeof r};

	refuse_if(u.comp_mask, EOPNOTSUPP);
	refuse_if(q->type == IBV_QPT_DRIVER && !mlx5_dc_allowed(q, a), EINVAL);
	refuse_if(m & IBV_QP_PKEY_INDEX && a->pkey_index >= 1, EINVAL);
	refuse_if(m & IBV_QP_MAX_QP_RD_ATOMIC && a->max_rd_atomic > RD_ATOMIC, EINVAL);
	refuse_if(m & IBV_QP_MAX_DEST_RD_ATOMIC && a->max_dest_rd_atomic > RD_ATOMIC, EINVAL);
	refuse_if(m & IBV_QP_STATE && a->qp_state == IBV_QPS_SQD, EINVAL);
	refuse_if(m & IBV_QP_PATH_MTU && (a->path_mtu < IBV_MTU_256 || a->path_mtu > IBV_MTU_4096), EINVAL);
	r.ece_options = u.ece_options & ECE;
	if (q->type == IBV_QPT_DRIVER && ((const struct mlx5_qp *)q->o.own)->dct && m & IBV_QP_STATE && a->qp_state == IBV_QPS_RTR)
		r.dctn = q->number; // a target has no number before
	ATTR_OUT(c, UVERBS_ATTR_UHW_OUT, r);
}

// The card keeps the depth of reads as a logarithm.
static uint8_t power_of_two(uint8_t depth)
{
	uint8_t n = 1;

	while (n < depth)
		n = (uint8_t)(n * 2);
	return n;
}

// query_qp_attr and mlx5_ib_query_qp. The sizes of the send queue are left to libmlx5.
static void mlx5_query_qp(const struct qp *q, struct ib_uverbs_query_qp_resp *r)
{
	const struct mlx5_qp *m = q->o.own;

	r->qp_access_flags &= IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	if (!r->max_dest_rd_atomic)
		r->qp_access_flags &= IBV_ACCESS_REMOTE_WRITE;
	r->max_rd_atomic = power_of_two(r->max_rd_atomic);
	r->max_dest_rd_atomic = power_of_two(r->max_dest_rd_atomic);
	r->max_recv_wr = m->rq.n;
	r->max_recv_sge = m->rq.n ? (1u << m->rq.shift) / sizeof(struct mlx5_wqe_data_seg) : 0;
}

static void mlx5_reset_qp(struct qp *q)
{
	struct mlx5_qp *m = q->o.own;

	m->sent = m->rq.taken = 0;
}
