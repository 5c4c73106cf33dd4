//go:build linux && cgo

// The thread of a peer, and its queue.
#include <sched.h>

#include "peer.h"
#include "instance.h"

struct request {
	struct svb_rdma rdma;
	STAILQ_ENTRY(request) link;
	int status;
	bool done;
};

struct svb_peer {
	struct svb_dev *dev;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	STAILQ_HEAD(, request) requests;
	bool stop, stressing, in_pass;
	struct svb_rdma pattern;
	struct svb_stress_report report;
};

static void serve(struct svb_peer *p)
{
	struct request *r = STAILQ_FIRST(&p->requests);

	STAILQ_REMOVE_HEAD(&p->requests, link);
	pthread_mutex_unlock(&p->lock);
	r->status = svb_rdma_run(p->dev, &r->rdma);
	pthread_mutex_lock(&p->lock);
	r->done = true;
	pthread_cond_broadcast(&p->done);
}

static void pass(struct svb_peer *p)
{
	unsigned char *b = p->pattern.buf;
	uint64_t i;
	int status;

	p->in_pass = true;
	pthread_mutex_unlock(&p->lock);
	for (i = 0; i < p->pattern.length; i++)
		b[i] = (unsigned char)(p->report.passes + i);
	status = svb_rdma_run(p->dev, &p->pattern);
	sched_yield();
	pthread_mutex_lock(&p->lock);
	p->in_pass = false;
	p->report.status = status;
	if (status == IBV_WC_SUCCESS)
		p->report.passes++;
	else
		p->stressing = false;
	pthread_cond_broadcast(&p->done);
}

static void *run(void *arg)
{
	struct svb_peer *p = arg;

	pthread_mutex_lock(&p->lock);
	while (!p->stop || !STAILQ_EMPTY(&p->requests)) {
		if (!STAILQ_EMPTY(&p->requests))
			serve(p);
		else if (p->stressing)
			pass(p);
		else
			pthread_cond_wait(&p->work, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static struct svb_dev *device(int slot, const char *name)
{
	struct svb_inst *in = svb_slot(slot);

	if (*name)
		return svb_device_named(slot, name);
	return in && in->ndevs ? in->devs : NULL;
}

struct svb_peer *svb_peer_start(int slot, const char *name)
{
	struct svb_peer *p = calloc(1, sizeof *p);
	int err = p ? 0 : ENOMEM;

	if (!err) {
		SVB_LOCKED;
		p->dev = device(slot, name);
		err = p->dev ? 0 : ENODEV;
	}
	if (!err) {
		STAILQ_INIT(&p->requests);
		pthread_mutex_init(&p->lock, NULL);
		pthread_cond_init(&p->work, NULL);
		pthread_cond_init(&p->done, NULL);
		err = svb_quietly(&p->thread, run, p);
	}
	if (!err)
		return p;
	free(p);
	return svb_null(err);
}

void svb_peer_stop(struct svb_peer *p)
{
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	p->stressing = false;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->done);
	free(p->pattern.buf);
	free(p);
}

static void wait_for(struct svb_peer *p, struct request *r)
{
	pthread_mutex_lock(&p->lock);
	STAILQ_INSERT_TAIL(&p->requests, r, link);
	pthread_cond_broadcast(&p->work);
	while (!r->done)
		pthread_cond_wait(&p->done, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

int svb_peer_op(struct svb_peer *p, int op, uint32_t rkey, uint64_t addr, void *buf, uint64_t length, uint64_t a, uint64_t b,
		uint64_t *old)
{
	struct request r = {
		.rdma = {.op = (enum svb_rdma_op)op, .rkey = rkey, .addr = addr, .length = length, .a = a, .b = b},
	};

	if (length) {
		r.rdma.buf = malloc(length);
		if (!r.rdma.buf)
			return -ENOMEM;
		if (op == SVB_RDMA_WRITE)
			memcpy(r.rdma.buf, buf, length);
	}
	wait_for(p, &r);
	if (op == SVB_RDMA_READ && length && r.status == IBV_WC_SUCCESS)
		memcpy(buf, r.rdma.buf, length);
	free(r.rdma.buf);
	*old = r.rdma.old;
	return r.status;
}

int svb_peer_stress(struct svb_peer *p, uint32_t rkey, uint64_t addr, uint64_t length)
{
	void *buf = malloc(length ? length : 1);
	int err = buf ? 0 : ENOMEM;

	pthread_mutex_lock(&p->lock);
	if (!err && p->pattern.buf)
		err = EBUSY;
	if (!err) {
		p->pattern = (struct svb_rdma){.op = SVB_RDMA_WRITE, .rkey = rkey, .addr = addr, .buf = buf, .length = length};
		p->report = (struct svb_stress_report){0};
		p->stressing = true;
		pthread_cond_broadcast(&p->work);
		buf = NULL;
	}
	pthread_mutex_unlock(&p->lock);
	free(buf);
	return err;
}

int svb_peer_report(struct svb_peer *p, struct svb_stress_report *r)
{
	int err;

	pthread_mutex_lock(&p->lock);
	err = p->pattern.buf ? 0 : EINVAL;
	*r = p->report;
	pthread_mutex_unlock(&p->lock);
	return err;
}

int svb_peer_calm(struct svb_peer *p, struct svb_stress_report *r)
{
	int err = 0;

	pthread_mutex_lock(&p->lock);
	while (p->stressing && !p->report.passes)
		pthread_cond_wait(&p->done, &p->lock); // one pass at least
	p->stressing = false;
	while (p->in_pass)
		pthread_cond_wait(&p->done, &p->lock);
	if (!p->pattern.buf)
		err = EINVAL;
	free(p->pattern.buf);
	p->pattern.buf = NULL;
	*r = p->report;
	pthread_mutex_unlock(&p->lock);
	return err;
}
