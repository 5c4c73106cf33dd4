#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "hot.h"

enum { MOST_THREADS = 64 };

struct together {
	struct ibv_cq *cq; // or NULL: protection domains of ctx
	struct ibv_context *ctx;
	struct ibv_pd *(*alloc)(struct ibv_context *);
	int (*dealloc)(struct ibv_pd *);
	long n; // of one thread
	pthread_mutex_t begin; // held until all threads are there
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

	pthread_mutex_lock(&t->begin); // else a thread would be done before the next one is there
	pthread_mutex_unlock(&t->begin);
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
	int i, started;

	pthread_mutex_init(&t->begin, NULL);
	pthread_mutex_lock(&t->begin);
	for (started = 0; started < threads && started < MOST_THREADS; started++)
		if (pthread_create(&all[started], NULL, work, t))
			break;
	if (started == threads)
		t->n = n / threads;
	begin = used();
	pthread_mutex_unlock(&t->begin);
	for (i = 0; i < started; i++)
		pthread_join(all[i], NULL);
	pthread_mutex_destroy(&t->begin);
	return t->failed || started < threads ? -1 : used() - begin;
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
