//go:build linux && cgo

// Completion channels.
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "entry.h"
#include "completion.h"
#include "instance.h"
#include "objects.h"

static void name(const struct svb_obj *o, char *buf, size_t n)
{
	(void)o;
	snprintf(buf, n, "completion channel");
}

static void forget(struct svb_obj *o)
{
	struct svb_chan *ch = SVB_OF(o, struct svb_chan);

	svb_unregister(o);
	close(ch->pub.fd);
	free(ch);
}

static const struct svb_kind kind = {SVB_T_CHANNEL, name, forget};

struct ibv_comp_channel *svb_create_comp_channel(struct ibv_context *pub)
{
	struct svb_chan *ch = calloc(1, sizeof *ch);
	struct svb_ctx *c;
	int err = ch ? 0 : ENOMEM, fd = err ? -1 : eventfd(0, EFD_CLOEXEC);

	if (!err && fd < 0)
		err = errno;
	svb_lock_all();
	c = svb_find_ctx(pub);
	if (!err)
		err = c ? svb_refused_locked(&c->obj, SVB_CREATE_COMP_CHANNEL) : EINVAL;
	if (!err) {
		ch->pub.context = pub;
		ch->pub.fd = fd;
		STAILQ_INIT(&ch->ready);
		svb_register(&ch->obj, &kind, &ch->pub, c->obj.inst, c);
	}
	svb_unlock_all();
	if (!err)
		return &ch->pub;
	if (fd >= 0)
		close(fd);
	free(ch);
	errno = err;
	return NULL;
}

int svb_destroy_comp_channel(struct ibv_comp_channel *pub)
{
	struct svb_chan *ch;
	int err;

	svb_lock_all();
	ch = svb_find_chan(pub);
	err = ch ? svb_refused_locked(&ch->obj, SVB_DESTROY_COMP_CHANNEL) : EINVAL;
	if (!err && ch->pub.refcnt)
		err = EBUSY;
	if (!err)
		svb_unregister(&ch->obj);
	svb_unlock_all();
	if (err)
		return errno = err;
	close(ch->pub.fd);
	free(ch);
	return 0;
}

int svb_get_cq_event(struct ibv_comp_channel *pub, struct ibv_cq **out, void **cq_context)
{
	struct svb_chan *ch;
	struct svb_cq *cq = NULL;
	bool first = true;
	int err = 0, fd = -1;

	for (; !err && !cq; first = false) {
		if (!first && (err = svb_wait_fd(fd)))
			break;
		svb_lock_all();
		ch = svb_find_chan(pub);
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
		svb_unlock_all();
	}
	if (!err)
		return 0;
	errno = err;
	return -1;
}

// Also of a queue that is being destroyed: that call waits for it.
void svb_ack_cq_events(struct ibv_cq *pub, unsigned n)
{
	svb_lock_all();
	if (svb_find(pub, SVB_T_CQ)) {
		pthread_mutex_lock(&pub->mutex);
		pub->comp_events_completed += n;
		pthread_cond_signal(&pub->cond);
		pthread_mutex_unlock(&pub->mutex);
	}
	svb_unlock_all();
}
