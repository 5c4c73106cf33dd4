// Completion queues: Linux 6.1, drivers/infiniband/hw/mlx5/cq.c; the entries are those of struct mlx5_cqe64 and mlx5_err_cqe.
#include "mlx5/mlx5.h"
#include "uverbs/gid.h"

static const uint32_t not_armed = ~0u; // libmlx5 never writes this

static uint32_t entries_for(uint32_t asked)
{
	uint32_t n = 1;

	while (n < asked + 1)
		n *= 2;
	return n;
}

// All entries are the hardware's at first.
static void clear(uint8_t *buf, uint32_t n, unsigned size)
{
	for (uint32_t i = 0; i < n; i++)
		buf[(size_t)(i + 1) * size - 1] = MLX5_CQE_INVALID << 4 | 1;
}

static void check_cq(const struct mlx5_ib_create_cq *q)
{
	refuse_if(q->flags & ~(unsigned)(MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD | MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX |
		MLX5_IB_CREATE_CQ_FLAGS_REAL_TIME_TS), EINVAL);
	refuse_if((q->cqe_size != 64 && q->cqe_size != 128) || q->reserved0 || q->reserved1, EINVAL);
}

// The checks behind the memory's: create_cq_user.
static void check_features(const struct mlx5_ib_create_cq *q)
{
	refuse_if(!(q->flags & MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX), EINVAL);
	if (q->cqe_comp_en == 1) // this card compresses no completions
		refuse(EOPNOTSUPP);
	refuse_if(q->flags & MLX5_IB_CREATE_CQ_FLAGS_CQE_128B_PAD && q->cqe_size != 128, EOPNOTSUPP);
}

static void mlx5_create_cq(const struct call *c, struct cq *cq, uint32_t entries, uint32_t flags)
{
	struct mlx5_ib_create_cq q;
	struct mlx5_cq *m;
	uint32_t n;

	refuse_if(ATTR_IN(c, UVERBS_ATTR_UHW_IN, q) < offsetof(struct mlx5_ib_create_cq, flags) || (int32_t)entries < 0 || entries > CQ_MOST,
		EINVAL);
	n = entries_for(entries);
	refuse_if(n > CQ_MOST, EINVAL);
	check_cq(&q);
	check(memory_pin(q.buf_addr, (uint64_t)n * q.cqe_size, IBV_ACCESS_LOCAL_WRITE));
	check(memory_pin(q.db_addr, 8, IBV_ACCESS_LOCAL_WRITE));
	check_features(&q);
	m = object_own(&cq->o, sizeof *m);
	m->buf = (uint8_t *)(uintptr_t)q.buf_addr;
	m->db = (_Atomic uint32_t *)(uintptr_t)q.db_addr;
	m->n = n;
	m->size = q.cqe_size;
	m->ignore_overrun = flags & IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	m->db[CQ_ARM] = not_armed;
	clear(m->buf, n, m->size);
	cq->entries = n - 1;
	ATTR_ANSWER(c, UVERBS_ATTR_UHW_OUT, mlx5_ib_create_cq_resp, .cqn = cq->o.number);
}

// The card says in the old queue where it ends; the entry takes a number, and the new queue goes on behind it.
static void move(struct mlx5_cq *m, uint8_t *buf, uint32_t n, unsigned size)
{
	struct mlx5_cqe64 *e = (struct mlx5_cqe64 *)(void *)(m->buf + (size_t)(m->produced & (m->n - 1)) * m->size + m->size - 64);
	const uint8_t own = (uint8_t)(MLX5_CQE_RESIZE_CQ << 4 | !!(m->produced & m->n));

	memset(e, 0, 63);
	clear(buf, n, size);
	__atomic_store_n(&e->op_own, own, __ATOMIC_RELEASE);
	m->buf = buf;
	m->n = n;
	m->size = size;
	m->produced++;
}

static void mlx5_resize_cq(const struct call *c, struct cq *cq, uint32_t entries)
{
	ATTR_READ(c, UVERBS_ATTR_UHW_IN, mlx5_ib_resize_cq, q);
	struct mlx5_cq *m = cq->o.own;
	uint32_t n;

	refuse_if(entries < 1 || entries > CQ_MOST, EINVAL);
	n = entries_for(entries);
	refuse_if(n > CQ_MOST + 1, EINVAL);
	if (n == cq->entries + 1)
		return;
	refuse_if(((m->produced - be32toh(atomic_load(&m->db[CQ_CONSUMER]))) & 0xffffff) > n - 1,
		EINVAL); // the card's answer BAD_SIZE, with completions outstanding
	refuse_if(q.reserved0 || q.reserved1, EINVAL);
	check(memory_pin(q.buf_addr, (uint64_t)n * q.cqe_size, IBV_ACCESS_LOCAL_WRITE));
	move(m, (uint8_t *)(uintptr_t)q.buf_addr, n, q.cqe_size);
	cq->entries = n - 1;
}

static void mlx5_modify_cq(uint16_t period)
{
	refuse_if(period > 0xfff, EINVAL); // MLX5_MAX_CQ_PERIOD
}

