//go:build linux && cgo

// Completion channels. The descriptor is an eventfd that can be read as long as an event waits; the events
// themselves stand with their completion queues.
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "svb.h"
#include "queue.h"

static struct svb_chan *find(const struct ibv_comp_channel *pub)
{
	struct svb_obj *o = svb_find(pub, SVB_T_CHANNEL);
	return o ? SVB_OF(o, struct svb_chan) : NULL;
}

struct ibv_comp_channel *svb_create_comp_channel(struct ibv_context *pub)
{
	struct svb_chan *ch = calloc(1, sizeof *ch);
	struct svb_ctx *c;
	int err = ch ? 0 : ENOMEM, fd = err ? -1 : eventfd(0, EFD_CLOEXEC);

	if (!err && fd < 0)
		err = errno;
	pthread_mutex_lock(&svb_lock);
	c = svb_find_ctx(pub);
	if (!err)
		err = c ? svb_fails_locked(c->obj.inst, SVB_CREATE_COMP_CHANNEL) : EINVAL;
	if (!err) {
		ch->pub.context = pub;
		ch->pub.fd = fd;
		STAILQ_INIT(&ch->ready);
		svb_register(&ch->obj, SVB_T_CHANNEL, &ch->pub, c->obj.inst, c);
	}
	pthread_mutex_unlock(&svb_lock);
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

	pthread_mutex_lock(&svb_lock);
	ch = find(pub);
	err = ch ? svb_fails_locked(ch->obj.inst, SVB_DESTROY_COMP_CHANNEL) : EINVAL;
	if (!err && ch->pub.refcnt)
		err = EBUSY;
	if (!err)
		svb_unregister(&ch->obj);
	pthread_mutex_unlock(&svb_lock);
	if (err)
		return errno = err;
	close(ch->pub.fd);
	free(ch);
	return 0;
}

// Each event rings, so that a poller that reports edges sees it too.
static void ring(const struct svb_chan *ch)
{
	const uint64_t one = 1;

	if (write(ch->pub.fd, &one, sizeof one) < 0)
		return; // the counter is full, so the descriptor can be read
}

static void silence(const struct svb_chan *ch)
{
	uint64_t n;

	if (STAILQ_EMPTY(&ch->ready) && read(ch->pub.fd, &n, sizeof n) < 0)
		return; // it was silent
}

void svb_chan_push(struct svb_cq *cq)
{
	if (!cq->chan)
		return;
	if (!cq->pending++)
		STAILQ_INSERT_TAIL(&cq->chan->ready, cq, link);
	ring(cq->chan);
}

void svb_chan_forget(struct svb_cq *cq)
{
	if (!cq->pending)
		return;
	cq->pending = 0;
	STAILQ_REMOVE(&cq->chan->ready, cq, svb_cq, link);
	silence(cq->chan);
}

int svb_wait_fd(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return errno;
	if (flags & O_NONBLOCK)
		return EAGAIN;
	return poll(&p, 1, -1) < 0 && errno != EINTR ? errno : 0;
}

static struct svb_cq *pop(struct svb_chan *ch)
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

int svb_get_cq_event(struct ibv_comp_channel *pub, struct ibv_cq **out, void **cq_context)
{
	struct svb_chan *ch;
	struct svb_cq *cq = NULL;
	bool first = true;
	int err = 0, fd = -1;

	for (; !err && !cq; first = false) {
		if (!first && (err = svb_wait_fd(fd)))
			break;
		pthread_mutex_lock(&svb_lock);
		ch = find(pub);
		err = ch ? 0 : EINVAL;
		if (!err && first)
			err = svb_fails_locked(ch->obj.inst, SVB_GET_CQ_EVENT);
		if (!err && (cq = pop(ch))) {
			*out = &cq->pub;
			*cq_context = cq->pub.cq_context;
		}
		fd = ch ? ch->pub.fd : -1;
		pthread_mutex_unlock(&svb_lock);
	}
	if (!err)
		return 0;
	errno = err;
	return -1;
}

// Also of a queue that is being destroyed: that call waits for it.
void svb_ack_cq_events(struct ibv_cq *pub, unsigned n)
{
	pthread_mutex_lock(&svb_lock);
	if (svb_find(pub, SVB_T_CQ)) {
		pthread_mutex_lock(&pub->mutex);
		pub->comp_events_completed += n;
		pthread_cond_signal(&pub->cond);
		pthread_mutex_unlock(&pub->mutex);
	}
	pthread_mutex_unlock(&svb_lock);
}
