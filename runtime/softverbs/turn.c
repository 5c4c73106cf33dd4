//go:build linux && cgo

// What becomes of a queue pair: whose turn it is on its device, the end of requests, the flush in ERR, the drain in SQD.
#include "qp.h"

void svb_qp_wait(struct svb_qp *qp)
{
	while (qp->busy)
		pthread_cond_wait(&svb_idle, &svb_lock);
}

static enum ibv_wc_opcode completed(enum ibv_wr_opcode op)
{
	switch (op) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return IBV_WC_RDMA_WRITE;
	case IBV_WR_RDMA_READ:
		return IBV_WC_RDMA_READ;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return IBV_WC_COMP_SWAP;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return IBV_WC_FETCH_ADD;
	case IBV_WR_FLUSH:
		return IBV_WC_FLUSH;
	case IBV_WR_ATOMIC_WRITE:
		return IBV_WC_ATOMIC_WRITE;
	case IBV_WR_BIND_MW:
		return IBV_WC_BIND_MW;
	case IBV_WR_LOCAL_INV:
		return IBV_WC_LOCAL_INV;
	default:
		return IBV_WC_SEND;
	}
}

// count_request adds a request to the counter of its operation. Atomics have none.
static void count_request(struct svb_qp *qp, const struct svb_swr *r, bool good)
{
	switch (r->opcode) {
	case IBV_WR_SEND:
	case IBV_WR_SEND_WITH_IMM:
	case IBV_WR_SEND_WITH_INV:
		svb_counted(qp->counters[SVB_CO_SEND], good, r->length);
		break;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		svb_counted(qp->counters[SVB_CO_WRITE], good, r->length);
		break;
	case IBV_WR_RDMA_READ:
		svb_counted(qp->counters[SVB_CO_READ], good, r->length);
		break;
	default:
		break;
	}
}

// svb_qp_end takes the request at the head off the queue. A completion that finds no room is lost.
void svb_qp_end(struct svb_qp *qp, enum ibv_wc_status status)
{
	const struct svb_swr *r = &qp->sq[qp->shead];
	struct ibv_wc wc = {
		.wr_id = r->wr_id, .status = status, .opcode = completed(r->opcode), .byte_len = (uint32_t)r->length,
		.qp_num = qp->pub.qp_num,
	};

	count_request(qp, r, status == IBV_WC_SUCCESS);
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
