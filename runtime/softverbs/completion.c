//go:build linux && cgo

// What enters a completion queue, and the events of it that wait in a completion channel. The descriptor of a channel is an
// eventfd that can be read as long as an event waits; the events themselves stand with their completion queues.
#include "completion.h"

static void silence(const struct svb_chan *ch)
{
	if (STAILQ_EMPTY(&ch->ready))
		svb_silence(ch->pub.fd);
}

static void push(struct svb_cq *cq)
{
	if (!cq->chan)
		return;
	if (!cq->pending++)
		STAILQ_INSERT_TAIL(&cq->chan->ready, cq, link);
	svb_ring(cq->chan->pub.fd);
}

void svb_chan_forget(struct svb_cq *cq)
{
	if (!cq->pending)
		return;
	cq->pending = 0;
	STAILQ_REMOVE(&cq->chan->ready, cq, svb_cq, link);
	silence(cq->chan);
}

struct svb_cq *svb_chan_pop(struct svb_chan *ch)
{
	struct svb_cq *cq = STAILQ_FIRST(&ch->ready);

	if (!cq)
		return NULL;
	STAILQ_REMOVE_HEAD(&ch->ready, link);
	if (--cq->pending)
		STAILQ_INSERT_TAIL(&ch->ready, cq, link);
	cq->comp_reported++;
	silence(ch);
	return cq;
}

uint64_t svb_stamp(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

bool svb_complete(struct svb_cq *cq, const struct svb_cqe *c)
{
	struct svb_cqe *entry;

	if (cq->count == cq->size && cq->careless)
		return true;
	if (cq->count == cq->size) {
		svb_async(cq->obj.ctx, IBV_EVENT_CQ_ERR, &cq->pub, &cq->async_reported);
		return false;
	}
	entry = &cq->ring[(cq->head + cq->count++) % cq->size];
	*entry = *c;
	if (!entry->at)
		entry->at = svb_stamp();
	if (cq->notify == SVB_NEXT || (cq->notify == SVB_SOLICITED && c->solicited)) {
		cq->notify = SVB_QUIET;
		push(cq);
	}
	return true;
}
