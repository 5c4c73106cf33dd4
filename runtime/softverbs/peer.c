//go:build linux && cgo

// A peer: single operations, each in the thread that asks for it, and a thread that writes pass after pass. One is under way at a time.
#include <sched.h>

#include "peer.h"
#include "instance.h"

struct svb_peer {
	struct svb_dev *dev;
	pthread_mutex_t lock;
	pthread_cond_t done;
	bool busy;        // an operation or a pass is under way
	unsigned waiting; // operations, which go before the next pass
	bool stressing, running; // passes are to be written; the thread that does lives
	struct svb_rdma pattern;
	struct svb_stress_report report;
};

// begin and end are what is around an operation; without the lock between them.
static void begin(struct svb_peer *p)
{
	p->busy = true;
	pthread_mutex_unlock(&p->lock);
}

static void end(struct svb_peer *p)
{
	pthread_mutex_lock(&p->lock);
	p->busy = false;
	pthread_cond_broadcast(&p->done);
}

static void pass(struct svb_peer *p)
{
	unsigned char *b = p->pattern.buf;
	uint64_t i;
	int status;

	begin(p);
	for (i = 0; i < p->pattern.length; i++)
		b[i] = (unsigned char)(p->report.passes + i);
	status = svb_rdma_run(p->dev, &p->pattern);
	sched_yield();
	end(p);
	p->report.status = status;
	if (status == IBV_WC_SUCCESS)
		p->report.passes++;
	else
		p->stressing = false;
}

static void *stress(void *arg)
{
	struct svb_peer *p = arg;

	pthread_detach(pthread_self());
	pthread_mutex_lock(&p->lock);
	while (p->stressing) {
		if (p->busy || p->waiting)
			pthread_cond_wait(&p->done, &p->lock);
		else
			pass(p);
	}
	p->running = false;
	pthread_cond_broadcast(&p->done);
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

	if (!p)
		return svb_null(ENOMEM);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->done, NULL);
	SVB_LOCKED;
	p->dev = device(slot, name);
	if (p->dev)
		return p;
	free(p);
	return svb_null(ENODEV);
}

void svb_peer_stop(struct svb_peer *p)
{
	struct svb_stress_report r;

	svb_peer_calm(p, &r);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->done);
	free(p);
}

int svb_peer_op(struct svb_peer *p, int op, uint32_t rkey, uint64_t addr, void *buf, uint64_t length, uint64_t a, uint64_t b,
		uint64_t *old)
{
	void *own = op == SVB_RDMA_READ ? malloc(length + 1) : NULL; // buf changes only after a success
	struct svb_rdma r = {
		.op = (enum svb_rdma_op)op, .rkey = rkey, .addr = addr, .buf = own ? own : buf, .length = length, .a = a, .b = b,
	};
	int status;

	if (op == SVB_RDMA_READ && !own)
		return -ENOMEM;
	pthread_mutex_lock(&p->lock);
	p->waiting++;
	while (p->busy)
		pthread_cond_wait(&p->done, &p->lock);
	p->waiting--;
	begin(p);
	status = svb_rdma_run(p->dev, &r);
	end(p);
	pthread_mutex_unlock(&p->lock);
	if (own && length && status == IBV_WC_SUCCESS)
		memcpy(buf, own, length);
	free(own);
	*old = r.old;
	return status;
}

int svb_peer_stress(struct svb_peer *p, uint32_t rkey, uint64_t addr, uint64_t length)
{
	pthread_t thread;
	void *buf = malloc(length ? length : 1);
	int err = buf ? 0 : ENOMEM;

	pthread_mutex_lock(&p->lock);
	if (!err)
		err = p->pattern.buf ? EBUSY : svb_quietly(&thread, stress, p);
	if (!err) {
		p->pattern = (struct svb_rdma){.op = SVB_RDMA_WRITE, .rkey = rkey, .addr = addr, .buf = buf, .length = length};
		p->report = (struct svb_stress_report){0};
		p->stressing = p->running = true;
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
	pthread_cond_broadcast(&p->done);
	while (p->running)
		pthread_cond_wait(&p->done, &p->lock);
	if (!p->pattern.buf)
		err = EINVAL;
	free(p->pattern.buf);
	p->pattern.buf = NULL;
	*r = p->report;
	pthread_mutex_unlock(&p->lock);
	return err;
}
