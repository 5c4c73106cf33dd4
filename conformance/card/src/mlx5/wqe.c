// The queues that libmlx5 writes: the segments of infiniband/mlx5dv.h.
#include "mlx5/mlx5.h"
#include "uverbs/gid.h"

enum { SEGMENT = 16, BLOCKS = REQUEST_SIZE / MLX5_SEND_WQE_BB };
enum { REPEAT = 0x400 }; // where a pointer has its key, which is never this here

static enum operation operation(uint8_t code)
{
	switch (code) {
	case MLX5_OPCODE_SEND: case MLX5_OPCODE_SEND_IMM: return SEND;
	case MLX5_OPCODE_SEND_INVAL: return SEND_INVALIDATE;
	case MLX5_OPCODE_RDMA_WRITE: case MLX5_OPCODE_RDMA_WRITE_IMM: return WRITE;
	case MLX5_OPCODE_RDMA_READ: return READ;
	case MLX5_OPCODE_ATOMIC_CS: return SWAP;
	case MLX5_OPCODE_ATOMIC_FA: return ADD;
	case MLX5_OPCODE_UMR: return BIND;
	case MLX5_OPCODE_MMO: return COPY;
	case MLX5_OPCODE_NOP: return NOTHING;
	default: return UNKNOWN;
	}
}

// data_segments reads the gather list up to end: pointers, and inline bytes, which fill whole segments.
static void data_segments(struct request *r, uint8_t *at, const uint8_t *end)
{
	while (at < end && r->n < PIECES) {
		const uint32_t n = be32_at(at);
		struct piece *p = &r->pieces[r->n];

		if (n & MLX5_INLINE_SEG) {
			if (!within(4, n & 0x3ff, (uint64_t)(end - at))) { // a length of the program that has this bit
				r->op = UNKNOWN;
				return;
			}
			*p = (struct piece){.length = n & 0x3ff, .memory = at + 4};
			at += (p->length + 4 + SEGMENT - 1) / SEGMENT * SEGMENT;
		} else {
			*p = (struct piece){.length = n & 0x7fffffff, .key = be32_at(at + 4), .addr = be64_at(at + 8)};
			at += SEGMENT;
		}
		if (!p->length)
			continue;
		r->length += p->length;
		r->n++;
	}
}

static unsigned window_access(uint8_t flags)
{
	return (flags & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE ? IBV_ACCESS_REMOTE_WRITE : 0u) |
		(flags & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ ? IBV_ACCESS_REMOTE_READ : 0u) |
		(flags & MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_ATOMIC ? IBV_ACCESS_REMOTE_ATOMIC : 0u);
}

// bind_segments reads a bind of a memory window: a UMR with one pointer.
static void bind_segments(struct request *r, const struct mlx5_wqe_ctrl_seg *ctrl)
{
	const struct mlx5_wqe_umr_ctrl_seg *umr = (const void *)(ctrl + 1);
	const struct mlx5_wqe_mkey_context_seg *key = (const void *)(umr + 1);
	const struct mlx5_wqe_umr_klm_seg *klm = (const void *)(key + 1);

	r->bind = (struct binding){
		.window = be32toh(ctrl->imm), .new_key = be32toh(key->qpn_mkey), .region = be32toh(klm->mkey), .addr = be64toh(klm->address),
		.iova = be64toh(key->start_addr), .length = be64toh(key->len), .access = window_access(key->access_flags),
		.free = key->free & MLX5_WQE_MKEY_CONTEXT_FREE, .check_free = umr->flags & MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE,
		.check_qpn = umr->flags & MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN,
	};
}

// address reads where a datagram, or a request of a DCI, goes. Without a GRH it is a LID.
static void address(const struct qp *q, struct request *r, const struct mlx5_wqe_av *av)
{
	r->qpn = be32toh(av->dqp_dct) & 0xffffff;
	r->global = !q->o.ctx->dev->infiniband || be32toh(av->grh_gid_fl) & 1u << 30;
	if (r->global)
		memcpy(r->gid, av->rgid, sizeof r->gid);
	else
		gid_of_lid(be16toh(av->rlid), r->gid);
}