// A wish for an event is the number of completions that the program has seen, and a bit. Completions that an event announced are in no
// other, seen or not.
static bool mlx5_armed(struct cq *cq)
{
	struct mlx5_cq *m = cq->o.own;
	uint32_t word = atomic_load(&m->db[CQ_ARM]), wish = be32toh(word);
	const uint32_t last = wish & MLX5_CQ_DB_REQ_NOT_SOL ? m->solicited : m->produced;
	const uint32_t ahead = (last - wish) & 0xffffff;

	if (word == not_armed || !ahead || ahead & 0x800000 || (int32_t)(last - m->notified) <= 0)
		return false;
	if (!atomic_compare_exchange_strong(&m->db[CQ_ARM], &word, not_armed))
		return false;
	m->notified = m->produced;
	return true;
}

static uint8_t syndrome(int status)
{
	switch (status) {
	case IBV_WC_LOC_LEN_ERR: return MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR;
	case IBV_WC_LOC_QP_OP_ERR: return MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR;
	case IBV_WC_LOC_PROT_ERR: return MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	case IBV_WC_WR_FLUSH_ERR: return MLX5_CQE_SYNDROME_WR_FLUSH_ERR;
	case IBV_WC_MW_BIND_ERR: return MLX5_CQE_SYNDROME_MW_BIND_ERR;
	case IBV_WC_REM_INV_REQ_ERR: return MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR;
	case IBV_WC_REM_ACCESS_ERR: return MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
	case IBV_WC_REM_OP_ERR: return MLX5_CQE_SYNDROME_REMOTE_OP_ERR;
	case IBV_WC_RETRY_EXC_ERR: return MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR;
	case IBV_WC_RNR_RETRY_EXC_ERR: return MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR;
	default: return MLX5_CQE_SYNDROME_BAD_RESP_ERR;
	}
}

static uint8_t opcode(const struct completion *c)
{
	if (c->status != IBV_WC_SUCCESS)
		return c->receive ? MLX5_CQE_RESP_ERR : MLX5_CQE_REQ_ERR;
	if (!c->receive)
		return MLX5_CQE_REQ;
	if (c->op == WRITE)
		return MLX5_CQE_RESP_WR_IMM;
	if (c->op == SEND_INVALIDATE)
		return MLX5_CQE_RESP_SEND_INV;
	return c->immediate ? MLX5_CQE_RESP_SEND_IMM : MLX5_CQE_RESP_SEND;
}

// A completion names its queue by the number that libmlx5 gave it (cqe_version 1); on an XRC target, that of the shared queue.
static uint32_t uidx_of(const struct completion *c)
{
	const struct mlx5_qp *q = c->qp ? c->qp->o.own : NULL;

	if (!q)
		return ((const struct mlx5_wq *)c->wq->o.own)->uidx;
	if (c->receive && c->qp->type == IBV_QPT_XRC_RECV && c->srq)
		return ((const struct mlx5_srq *)c->srq->o.own)->uidx;
	return q->rq.uidx;
}

// number is that of the queue pair; with frames, the tag of the flow stands there.
static uint32_t number(const struct completion *c)
{
	return c->receive && (!c->qp || c->qp->type == IBV_QPT_RAW_PACKET) ? c->tag : c->qp->number;
}

static void fill(struct mlx5_cqe64 *e, const struct completion *c)
{
	struct mlx5_err_cqe *bad = (struct mlx5_err_cqe *)(void *)e;

	memset(e, 0, 63);
	e->srqn_uidx = htobe32(uidx_of(c));
	e->sop_drop_qpn = htobe32((uint32_t)c->code << 24 | number(c));
	e->wqe_counter = htobe16(c->index);
	if (c->status != IBV_WC_SUCCESS) {
		bad->syndrome = syndrome(c->status);
		bad->vendor_err_synd = c->status == IBV_WC_WR_FLUSH_ERR ? 0xf9 : 0x88;
		return;
	}
	e->byte_cnt = htobe32(c->op == SWAP || c->op == ADD ? 8 : c->bytes);
	e->imm_inval_pkey = c->word;
	if (c->op == SEND_INVALIDATE)
		e->imm_inval_pkey = htobe32(c->word);
	if (c->gid)
		e->slid = htobe16(gid_lid(gid_owner(c->gid)));
	e->flags_rqpn = htobe32((uint32_t)c->grh << 28 | c->source);
	e->timestamp = htobe64(now());
}

static bool mlx5_complete(struct cq *cq, const struct completion *c)
{
	struct mlx5_cq *m = cq->o.own;
	const uint32_t seen = be32toh(atomic_load(&m->db[CQ_CONSUMER])) & 0xffffff;
	struct mlx5_cqe64 *e;
	uint8_t own;

	if (((m->produced - seen) & 0xffffff) >= m->n - 1 && !m->ignore_overrun) // the last is for the mark of a resize
		return false;
	e = (struct mlx5_cqe64 *)(void *)(m->buf + (size_t)(m->produced & (m->n - 1)) * m->size + m->size - 64);
	own = (uint8_t)(opcode(c) << 4 | (c->solicited ? 2 : 0) | !!(m->produced & m->n));
	fill(e, c);
	__atomic_store_n(&e->op_own, own, __ATOMIC_RELEASE);
	m->produced++;
	if (c->solicited || c->status != IBV_WC_SUCCESS)
		m->solicited = m->produced;
	return true;
}
