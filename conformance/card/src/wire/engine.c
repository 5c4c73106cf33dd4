// The card's loop: requests, flushes, events of completion queues.
//
// It looks for work in memory (doorbell records), as no write to a doorbell page can be seen.
#include <time.h>

#include "uverbs/provider.h"
#include "wire/wire.h"

enum { SPIN = 300, NAP = 20000, LONG_NAP = 500000, LONG_AFTER = 5000 }; // rounds and ns

static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static bool running;

static const struct format *format_of(const struct object *o)
{
	return o->ctx->dev->provider->format;
}

static void break_users(struct qp *q, void *arg)
{
	const struct cq *cq = arg;

	if ((q->scq == cq || q->rcq == cq) && q->state != IBV_QPS_RESET && q->state != IBV_QPS_ERR) {
		engine_fail(q);
		event_async(&q->o, IBV_EVENT_QP_FATAL);
	}
}

void engine_complete(struct cq *cq, const struct completion *c)
{
	const struct format *f = format_of(&cq->o);

	note("cq %#x completion of %s %u, %u bytes: status %d%s\n", cq->o.number, c->receive ? "receive" : "request", c->index, c->bytes, c->status,
		cq->overrun ? ", lost: no room before" : "");
	if (cq->overrun)
		return;
	if (f->complete(cq, c)) {
		if (cq->channel && f->armed(cq))
			event_completion(cq->channel, &cq->o);
		return;
	}
	cq->overrun = true;
	event_async(&cq->o, IBV_EVENT_CQ_ERR);
	net_each(break_users, cq);
}

void engine_fail(struct qp *q)
{
	q->state = IBV_QPS_ERR;
	q->wait = 0;
	far_drop(q);
}

void engine_answered(struct qp *q)
{
	if (q->state == IBV_QPS_RTS && q->far && exchange_state(q->far) == ANSWERED)
		requester_step(q);
}

void engine_settle(struct qp *q)
{
	if (!fault_of(q->o.ctx->dev).removed)
		while (q->state == IBV_QPS_RTS && !q->wait && !q->far && requester_step(q))
			;
}

static void settle(struct qp *q, void *unused)
{
	(void)unused;
	engine_settle(q);
}

__attribute__((destructor)) static void exiting(void)
{
	pthread_mutex_lock(&lock);
	net_each(settle, NULL);
	pthread_mutex_unlock(&lock);
}

static bool flush_sends(struct qp *q)
{
	const struct format *f = format_of(&q->o);
	struct completion c = {.status = IBV_WC_WR_FLUSH_ERR, .qp = q};
	static struct request r;
	bool any = false;

	while (q->scq && f->peek(q, &r)) {
		f->drop(q, &r);
		c.index = r.index;
		c.code = r.code;
		engine_complete(q->scq, &c);
		any = true;
	}
	return any;
}

// flush ends what is posted to a queue pair in ERR. Receives of a shared queue stay there.
static bool flush(struct qp *q)
{
	const struct format *f = format_of(&q->o);
	struct completion c = {.receive = true, .status = IBV_WC_WR_FLUSH_ERR, .qp = q};
	struct receive v;
	bool any;

	far_drop(q);
	any = flush_sends(q);
	while (q->rcq && !q->srq && f->take(q, NULL, &v, NULL)) {
		c.index = v.index;
		engine_complete(q->rcq, &c);
		any = true;
	}
	if (q->srq && !q->last_said) {
		q->last_said = true;
		event_async(&q->o, IBV_EVENT_QP_LAST_WQE_REACHED);
	}
	return any;
}

static void work(struct qp *q, void *arg)
{
	bool *any = arg;

	if (fault_of(q->o.ctx->dev).removed)
		return;
	if (q->state == IBV_QPS_ERR)
		*any |= flush(q);
	else if (q->state == IBV_QPS_SQE)
		*any |= flush_sends(q);
	else if (q->state == IBV_QPS_RTS && (!q->wait || now() >= q->wait))
		*any |= requester_step(q);
}

// A queue can be armed after its completions came.
static void look_armed(struct object *o, void *arg)
{
	struct cq *cq = OF(o, struct cq, o);

	(void)arg;
	if (cq->channel && !cq->overrun && format_of(o)->armed(cq))
		event_completion(cq->channel, o);
}

static void flush_wq(struct object *o, void *arg)
{
	const struct wq *w = OF(o, struct wq, o);
	struct completion c = {.receive = true, .status = IBV_WC_WR_FLUSH_ERR, .wq = w};
	struct receive v;
	bool *any = arg;

	while (w->state == IBV_WQS_ERR && format_of(o)->take_wq(OF(o, struct wq, o), &v)) {
		c.index = v.index;
		engine_complete(w->cq, &c);
		*any = true;
	}
}

static void tick(struct context *c)
{
	const struct format *f = c->dev->provider->format;

	if (f->tick)
		f->tick(c);
}

static bool round_once(void)
{
	const uint64_t point = exchange_tickets();
	bool any = false;

	context_each(tick);
	fault_tell();
	net_each(work, &any);
	object_each(UVERBS_OBJECT_WQ, flush_wq, &any);
	any |= far_serve(point);
	object_each(UVERBS_OBJECT_CQ, look_armed, NULL);
	return any;
}

static void rest(unsigned idle)
{
	const struct timespec nap = {.tv_nsec = idle > LONG_AFTER ? LONG_NAP : NAP};

	if (idle > SPIN)
		nanosleep(&nap, NULL);
}

static void *loop(void *unused)
{
	unsigned idle = 0;

	(void)unused;
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!context_any())
			pthread_cond_wait(&wake, &lock);
		idle = round_once() ? 0 : idle + 1;
		pthread_mutex_unlock(&lock);
		rest(idle);
	}
	return NULL;
}

void engine_wake(void)
{
	pthread_mutex_lock(&lock);
	running = running || !thread_new(loop);
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

void engine_forked(void)
{
	running = false;
	wake = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}
