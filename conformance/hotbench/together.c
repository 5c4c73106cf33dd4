#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "hot.h"

enum { MOST_THREADS = 64 };

struct together {
	struct ibv_cq *cq; // or NULL: protection domains of ctx
	struct ibv_context *ctx;
	struct ibv_pd *(*alloc)(struct ibv_context *);
	int (*dealloc)(struct ibv_pd *);
	long n; // of one thread
	pthread_barrier_t begin;
	atomic_int failed;
};

static int one(struct together *t)
{
	struct ibv_wc wcs[4];
	struct ibv_pd *pd;

	if (t->cq)
		return t->cq->context->ops.poll_cq(t->cq, 4, wcs);
	pd = t->alloc(t->ctx);
	return pd ? t->dealloc(pd) : -1;
}

static void *work(void *arg)
{
	struct together *t = arg;
	long i;

	pthread_barrier_wait(&t->begin); // a thread would else be done before the next one is there
	for (i = 0; i < t->n; i++)
		if (one(t))
			t->failed = 1;
	return NULL;
}

static int64_t used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t run(struct together *t, int threads, long n)
{
	pthread_t all[MOST_THREADS];
	int64_t begin;
	int i;

	if (threads > MOST_THREADS || pthread_barrier_init(&t->begin, NULL, (unsigned)threads + 1))
		return -1;
	t->n = n / threads;
	for (i = 0; i < threads; i++)
		if (pthread_create(&all[i], NULL, work, t))
			abort(); // those that were started wait for it
	begin = used();
	pthread_barrier_wait(&t->begin);
	for (i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	pthread_barrier_destroy(&t->begin);
	return t->failed ? -1 : used() - begin;
}

int64_t hb_poll_together(struct ibv_cq *cq, int threads, long n)
{
	struct together t = {.cq = cq};

	return run(&t, threads, n);
}

int64_t hb_pd_together(struct ibv_context *ctx, uintptr_t alloc, uintptr_t dealloc, int threads, long n)
{
	struct together t = {.ctx = ctx, .alloc = (struct ibv_pd *(*)(struct ibv_context *))alloc, .dealloc = (int (*)(struct ibv_pd *))dealloc};

	return run(&t, threads, n);
}
