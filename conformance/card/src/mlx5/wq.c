// Work queues, and queue pairs over tables of them: Linux 6.1, drivers/infiniband/hw/mlx5/qp.c.
#include "mlx5/mlx5.h"

// prepare_user_rq and set_user_rq_size. This card has no striding receive queues and none of the abilities that flags ask for.
static void check_wq(const struct wq *w, const struct mlx5_ib_create_wq *q, uint32_t flags)
{
	refuse_if(flags & IBV_WQ_FLAGS_DELAY_DROP, EOPNOTSUPP);
	refuse_if(q->comp_mask, EOPNOTSUPP);
	refuse_if(w->max_wr > QUEUE_MOST || !q->rq_wqe_count || q->rq_wqe_count > QUEUE_MOST || q->rq_wqe_shift > 16 || !q->buf_addr, EINVAL);
	refuse_if(flags, EOPNOTSUPP); // create_rq
}

static void mlx5_create_wq(const struct call *c, struct wq *w, uint32_t flags)
{
	const struct mlx5_ib_create_wq_resp r = {.response_length = sizeof r};
	struct mlx5_ib_create_wq q;
	struct mlx5_wq *m;

	refuse_if(ATTR_IN(c, UVERBS_ATTR_UHW_IN, q) < offsetof(struct mlx5_ib_create_wq, single_wqe_log_num_of_strides), EINVAL);
	check_wq(w, &q, flags);
	check(memory_pin(q.buf_addr, (uint64_t)q.rq_wqe_count << q.rq_wqe_shift, 0));
	check(memory_pin(q.db_addr, 8, IBV_ACCESS_LOCAL_WRITE));
	m = object_own(&w->o, sizeof *m);
	*m = (struct mlx5_wq){
		.buf = (uint8_t *)(uintptr_t)q.buf_addr, .db = (_Atomic uint32_t *)(uintptr_t)q.db_addr, .n = q.rq_wqe_count,
		.uidx = q.user_index, .shift = q.rq_wqe_shift,
	};
	ATTR_OUT(c, UVERBS_ATTR_UHW_OUT, r);
}

// The card knows the state of its queue, and has no way from ERR but to RESET (mlx5_ib_modify_wq, MODIFY_RQ).
static void mlx5_modify_wq(const struct call *c, struct wq *w, int from, int to, uint32_t flags)
{
	struct mlx5_ib_modify_wq q;
	struct mlx5_wq *m = w->o.own;

	refuse_if(ATTR_IN(c, UVERBS_ATTR_UHW_IN, q) < sizeof q, EINVAL);
	refuse_if(q.comp_mask || q.reserved || flags & (IBV_WQ_FLAGS_CVLAN_STRIPPING | IBV_WQ_FLAGS_PCI_WRITE_END_PADDING), EOPNOTSUPP);
	refuse_if(from != w->state || (from == IBV_WQS_ERR && to == IBV_WQS_RDY), EINVAL);
	if (to == IBV_WQS_RESET || from == IBV_WQS_RESET)
		m->taken = 0;
}

static void mlx5_create_table(const struct call *c)
{
	const struct mlx5_ib_create_rwq_ind_tbl_resp r = {.response_length = sizeof r};

	ATTR_OUT(c, UVERBS_ATTR_UHW_OUT, r);
}

static bool several(uint64_t fields, uint64_t one, uint64_t other)
{
	return fields & one && fields & other;
}

// check_hash are the checks of create_rss_raw_qp_tir, in their order.
static void check_hash(const struct qp *q, const struct mlx5_ib_create_qp_rss *u)
{
	const uint64_t f = u->rx_hash_fields_mask;

	refuse_if(u->comp_mask || f & MLX5_RX_HASH_INNER || u->rx_hash_function != MLX5_RX_HASH_FUNC_TOEPLITZ,
		EOPNOTSUPP); // the second is ours: this card looks into no tunnels
	refuse_if(u->rx_key_len != sizeof q->hash.key, EINVAL);
	refuse_if(!f && q->table->n > 1, EINVAL);
	refuse_if(several(f, MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_DST_IPV4, MLX5_RX_HASH_SRC_IPV6 | MLX5_RX_HASH_DST_IPV6) ||
		several(f, MLX5_RX_HASH_SRC_PORT_TCP | MLX5_RX_HASH_DST_PORT_TCP, MLX5_RX_HASH_SRC_PORT_UDP | MLX5_RX_HASH_DST_PORT_UDP), EINVAL);
}

// A queue pair over a table has the number 0, and no queues (check_qp_attr, process_udata_size).
static void mlx5_create_over_table(const struct call *c, struct qp *q, uint32_t flags)
{
	struct mlx5_ib_create_qp_rss u;

	refuse_if(q->type != IBV_QPT_RAW_PACKET || q->scq, EINVAL);
	refuse_if(ATTR_IN(c, UVERBS_ATTR_UHW_IN, u) < sizeof u, EINVAL);
	refuse_if(flags, EOPNOTSUPP);
	check_hash(q, &u);
	q->hash.fields = u.rx_hash_fields_mask;
	memcpy(q->hash.key, u.rx_hash_key, sizeof q->hash.key);
	ATTR_ANSWER(c, UVERBS_ATTR_UHW_OUT, mlx5_ib_create_qp_resp, 0);
}
