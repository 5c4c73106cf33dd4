//go:build linux && cgo

// The asynchronous events of a context, and waiting for events.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "completion.h"

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

// Each event rings, so that a poller that reports edges sees it too.
void svb_ring(int fd)
{
	const uint64_t one = 1;

	if (write(fd, &one, sizeof one) < 0)
		return; // the counter is full, so the descriptor can be read
}

void svb_silence(int fd)
{
	uint64_t n;

	if (read(fd, &n, sizeof n) < 0)
		return; // the program has read it
}

static void add(struct svb_ctx *c, struct ibv_async_event ev, uint32_t *reported)
{
	struct svb_event *e = calloc(1, sizeof *e);

	if (e) {
		e->ev = ev;
		e->reported = reported;
		STAILQ_INSERT_TAIL(&c->events, e, link);
	}
	c->lost |= !e; // Linux drops it without a word (ib_uverbs_async_handler), and a program waits for ever
	svb_ring(c->vctx.context.async_fd);
}

void svb_async(struct svb_ctx *c, enum ibv_event_type t, void *element, uint32_t *reported)
{
	add(c, (struct ibv_async_event){.element.cq = element, .event_type = t}, reported);
}

void svb_async_port(struct svb_ctx *c, enum ibv_event_type t, int port)
{
	add(c, (struct ibv_async_event){.element.port_num = port, .event_type = t}, NULL);
}

static void silence(const struct svb_ctx *c)
{
	if (STAILQ_EMPTY(&c->events) && !c->lost)
		svb_silence(c->vctx.context.async_fd);
}

void svb_async_forget(struct svb_ctx *c, const void *element)
{
	struct svb_event *e, *next;
	bool any = false;

	for (e = STAILQ_FIRST(&c->events); e; e = next) {
		next = STAILQ_NEXT(e, link);
		if (!e->reported || e->ev.element.cq != element)
			continue;
		STAILQ_REMOVE(&c->events, e, svb_event, link);
		free(e);
		any = true;
	}
	if (any) // a read with nothing to read waits
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

int svb_async_lost(struct svb_ctx *c)
{
	if (!c->lost)
		return 0;
	c->lost = false;
	silence(c);
	return ENOMEM;
}

bool svb_async_pop(struct svb_ctx *c, struct ibv_async_event *ev)
{
	struct svb_event *e = STAILQ_FIRST(&c->events);

	if (!e)
		return false;
	STAILQ_REMOVE_HEAD(&c->events, link);
	*ev = e->ev;
	if (e->reported)
		++*e->reported;
	free(e);
	silence(c);
	return true;
}

void svb_wait_acks(pthread_mutex_t *mutex, pthread_cond_t *cond, const uint32_t *completed, uint32_t reported)
{
	pthread_mutex_lock(mutex);
	while (*completed != reported)
		pthread_cond_wait(cond, mutex);
	pthread_mutex_unlock(mutex);
}

void svb_acknowledge(pthread_mutex_t *mutex, pthread_cond_t *cond, uint32_t *completed, uint32_t n)
{
	pthread_mutex_lock(mutex);
	*completed += n;
	pthread_cond_signal(cond);
	pthread_mutex_unlock(mutex);
}
