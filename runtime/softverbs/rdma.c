//go:build linux && cgo

// One RDMA operation on registered memory, as a responder does it: key, rights, bounds, then bytes.

#include "peer.h"
#include "piece.h"

static const uint32_t needed[] = {
	[SVB_RDMA_WRITE] = IBV_ACCESS_REMOTE_WRITE,
	[SVB_RDMA_READ] = IBV_ACCESS_REMOTE_READ,
	[SVB_RDMA_FETCH_ADD] = IBV_ACCESS_REMOTE_ATOMIC,
	[SVB_RDMA_CMP_SWAP] = IBV_ACCESS_REMOTE_ATOMIC,
};

static bool move(const struct svb_piece *p, struct svb_rdma *r)
{
	bool write = r->op == SVB_RDMA_WRITE;

	if (!write && r->op != SVB_RDMA_READ)
		return svb_atomic(p, r->op == SVB_RDMA_FETCH_ADD, r->a, r->b, &r->old);
	if (p->where != SVB_DEVICE)
		return svb_copy_host(p->at, r->buf, r->length, write);
	memcpy(write ? p->at : r->buf, write ? r->buf : p->at, r->length);
	return true;
}

static void release(struct svb_piece *p)
{
	SVB_LOCKED;

	svb_drop(p);
}

// Without bytes to move no key is looked at, as the InfiniBand specification has it.
int svb_rdma_run(struct svb_dev *d, struct svb_rdma *r)
{
	bool is_atomic = r->op == SVB_RDMA_FETCH_ADD || r->op == SVB_RDMA_CMP_SWAP, moved;
	struct svb_piece p;
	int err;

	if (is_atomic)
		r->length = 8;
	if (is_atomic && d->cfg.atomic_cap == IBV_ATOMIC_NONE)
		return IBV_WC_REM_INV_REQ_ERR;
	if (r->length == 0)
		return IBV_WC_SUCCESS;
	svb_lock_all();
	err = svb_take(d, r->rkey, true, r->addr, r->length, needed[r->op], NULL, &p);
	svb_unlock_all();
	if (err)
		return IBV_WC_REM_ACCESS_ERR;
	if (is_atomic && ((r->addr | (uintptr_t)p.at) & 7)) {
		release(&p);
		return IBV_WC_REM_INV_REQ_ERR;
	}
	moved = move(&p, r);
	release(&p);
	if (moved)
		return IBV_WC_SUCCESS;
	return p.where == SVB_ODP ? IBV_WC_REM_ACCESS_ERR : IBV_WC_REM_OP_ERR;
}
