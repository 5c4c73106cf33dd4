//go:build linux && cgo

// Requests that only a stream of commands posts: flushes, and writes of 8 bytes that are atomic. Checked in the order of soft-RoCE.
#include "wire.h"

bool svb_streamed(enum ibv_wr_opcode op)
{
	return op == IBV_WR_FLUSH || op == IBV_WR_ATOMIC_WRITE;
}

// A stream keeps their values in the members of an atomic: the length or the bytes where it compares, the level where it swaps.
void svb_take_streamed(struct svb_swr *r, const struct ibv_send_wr *wr)
{
	r->remote_addr = wr->wr.atomic.remote_addr;
	r->rkey = wr->wr.atomic.rkey;
	r->compare_add = wr->wr.atomic.compare_add;
	r->swap = wr->wr.atomic.swap;
	r->length = wr->opcode == IBV_WR_FLUSH ? r->compare_add : sizeof r->compare_add;
}

static uint32_t rights(const struct svb_swr *r)
{
	if (r->opcode == IBV_WR_ATOMIC_WRITE)
		return IBV_ACCESS_REMOTE_WRITE;
	return (r->imm & IBV_FLUSH_GLOBAL ? IBV_ACCESS_FLUSH_GLOBAL : 0) | (r->imm & IBV_FLUSH_PERSISTENT ? IBV_ACCESS_FLUSH_PERSISTENT : 0);
}

static enum svb_fate refuse(struct svb_message *m, enum ibv_wc_status to_requester, enum ibv_wc_status *status)
{
	svb_qp_error(m->to);
	*status = to_requester;
	return SVB_ENDED;
}

// take finds the memory: of a flush of a whole region, none of its bytes.
static int take(struct svb_message *m, struct svb_piece *at)
{
	const struct svb_swr *r = m->r;
	const bool all = r->opcode == IBV_WR_FLUSH && r->swap == IBV_FLUSH_MR;
	const struct svb_kmr *k = all ? svb_key_find(m->to->dev, r->rkey, true) : NULL;

	return svb_take(m->to->dev, r->rkey, true, k ? k->span.iova : r->remote_addr, all ? 0 : r->length, rights(r), m->to->obj.kpd, at);
}

// write_number stores the bytes at once, if the program has its memory still.
static bool write_number(const struct svb_piece *at, uint64_t number)
{
	bool there;

	svb_unlock_all();
	there = at->where == SVB_DEVICE ||
		(svb_mapped((uintptr_t)at->at, sizeof number, true) && svb_readable((uintptr_t)at->at, sizeof number));
	if (there)
		__atomic_store_n((uint64_t *)(void *)at->at, number, __ATOMIC_SEQ_CST);
	svb_lock_all();
	return there;
}

enum svb_fate svb_respond_streamed(struct svb_message *m, enum ibv_wc_status *status)
{
	const struct svb_swr *r = m->r;
	const bool writes = r->opcode == IBV_WR_ATOMIC_WRITE;
	struct svb_piece at = {0};
	enum svb_fate fate = SVB_ENDED;

	if ((m->to->attr.qp_access_flags & rights(r)) != rights(r) || (writes && !m->to->attr.max_dest_rd_atomic))
		return refuse(m, IBV_WC_REM_INV_REQ_ERR, status);
	if (take(m, &at))
		return refuse(m, IBV_WC_REM_ACCESS_ERR, status);
	if (writes && (r->remote_addr | (uintptr_t)at.at) & 7)
		fate = refuse(m, IBV_WC_REM_INV_REQ_ERR, status);
	else if (writes && !write_number(&at, r->compare_add))
		fate = refuse(m, at.where == SVB_ODP ? IBV_WC_REM_ACCESS_ERR : IBV_WC_REM_OP_ERR, status);
	svb_drop(&at); // a flush has nothing to do: earlier writes are in memory, where all see them
	return fate;
}
