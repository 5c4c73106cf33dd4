//go:build linux && cgo

// Asynchronous events.
#include "entry.h"
#include "completion.h"
#include "instance.h"
#include "objects.h"

int svb_get_async_event(struct ibv_context *pub, struct ibv_async_event *ev)
{
	struct svb_ctx *c;
	bool first = true, got = false;
	int err = 0, fd = -1;

	for (; !err && !got; first = false) {
		if (!first && (err = svb_wait_fd(fd)))
			break;
		pthread_mutex_lock(&svb_lock);
		c = svb_find_ctx(pub);
		err = c ? 0 : EINVAL;
		if (!err && first)
			err = svb_fails_locked(c->obj.inst, SVB_GET_ASYNC_EVENT);
		if (!err)
			got = svb_async_pop(c, ev);
		fd = c ? pub->async_fd : -1;
		pthread_mutex_unlock(&svb_lock);
	}
	if (!err)
		return 0;
	errno = err;
	return -1;
}

// Also of an object that is being destroyed: that call waits for it.
void svb_ack_async_event(struct ibv_async_event *ev)
{
	struct ibv_cq *cq = ev->element.cq;
	struct ibv_qp *qp = ev->element.qp;

	pthread_mutex_lock(&svb_lock);
	if (ev->event_type == IBV_EVENT_CQ_ERR && svb_find(cq, SVB_T_CQ)) {
		pthread_mutex_lock(&cq->mutex);
		cq->async_events_completed++;
		pthread_cond_signal(&cq->cond);
		pthread_mutex_unlock(&cq->mutex);
	}
	if (ev->event_type == IBV_EVENT_SQ_DRAINED && svb_find(qp, SVB_T_QP)) {
		pthread_mutex_lock(&qp->mutex);
		qp->events_completed++;
		pthread_cond_signal(&qp->cond);
		pthread_mutex_unlock(&qp->mutex);
	}
	pthread_mutex_unlock(&svb_lock);
}
