//go:build linux && cgo

// What becomes of a queue pair: whose turn it is on its device, the end of requests, the flush in ERR, the drain in SQD.
#include "qp.h"

void svb_qp_wait(struct svb_qp *qp)
{
	while (qp->busy)
		pthread_cond_wait(&svb_idle, &svb_lock);
}

// What a request completes as, and the counter of its operation, if it has one. Others than these complete as a send.
static const struct completed {
	enum ibv_wc_opcode opcode;
	bool counted;
	enum svb_counted_op counter;
} completed[] = {
	[IBV_WR_RDMA_WRITE] = {IBV_WC_RDMA_WRITE, true, SVB_CO_WRITE},
	[IBV_WR_RDMA_WRITE_WITH_IMM] = {IBV_WC_RDMA_WRITE, true, SVB_CO_WRITE},
	[IBV_WR_SEND] = {IBV_WC_SEND, true, SVB_CO_SEND},
	[IBV_WR_SEND_WITH_IMM] = {IBV_WC_SEND, true, SVB_CO_SEND},
	[IBV_WR_RDMA_READ] = {IBV_WC_RDMA_READ, true, SVB_CO_READ},
	[IBV_WR_ATOMIC_CMP_AND_SWP] = {.opcode = IBV_WC_COMP_SWAP},
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = {.opcode = IBV_WC_FETCH_ADD},
	[IBV_WR_LOCAL_INV] = {.opcode = IBV_WC_LOCAL_INV},
	[IBV_WR_BIND_MW] = {.opcode = IBV_WC_BIND_MW},
	[IBV_WR_SEND_WITH_INV] = {IBV_WC_SEND, true, SVB_CO_SEND},
	[IBV_WR_FLUSH] = {.opcode = IBV_WC_FLUSH},
	[IBV_WR_ATOMIC_WRITE] = {.opcode = IBV_WC_ATOMIC_WRITE},
};

// svb_qp_end takes the request at the head off the queue. A completion that finds no room is lost.
void svb_qp_end(struct svb_qp *qp, enum ibv_wc_status status)
{
	const struct svb_swr *r = &qp->sq[qp->shead];
	const bool known = r->opcode < sizeof completed / sizeof *completed;
	const struct completed as = known ? completed[r->opcode] : (struct completed){.opcode = IBV_WC_SEND};
	struct ibv_wc wc = {
		.wr_id = r->wr_id, .status = status, .opcode = as.opcode, .byte_len = (uint32_t)r->length, .qp_num = qp->pub.qp_num,
	};

	if (as.counted)
		svb_counted(qp->counters[as.counter], status == IBV_WC_SUCCESS, r->length);
	if (r->opcode == IBV_WR_SEND_WITH_IMM || r->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		wc.wc_flags = IBV_WC_WITH_IMM;
	if (status != IBV_WC_SUCCESS || qp->sig_all || (r->flags & IBV_SEND_SIGNALED))
		svb_qp_complete(qp, qp->scq, &(struct svb_cqe){.wc = wc, .at = qp->left, .seq = qp->sposted - qp->scount + 1});
	qp->shead = (qp->shead + 1) % qp->cap.max_send_wr;
	qp->scount--;
	qp->started = qp->stuck = false;
	qp->wake = qp->left = 0;
}

// The receiver's requests go first, as in soft-RoCE.
static void flush(struct svb_qp *qp)
{
	struct ibv_wc wc = {.status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV, .qp_num = qp->pub.qp_num};
	struct svb_receive r;

	while (svb_recvq_take(&qp->rq, &r)) { // what is in a shared queue stays there
		wc.wr_id = r.wr_id;
		svb_counted(qp->counters[SVB_CO_RECV], false, 0);
		svb_qp_complete(qp, qp->rcq, &(struct svb_cqe){.wc = wc, .solicited = true});
	}
	while (qp->scount)
		svb_qp_end(qp, IBV_WC_WR_FLUSH_ERR);
}

enum svb_turn svb_qp_turn(const struct svb_qp *qp, uint64_t now, uint64_t *next)
{
	if (qp->state == IBV_QPS_ERR)
		return qp->scount || qp->rq.count ? SVB_FLUSH : SVB_IDLE;
	if (qp->state == IBV_QPS_SQD && !(qp->scount && qp->started))
		return qp->drained ? SVB_IDLE : SVB_DRAINED;
	if ((qp->state != IBV_QPS_RTS && qp->state != IBV_QPS_SQD) || !qp->scount || qp->stuck || qp->silent)
		return SVB_IDLE;
	if (now >= qp->wake)
		return SVB_TRY;
	if (qp->wake < *next)
		*next = qp->wake;
	return SVB_IDLE;
}

static void drained(struct svb_qp *qp)
{
	qp->drained = true;
	if (qp->pub.qp_type == IBV_QPT_XRC_RECV) // it has no send queue
		return;
	svb_async(qp->obj.ctx, IBV_EVENT_SQ_DRAINED, &qp->pub, &qp->async_reported);
}

void svb_qp_do(struct svb_qp *qp, enum svb_turn t)
{
	if (t == SVB_FLUSH)
		flush(qp);
	else if (t == SVB_DRAINED)
		drained(qp);
}

void svb_qp_settle(struct svb_qp *qp)
{
	uint64_t never = SVB_NEVER;

	if (!qp->busy)
		svb_qp_do(qp, svb_qp_turn(qp, 0, &never));
}

void svb_qp_error(struct svb_qp *qp)
{
	qp->state = IBV_QPS_ERR;
	svb_kick(qp->dev);
}
