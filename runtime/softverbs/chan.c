//go:build linux && cgo

// Completion channels.
#include <sys/eventfd.h>
#include <unistd.h>

#include "entry.h"
#include "completion.h"

static int end(struct svb_obj *o)
{
	return SVB_OF(o, struct svb_chan)->pub.refcnt ? EBUSY : 0;
}

static void forget(struct svb_obj *o)
{
	close(SVB_OF(o, struct svb_chan)->pub.fd);
}

static const struct svb_kind kind = {SVB_KIND(SVB_T_CHANNEL, svb_chan), .noun = "completion channel", .end = end, .free = forget};

struct ibv_comp_channel *svb_create_comp_channel(struct ibv_context *pub)
{
	int err;
	struct svb_ctx *c = svb_begin(pub, SVB_T_CTX, SVB_CREATE_COMP_CHANNEL, &err);
	struct svb_chan *ch;

	ch = svb_new_obj(&kind, c, &err);
	if (!err && (ch->pub.fd = eventfd(0, EFD_CLOEXEC)) < 0)
		err = errno;
	if (!err) {
		ch->pub.context = pub;
		STAILQ_INIT(&ch->ready);
	}
	return svb_made(ch, err);
}

SVB_DESTROYS(svb_destroy_comp_channel, ibv_comp_channel, SVB_T_CHANNEL, SVB_DESTROY_COMP_CHANNEL)

int svb_get_cq_event(struct ibv_comp_channel *pub, struct ibv_cq **out, void **cq_context)
{
	struct svb_chan *ch;
	struct svb_cq *cq = NULL;
	bool first = true;
	int err = 0, fd = -1;

	for (; !err && !cq; first = false) {
		if (!first && (err = svb_wait_fd(fd)))
			break;
		SVB_LOCKED;
		ch = svb_live(pub, SVB_T_CHANNEL);
		err = ch ? 0 : EINVAL;
		if (!err && first)
			err = svb_fails_locked(ch->obj.inst, SVB_GET_CQ_EVENT);
		if (!err && (cq = svb_chan_pop(ch))) {
			*out = &cq->pub;
			*cq_context = cq->pub.cq_context;
		}
		if (!err && !cq && svb_gone(&ch->obj))
			err = EIO;
		fd = ch ? ch->pub.fd : -1;
	}
	return svb_minus(err);
}

// Also of a queue that is being destroyed: that call waits for it.
void svb_ack_cq_events(struct ibv_cq *pub, unsigned n)
{
	SVB_LOCKED;

	if (svb_find(pub, SVB_T_CQ))
		svb_acknowledge(&pub->mutex, &pub->cond, &pub->comp_events_completed, n);
}