// before_data reads what stands before the gather list, and returns where that begins.
static uint8_t *before_data(const struct qp *q, struct request *r)
{
	uint8_t *at = r->raw + sizeof(struct mlx5_wqe_ctrl_seg);

	if (r->op == COPY) // a segment with memory of libmlx5 for the card
		at += SEGMENT;
	if (q->type == IBV_QPT_XRC_SEND) {
		r->srqn = be32_at(at) & 0xffffff;
		at += SEGMENT;
	}
	if (q->type == IBV_QPT_RAW_PACKET) {
		const struct mlx5_wqe_eth_seg *eth = (const void *)at;
		const uint16_t head = be16toh(eth->inline_hdr_sz); // bytes of the frame, which begin in the segment

		if (head) {
			r->pieces[r->n++] = (struct piece){.length = head, .memory = at + offsetof(struct mlx5_wqe_eth_seg, inline_hdr_start)};
			r->length += head;
		}
		at += SEGMENT + (head > 2 ? (head - 2 + SEGMENT - 1) / SEGMENT * SEGMENT : 0);
	}
	if (q->type == IBV_QPT_UD || q->type == IBV_QPT_DRIVER) {
		const struct mlx5_wqe_av *av = (const void *)at;

		r->dc = q->type == IBV_QPT_DRIVER; // a DCI
		if (r->dc) {
			r->stream = be16toh(((const struct mlx5_wqe_ctrl_seg *)(const void *)r->raw)->dci_stream_channel_id);
			r->dc_key = be64toh(av->key.dc_key);
		} else {
			r->qkey = be32toh(av->key.qkey.qkey);
		}
		address(q, r, av);
		at += sizeof(struct mlx5_wqe_datagram_seg);
	}
	if (r->op == WRITE || r->op == READ || r->op == SWAP || r->op == ADD) {
		r->raddr = be64_at(at);
		r->rkey = be32_at(at + 8);
		at += sizeof(struct mlx5_wqe_raddr_seg);
	}
	if (r->op == SWAP || r->op == ADD) {
		r->value = be64_at(at);
		r->compare = be64_at(at + 8);
		at += sizeof(struct mlx5_wqe_atomic_seg);
	}
	return at;
}

// interleaved reads pieces that repeat with a stride. A list that this card has no room for is an operation that it lacks.
static void interleaved(struct request *r, const uint8_t *at, const uint8_t *end)
{
	const struct mlx5_wqe_umr_repeat_block_seg *b = (const void *)at;
	const uint64_t n = be16toh(b->num_ent), all = n * be32toh(b->repeat_count);

	if (!within(sizeof *b, n * sizeof *b->entries, (uint64_t)(end - at)) || all > PIECES) {
		r->op = UNKNOWN;
		return;
	}
	for (; (uint64_t)r->n < all; r->n++) {
		const struct mlx5_wqe_umr_repeat_ent_seg *e = &b->entries[(uint64_t)r->n % n];

		r->pieces[r->n] = (struct piece){
			.length = be16toh(e->byte_count), .key = be32toh(e->memkey),
			.addr = be64toh(e->va) + (uint64_t)r->n / n * be16toh(e->stride),
		};
	}
}

// list_segments reads the pieces that a key is to lead to: a UMR with inline pointers.
static void list_segments(struct request *r, const struct mlx5_wqe_ctrl_seg *ctrl)
{
	const struct mlx5_wqe_umr_ctrl_seg *umr = (const void *)(ctrl + 1);
	const struct mlx5_wqe_mkey_context_seg *key = (const void *)(umr + 1);
	uint8_t *at = r->raw + sizeof *ctrl + sizeof *umr + sizeof *key;
	const uint8_t *end = at + MIN((size_t)be16toh(umr->klm_octowords) * SEGMENT, (size_t)(r->raw + sizeof r->raw - at));

	r->op = LIST;
	r->bind = (struct binding){.window = be32toh(ctrl->imm), .iova = be64toh(key->start_addr), .length = be64toh(key->len)};
	if (end - at >= SEGMENT && be32_at(at + 4) == REPEAT)
		interleaved(r, at, end);
	else
		data_segments(r, at, end);
}

