//go:build linux && cgo

// The responder's side of a work request, check by check in the order of soft-RoCE: rights of the queue pair,
// a receive request, key, then the memory. A fault of RC ends both queue pairs; UC and UD say nothing.

#include "wire.h"
#include "xrc.h"

static bool has_imm(const struct svb_swr *r)
{
	return r->opcode == IBV_WR_SEND_WITH_IMM || r->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

static bool is_send(const struct svb_swr *r)
{
	return r->opcode == IBV_WR_SEND || r->opcode == IBV_WR_SEND_WITH_IMM || r->opcode == IBV_WR_SEND_WITH_INV;
}

static uint32_t right(const struct svb_swr *r)
{
	if (is_send(r))
		return 0;
	if (svb_is_atomic(r->opcode))
		return IBV_ACCESS_REMOTE_ATOMIC;
	if (r->opcode == IBV_WR_FLUSH)
		return (r->imm & IBV_FLUSH_GLOBAL ? IBV_ACCESS_FLUSH_GLOBAL : 0) |
		       (r->imm & IBV_FLUSH_PERSISTENT ? IBV_ACCESS_FLUSH_PERSISTENT : 0);
	return r->opcode == IBV_WR_RDMA_READ ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;
}

static bool rc(const struct svb_message *m)
{
	return svb_reliable(m->to);
}

// named finds the shared receive queue of a message of XRC: it is of the domain of its queue pair.
static bool named(struct svb_message *m)
{
	if (m->to->pub.qp_type != IBV_QPT_XRC_RECV)
		m->srq = m->to->srq;
	else
		m->srq = svb_srq_numbered(m->to->dev, m->to->domain, m->r->remote_srqn);
	return m->srq || m->to->pub.qp_type != IBV_QPT_XRC_RECV;
}

// What is looked up for a message: its receives, where they complete, and whose memory it reaches.
static struct svb_recvq *receives(const struct svb_message *m) { return m->srq ? &m->srq->q : &m->to->rq; }
static struct svb_cq *completes(const struct svb_message *m) { return m->to->rcq ? m->to->rcq : m->srq->cq; }
static struct svb_kpd *domain(const struct svb_message *m) { return m->to->obj.kpd ? m->to->obj.kpd : m->srq->obj.kpd; }

// give_back is for a message that never was: its sender could not read its own memory.
static void give_back(const struct svb_message *m, struct svb_receive *r)
{
	if (m->srq || m->to->state != IBV_QPS_RESET)
		svb_recvq_give_back(receives(m), r);
}

static bool complete_receive(const struct svb_message *m, struct svb_receive *v, enum ibv_wc_status status)
{
	const struct svb_swr *r = m->r;
	struct ibv_wc wc = {.wr_id = v->wr_id, .status = status, .opcode = IBV_WC_RECV, .qp_num = m->to->pub.qp_num};

	if (status == IBV_WC_SUCCESS) {
		wc.opcode = is_send(r) ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM;
		wc.byte_len = (uint32_t)r->length;
		wc.wc_flags = m->to->pub.qp_type == IBV_QPT_RAW_PACKET ? 0 : IBV_WC_GRH;
		if (has_imm(r)) {
			wc.wc_flags |= IBV_WC_WITH_IMM;
			wc.imm_data = r->imm;
		}
		if (r->opcode == IBV_WR_SEND_WITH_INV) {
			wc.wc_flags |= IBV_WC_WITH_INV;
			wc.invalidated_rkey = r->imm;
		}
	}
	if (status == IBV_WC_SUCCESS && m->to->pub.qp_type == IBV_QPT_UD) {
		wc.byte_len += SVB_GRH;
		wc.src_qp = m->from->pub.qp_num;
	}
	v->taken = false;
	svb_counted(m->to->counters[SVB_CO_RECV], status == IBV_WC_SUCCESS, wc.byte_len);
	if (m->srq)
		svb_srq_used(m->srq);
	return svb_qp_complete(m->to, completes(m), &(struct svb_cqe){.wc = wc, .tag = m->tag, .solicited = r->flags & IBV_SEND_SOLICITED});
}

// refuse tells the requester what it gets, and the receive request that was taken what it ends with.
static enum svb_fate refuse(struct svb_message *m, struct svb_receive *v, enum ibv_wc_status to_requester,
			    enum ibv_wc_status to_receiver, enum ibv_wc_status *status)
{
	if (v->taken)
		complete_receive(m, v, to_receiver);
	svb_qp_error(m->to);
	if (rc(m))
		*status = to_requester;
	return SVB_ENDED;
}

// SVB_COPIED, or which side failed. Without the lock on the way.
static enum svb_copied copy(struct svb_message *m, struct svb_list *from, struct svb_list *to)
{
	enum svb_copied c;

	svb_unlock_all();
	c = svb_list_copy(from, to, m->w->bounce, sizeof m->w->bounce);
	svb_lock_all();
	return c;
}

static enum svb_fate no_source(struct svb_message *m, struct svb_receive *v, enum ibv_wc_status *status)
{
	give_back(m, v);
	*status = IBV_WC_LOC_PROT_ERR;
	return SVB_ENDED;
}

static enum svb_fate receive_data(struct svb_message *m, struct svb_receive *v, enum ibv_wc_status *status)
{
	const bool ud = m->to->pub.qp_type == IBV_QPT_UD;
	const uint64_t length = m->r->length + (ud ? SVB_GRH : 0);
	struct svb_list from = {0}, to = {0};
	enum svb_copied c = SVB_NO_TARGET;

	if (ud)
		svb_list_add(&from, &m->grh, SVB_GRH);
	memcpy(&from.p[from.n], m->source.p, (size_t)m->source.n * sizeof *from.p);
	from.n += m->source.n; // the counts are those of m->source
	if (!svb_take_sges(m->to->dev, domain(m), v->sge, v->nsge, length, IBV_ACCESS_LOCAL_WRITE, &to))
		c = copy(m, &from, &to);
	svb_list_drop(&to);
	if (c == SVB_NO_SOURCE)
		return no_source(m, v, status);
	if (c == SVB_NO_TARGET)
		return refuse(m, v, IBV_WC_REM_OP_ERR, IBV_WC_LOC_QP_OP_ERR, status);
	return SVB_ENDED;
}

// The program unmapped memory that is registered.
static enum svb_fate vanished(struct svb_message *m, struct svb_receive *v, enum svb_where where, enum ibv_wc_status *status)
{
	const enum ibv_wc_status s = where == SVB_ODP ? IBV_WC_REM_ACCESS_ERR : IBV_WC_REM_OP_ERR;

	return refuse(m, v, s, s, status);
}

static enum svb_fate write_data(struct svb_message *m, struct svb_receive *v, struct svb_list *at, enum ibv_wc_status *status)
{
	enum svb_copied c = copy(m, &m->source, at);

	if (c == SVB_NO_TARGET)
		return vanished(m, v, at->p[0].where, status);
	return c == SVB_NO_SOURCE ? no_source(m, v, status) : SVB_ENDED;
}

// The answer goes into the SGEs of the requester, whose faults are its own.
static int take_answer(struct svb_message *m, uint64_t length, struct svb_list *to)
{
	const struct svb_qp *qp = m->from;
	const struct ibv_sge *s = (struct ibv_sge *)(void *)(qp->sdata + (size_t)qp->shead * qp->slot);

	return svb_take_sges(qp->dev, qp->obj.kpd, s, m->r->nsge, length, IBV_ACCESS_LOCAL_WRITE, to);
}

static enum svb_fate read_data(struct svb_message *m, struct svb_list *at, enum ibv_wc_status *status)
{
	struct svb_list to = {0};
	enum svb_copied c = SVB_NO_TARGET;

	if (!take_answer(m, m->r->length, &to))
		c = copy(m, at, &to);
	svb_list_drop(&to);
	if (c == SVB_NO_SOURCE)
		return vanished(m, &(struct svb_receive){0}, at->p[0].where, status);
	if (c == SVB_NO_TARGET)
		*status = IBV_WC_LOC_PROT_ERR;
	return SVB_ENDED;
}

static enum svb_fate swap_data(struct svb_message *m, struct svb_list *at, enum ibv_wc_status *status)
{
	const struct svb_swr *r = m->r;
	struct svb_list from = {0}, to = {0};
	enum svb_copied c = SVB_NO_TARGET;
	uint64_t old;
	bool done;

	if (m->to->dev->cfg.atomic_cap == IBV_ATOMIC_NONE || ((uintptr_t)at->p[0].at & 7))
		return refuse(m, &(struct svb_receive){0}, IBV_WC_REM_INV_REQ_ERR, 0, status);
	svb_unlock_all();
	done = svb_atomic(&at->p[0], r->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD, r->compare_add, r->swap, &old);
	svb_lock_all();
	if (!done)
		return vanished(m, &(struct svb_receive){0}, at->p[0].where, status);
	svb_list_add(&from, &old, sizeof old);
	if (!take_answer(m, sizeof old, &to))
		c = copy(m, &from, &to);
	svb_list_drop(&to);
	if (c != SVB_COPIED)
		*status = IBV_WC_LOC_PROT_ERR;
	return SVB_ENDED;
}

// write_number stores the bytes at once.
static enum svb_fate write_number(struct svb_message *m, struct svb_list *at, enum ibv_wc_status *status)
{
	bool done;

	if ((m->r->remote_addr | (uintptr_t)at->p[0].at) & 7)
		return refuse(m, &(struct svb_receive){0}, IBV_WC_REM_INV_REQ_ERR, 0, status);
	svb_unlock_all();
	done = svb_atomic_store(&at->p[0], m->r->compare_add);
	svb_lock_all();
	return done ? SVB_ENDED : vanished(m, &(struct svb_receive){0}, at->p[0].where, status);
}

static enum svb_fate move(struct svb_message *m, struct svb_receive *v, struct svb_list *at, enum ibv_wc_status *status)
{
	if (is_send(m->r))
		return receive_data(m, v, status);
	if (svb_is_atomic(m->r->opcode))
		return swap_data(m, at, status);
	if (m->r->opcode == IBV_WR_ATOMIC_WRITE)
		return write_number(m, at, status);
	if (!m->r->length || m->r->opcode == IBV_WR_FLUSH) // earlier writes are in memory, where all see them
		return SVB_ENDED;
	return m->r->opcode == IBV_WR_RDMA_READ ? read_data(m, at, status) : write_data(m, v, at, status);
}

// dropped is how a message ends that nobody answers: RC waits.
static enum svb_fate dropped(const struct svb_message *m)
{
	return rc(m) ? SVB_UNANSWERED : SVB_ENDED;
}

// take_target finds the memory that is reached: of a flush of a whole region, none of its bytes.
static bool take_target(struct svb_message *m, uint64_t length, struct svb_piece *at)
{
	const struct svb_swr *r = m->r;
	struct svb_dev *d = m->to->dev;
	const bool all = r->opcode == IBV_WR_FLUSH && r->swap == IBV_FLUSH_MR;
	const struct svb_kmr *k = all ? svb_key_find(d, r->rkey, true) : NULL;

	if (!svb_streamed(r->opcode) && !svb_window_serves(d, r->rkey, m->to))
		return false;
	return !svb_take(d, r->rkey, true, k ? k->span.iova : r->remote_addr, all ? 0 : length, right(r), domain(m), at);
}

static enum svb_fate respond(struct svb_message *m, enum ibv_wc_status *status)
{
	const struct svb_swr *r = m->r;
	const bool wants_receive = is_send(r) || r->opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	const uint64_t length = svb_is_atomic(r->opcode) ? 8 : r->length;
	struct svb_receive v = {.taken = false};
	struct svb_list at = {0};
	enum svb_fate fate;
	bool key = true;

	if ((m->to->attr.qp_access_flags & right(r)) != right(r))
		return rc(m) ? refuse(m, &v, IBV_WC_REM_INV_REQ_ERR, 0, status) : SVB_ENDED;
	if (svb_reads(r->opcode) && !m->to->attr.max_dest_rd_atomic)
		return refuse(m, &v, IBV_WC_REM_INV_REQ_ERR, 0, status);
	if (wants_receive && !receives(m)->count) {
		m->from->rnr_code = m->to->attr.min_rnr_timer;
		return rc(m) ? SVB_NOT_READY : SVB_ENDED;
	}
	if (!is_send(r) && (length || svb_streamed(r->opcode)))
		at.n = key = take_target(m, length, &at.p[0]);
	if (!key && !rc(m))
		return SVB_ENDED;
	if (wants_receive)
		svb_recvq_take(receives(m), &v);
	if (!key)
		return refuse(m, &v, IBV_WC_REM_ACCESS_ERR, IBV_WC_REM_ACCESS_ERR, status);
	fate = move(m, &v, &at, status);
	svb_list_drop(&at);
	if (!is_send(r) && !svb_is_atomic(r->opcode) && !svb_streamed(r->opcode))
		svb_counted(m->to->counters[r->opcode == IBV_WR_RDMA_READ ? SVB_CO_READ_BY_PEER : SVB_CO_WRITE_BY_PEER],
			    *status == IBV_WC_SUCCESS, r->length);
	if (fate == SVB_ENDED && *status == IBV_WC_SUCCESS && r->opcode == IBV_WR_SEND_WITH_INV && v.taken && svb_invalidate(m->to->dev, r->imm))
		return refuse(m, &v, IBV_WC_SUCCESS, IBV_WC_REM_INV_REQ_ERR, status); // the data has been acknowledged
	if (!v.taken || complete_receive(m, &v, *status == IBV_WC_SUCCESS ? IBV_WC_SUCCESS : IBV_WC_WR_FLUSH_ERR))
		return fate;
	svb_qp_error(m->to);
	return dropped(m);
}

// A queue that is named by a number stays while the message is under way.
enum svb_fate svb_respond(struct svb_message *m, enum ibv_wc_status *status)
{
	enum svb_fate fate;

	if (!named(m))
		return refuse(m, &(struct svb_receive){0}, IBV_WC_REM_INV_REQ_ERR, 0, status);
	if (m->srq)
		m->srq->busy++;
	fate = respond(m, status);
	if (m->srq)
		svb_idles(&m->srq->busy);
	return fate;
}
