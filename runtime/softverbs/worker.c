//go:build linux && cgo

// The thread of a device: it executes the send requests of all its queue pairs, each queue in order, one request
// of a queue after one of the next. A request that waits for its peer holds up its own queue only.

#include "worker.h"
#include "wire.h"

#define FOREVER 7 // as a count of retries

// Microseconds that a receiver asks a sender to wait for, by min_rnr_timer.
static const uint32_t rnr_usec[32] = {
	655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920,
	2560, 3840, 5120, 7680, 10240, 15360, 20480, 30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520,
};

static uint64_t deadline(const struct svb_qp *qp, uint64_t now)
{
	return qp->attr.timeout && svb_reliable(qp) ? now + ((uint64_t)4096 << qp->attr.timeout) : SVB_NEVER;
}

// begin is for the first try of a request and for each later one; false: it was the last.
static bool begin(struct svb_qp *qp, uint64_t now)
{
	if (!qp->started) {
		qp->started = true;
		qp->retries = qp->attr.retry_cnt;
		qp->rnr_retries = qp->attr.rnr_retry;
		qp->ready_at = 0;
		qp->retry_at = deadline(qp, now);
	} else if (now >= qp->retry_at) {
		if (!qp->retries)
			return false;
		if (qp->retries != FOREVER || qp->dev->cfg.mlx5) // to mlx5 it is a number
			qp->retries--;
		qp->retry_at = deadline(qp, now);
	}
	return true;
}

// The receiver had nothing to receive into and said how long to wait. Nothing is sent meanwhile. In soft-RoCE the timer of the request
// goes on, and a receive that comes late ends with RETRY_EXC_ERR unless retry_cnt is 7; to a card it was answered, and begins anew.
static bool wait_ready(struct svb_qp *qp, uint32_t usec)
{
	if (!qp->rnr_retries)
		return false;
	if (qp->rnr_retries != FOREVER)
		qp->rnr_retries--;
	qp->ready_at = svb_now() + (uint64_t)usec * 1000;
	if (qp->dev->cfg.mlx5) {
		qp->retries = qp->attr.retry_cnt;
		qp->retry_at = deadline(qp, qp->ready_at);
	}
	return true;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void fail(struct svb_qp *qp, enum ibv_wc_status status)
{
	svb_qp_end(qp, status);
	svb_qp_error(qp);
}

// One try of the request at the head.
static void try(struct svb_worker *w, struct svb_qp *qp, uint64_t now)
{
	const uint32_t at = qp->shead;
	enum ibv_wc_status status = IBV_WC_SUCCESS;
	enum svb_fate fate;

	if (!begin(qp, now)) {
		fail(qp, IBV_WC_RETRY_EXC_ERR);
		return;
	}
	if (qp->sq[at].told) {
		fail(qp, qp->sq[at].told);
		return;
	}
	if (now < qp->ready_at) {
		qp->wake = earlier(qp->ready_at, qp->retry_at);
		return;
	}
	fate = svb_request(qp, &qp->sq[at], qp->sdata + (size_t)at * qp->slot, w, &status);
	if (fate == SVB_STUCK) {
		qp->stuck = true;
	} else if (fate == SVB_UNANSWERED) {
		qp->wake = qp->retry_at;
	} else if (fate == SVB_NOT_READY) {
		if (wait_ready(qp, rnr_usec[qp->rnr_code & 31]))
			qp->wake = earlier(qp->ready_at, qp->retry_at);
		else
			fail(qp, IBV_WC_RNR_RETRY_EXC_ERR);
	} else if (status == IBV_WC_SUCCESS) {
		svb_qp_end(qp, status);
	} else {
		fail(qp, status);
	}
}

static void serve(struct svb_worker *w, struct svb_qp *qp, enum svb_turn t, uint64_t now)
{
	struct svb_dev *d = qp->dev;

	TAILQ_REMOVE(&d->qps, qp, link);
	TAILQ_INSERT_TAIL(&d->qps, qp, link);
	if (t != SVB_TRY) {
		svb_qp_do(qp, t);
	} else {
		qp->busy++;
		try(w, qp, now);
		svb_idles(&qp->busy);
	}
}

static void rest(struct svb_worker *w, uint64_t until)
{
	struct timespec t = {.tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};

	if (until == SVB_NEVER)
		pthread_cond_wait(&w->work, &svb_lock);
	else
		pthread_cond_timedwait(&w->work, &svb_lock, &t);
}

static void *run(void *arg)
{
	struct svb_dev *d = arg;
	struct svb_qp *qp;
	uint64_t now, next;
	enum svb_turn t;
	SVB_LOCKED;
	struct svb_worker *w = d->worker;

	while (!w->stop) {
		now = svb_now();
		next = SVB_NEVER;
		t = SVB_IDLE;
		if (d->gone) {
			rest(w, SVB_NEVER);
			continue;
		}
		svb_late_run(d, now, &next);
		TAILQ_FOREACH(qp, &d->qps, link)
			if ((t = svb_qp_turn(qp, now, &next)) != SVB_IDLE)
				break;
		if (t == SVB_IDLE)
			rest(w, next);
		else
			serve(w, qp, t, now);
	}
	return NULL;
}

int svb_worker_start(struct svb_dev *d)
{
	struct svb_worker *w;
	pthread_condattr_t attr;
	int err;

	if (d->worker)
		return 0;
	w = calloc(1, sizeof *w);
	if (!w)
		return ENOMEM;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->work, &attr);
	pthread_condattr_destroy(&attr);
	d->worker = w; // the thread finds it when it gets the lock
	err = svb_quietly(&w->thread, run, d);
	if (err) {
		d->worker = NULL;
		pthread_cond_destroy(&w->work);
		free(w);
	}
	return err;
}

void svb_worker_stop(struct svb_dev *d)
{
	struct svb_worker *w = d->worker;

	if (!w)
		return;
	w->stop = true;
	pthread_cond_signal(&w->work);
	svb_unlock_all();
	pthread_join(w->thread, NULL);
	svb_lock_all();
	d->worker = NULL;
	pthread_cond_destroy(&w->work);
	free(w);
}