static bool mlx5_peek(struct qp *q, struct request *r)
{
	struct mlx5_qp *m = q->o.own;
	const struct mlx5_wqe_ctrl_seg *ctrl = (const void *)r->raw;
	uint32_t segments, blocks;

	if (!m->sends || (uint16_t)be32toh(atomic_load(&m->rq.db[MLX5_SND_DBR])) == m->sent)
		return false;
	memcpy(r->raw, m->sq + (size_t)(m->sent & (m->sends - 1)) * MLX5_SEND_WQE_BB, MLX5_SEND_WQE_BB);
	segments = be32toh(ctrl->qpn_ds) & 0x3f;
	blocks = MIN(MAX((segments + 3) / 4, 1), (uint32_t)BLOCKS);
	for (uint32_t i = 1; i < blocks; i++)
		memcpy(r->raw + i * MLX5_SEND_WQE_BB, m->sq + (size_t)((m->sent + i) & (m->sends - 1)) * MLX5_SEND_WQE_BB, MLX5_SEND_WQE_BB);
	memset(r, 0, offsetof(struct request, raw));
	r->index = m->sent;
	r->next = (uint16_t)(m->sent + blocks);
	r->code = (uint8_t)be32toh(ctrl->opmod_idx_opcode);
	r->op = operation(r->code);
	r->immediate = r->code == MLX5_OPCODE_SEND_IMM || r->code == MLX5_OPCODE_RDMA_WRITE_IMM;
	r->signaled = ctrl->fm_ce_se & MLX5_WQE_CTRL_CQ_UPDATE;
	r->solicited = ctrl->fm_ce_se & MLX5_WQE_CTRL_SOLICITED;
	r->word = r->op == SEND_INVALIDATE ? be32toh(ctrl->imm) : ctrl->imm;
	if (r->op == BIND && key_find(be32toh(ctrl->imm)) && key_find(be32toh(ctrl->imm))->kind == KEY_LIST)
		list_segments(r, ctrl);
	else if (r->op == BIND)
		bind_segments(r, ctrl);
	else if (r->op != NOTHING && r->op != UNKNOWN)
		data_segments(r, before_data(q, r), r->raw + (size_t)segments * SEGMENT);
	return true;
}

static void mlx5_drop(struct qp *q, const struct request *r)
{
	((struct mlx5_qp *)q->o.own)->sent = r->next;
}

// scatter_list reads a receive: most pointers, or fewer with an invalid key behind them.
static void scatter_list(struct receive *v, const uint8_t *at, size_t most)
{
	for (size_t i = 0; i < most && v->n < PIECES; i++, at += SEGMENT) {
		struct piece *p = &v->pieces[v->n];

		*p = (struct piece){.length = be32_at(at) & 0x7fffffff, .key = be32_at(at + 4), .addr = be64_at(at + 8)};
		if (p->key == MLX5_INVALID_LKEY)
			return;
		if (!p->length)
			continue;
		v->length += p->length;
		v->n++;
	}
}

// The receives of a shared queue are a list; each names the next.
static bool take_shared(struct mlx5_srq *m, struct receive *v, uint32_t *left)
{
	const uint16_t posted = (uint16_t)be32toh(atomic_load(&m->db[0]));
	const uint8_t *at = m->buf + ((size_t)m->next << m->shift);
	const struct mlx5_wqe_srq_next_seg *head = (const void *)at;

	if (posted == m->taken)
		return false;
	v->index = m->next;
	scatter_list(v, at + sizeof *head, (1u << m->shift) / SEGMENT - 1);
	m->next = be16toh(head->next_wqe_index);
	m->taken++;
	*left = (uint16_t)(posted - m->taken);
	return true;
}

static bool take(struct mlx5_wq *m, struct receive *v)
{
	if (!m->n || (uint16_t)be32toh(atomic_load(&m->db[MLX5_RCV_DBR])) == m->taken)
		return false;
	v->index = m->taken;
	scatter_list(v, m->buf + ((size_t)(m->taken & (m->n - 1)) << m->shift), (1u << m->shift) / SEGMENT);
	m->taken++;
	return true;
}

static bool mlx5_take_wq(struct wq *w, struct receive *v)
{
	v->n = 0;
	v->length = 0;
	return take(w->o.own, v);
}

static bool mlx5_take(struct qp *q, struct srq *s, struct receive *v, uint32_t *left)
{
	struct mlx5_qp *m = q->o.own;

	v->n = 0;
	v->length = 0;
	return s ? take_shared(s->o.own, v, left) : take(&m->rq, v);
}
