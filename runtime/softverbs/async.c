//go:build linux && cgo

// Asynchronous events.
#include "entry.h"
#include "completion.h"

int svb_get_async_event(struct ibv_context *pub, struct ibv_async_event *ev)
{
	struct svb_ctx *c;
	bool first = true, got = false;
	int err = 0, fd = -1;

	for (; !err && !got; first = false) {
		if (!first && (err = svb_wait_fd(fd)))
			break;
		SVB_LOCKED;
		c = svb_live(pub, SVB_T_CTX);
		err = c ? 0 : EINVAL;
		if (!err && first)
			err = svb_fails_locked(c->obj.inst, SVB_GET_ASYNC_EVENT);
		if (!err)
			got = svb_async_pop(c, ev);
		if (!err && !got)
			err = svb_async_lost(c);
		if (!err && !got && svb_gone(&c->obj))
			err = EIO; // what was reported before can still be got
		fd = c ? pub->async_fd : -1;
	}
	return svb_minus(err);
}

// Also of an object that is being destroyed: that call waits for it.
void svb_ack_async_event(struct ibv_async_event *ev)
{
	struct ibv_cq *cq = ev->element.cq;
	struct ibv_qp *qp = ev->element.qp;
	struct ibv_srq *srq = ev->element.srq;
	SVB_LOCKED;

	if (ev->event_type == IBV_EVENT_CQ_ERR && svb_find(cq, SVB_T_CQ))
		svb_acknowledge(&cq->mutex, &cq->cond, &cq->async_events_completed, 1);
	if (ev->event_type == IBV_EVENT_SQ_DRAINED && svb_find(qp, SVB_T_QP))
		svb_acknowledge(&qp->mutex, &qp->cond, &qp->events_completed, 1);
	if (ev->event_type == IBV_EVENT_SRQ_LIMIT_REACHED && svb_find(srq, SVB_T_SRQ))
		svb_acknowledge(&srq->mutex, &srq->cond, &srq->events_completed, 1);
}
