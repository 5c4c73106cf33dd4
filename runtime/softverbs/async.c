//go:build linux && cgo

// Asynchronous events of a context, and the state of ports, which makes some of them.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "svb.h"
#include "queue.h"

void svb_async(struct svb_ctx *c, enum ibv_event_type t, void *element, int port)
{
	struct svb_event *e = calloc(1, sizeof *e);
	const uint64_t one = 1;

	if (!e)
		return;
	e->ev.event_type = t;
	if (element)
		e->ev.element.cq = element;
	else
		e->ev.element.port_num = port;
	STAILQ_INSERT_TAIL(&c->events, e, link);
	if (write(c->vctx.context.async_fd, &one, sizeof one) < 0)
		return; // the counter is full, so the descriptor can be read
}

static void silence(const struct svb_ctx *c)
{
	uint64_t n;

	if (STAILQ_EMPTY(&c->events) && read(c->vctx.context.async_fd, &n, sizeof n) < 0)
		return; // it was silent
}

static bool of_port(enum ibv_event_type t)
{
	return t != IBV_EVENT_CQ_ERR && t != IBV_EVENT_SQ_DRAINED;
}

void svb_async_forget(struct svb_ctx *c, const void *element)
{
	struct svb_event *e, *next;
	bool any = false;

	for (e = STAILQ_FIRST(&c->events); e; e = next) {
		next = STAILQ_NEXT(e, link);
		if (of_port(e->ev.event_type) || e->ev.element.cq != element)
			continue;
		STAILQ_REMOVE(&c->events, e, svb_event, link);
		free(e);
		any = true;
	}
	if (any)
		silence(c);
}

void svb_async_free(struct svb_ctx *c)
{
	struct svb_event *e;

	while ((e = STAILQ_FIRST(&c->events))) {
		STAILQ_REMOVE_HEAD(&c->events, link);
		free(e);
	}
}

static bool pop(struct svb_ctx *c, struct ibv_async_event *ev)
{
	struct svb_event *e = STAILQ_FIRST(&c->events);

	if (!e)
		return false;
	STAILQ_REMOVE_HEAD(&c->events, link);
	*ev = e->ev;
	free(e);
	if (ev->event_type == IBV_EVENT_CQ_ERR)
		svb_find_cq(ev->element.cq)->async_reported++;
	if (ev->event_type == IBV_EVENT_SQ_DRAINED)
		svb_find_qp(ev->element.qp)->async_reported++;
	silence(c);
	return true;
}

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
			got = pop(c, ev);
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

struct news {
	struct svb_dev *dev;
	enum ibv_event_type type;
	int port;
};

static void tell(struct svb_obj *o, void *arg)
{
	struct svb_ctx *c = SVB_OF(o, struct svb_ctx);
	const struct news *n = arg;

	if (c->dev == n->dev)
		svb_async(c, n->type, NULL, n->port);
}

int svb_set_port(int slot, const char *device, unsigned port, bool up)
{
	struct news n = {.type = up ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR, .port = (int)port};
	struct svb_inst *in;
	int i, err = 0;

	pthread_mutex_lock(&svb_lock);
	in = svb_slot(slot);
	for (i = 0; in && i < in->ndevs; i++)
		if (!strcmp(device, in->devs[i].pub.name))
			n.dev = &in->devs[i];
	if (!n.dev)
		err = ENODEV;
	else if (port == 0 || port > n.dev->cfg.ports)
		err = EINVAL;
	if (!err && n.dev->port_down[port - 1] == up) {
		n.dev->port_down[port - 1] = !up;
		svb_each(in, SVB_T_CTX, tell, &n);
	}
	pthread_mutex_unlock(&svb_lock);
	return err;
}
