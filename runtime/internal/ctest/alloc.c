//go:build linux && cgo

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "alloc.h"

typedef void *alloc_fn(void *pd, void *ctx, size_t size, size_t align, uint64_t resource);
typedef void free_fn(void *pd, void *ctx, void *ptr, uint64_t resource);

void ctest_alloc(struct ctest_call *c)
{
	errno = EXDEV;
	c->addr = (uintptr_t)((alloc_fn *)c->alloc)(c, (void *)c->ctx, c->size, c->align, c->resource);
	c->err = errno;
}

void ctest_free(struct ctest_call *c)
{
	errno = EXDEV;
	((free_fn *)c->free)(c, (void *)c->ctx, (void *)c->addr, c->resource);
	c->err = errno;
}

static void *run_alloc(void *c)
{
	ctest_alloc(c);
	return NULL;
}

static void *run_free(void *c)
{
	ctest_free(c);
	return NULL;
}

// The call comes from a thread that Go has never seen.
int ctest_in_thread(struct ctest_call *c, int free_it)
{
	pthread_t thread;
	int err = pthread_create(&thread, NULL, free_it ? run_free : run_alloc, c);

	return err != 0 ? err : pthread_join(thread, NULL);
}

struct storm {
	struct ctest_call call;
	int rounds;
	long bad;
};

static void *run_storm(void *arg)
{
	struct storm *s = arg;

	for (int i = 0; i < s->rounds; i++) {
		struct ctest_call c = s->call;
		const unsigned char *p;

		ctest_alloc(&c);
		if (c.addr == 0 || c.addr == UINTPTR_MAX || c.err != EXDEV) {
			s->bad++;
			continue;
		}
		p = (const unsigned char *)c.addr;
		for (size_t k = 0; k < c.size; k++)
			s->bad += p[k] != 0;
		memset((void *)c.addr, 0x5a, c.size);
		ctest_free(&c);
	}
	return NULL;
}

// Many threads take, check, soil and give back memory. It returns how much went wrong.
long ctest_storm(struct ctest_call *c, int threads, int rounds)
{
	enum { most = 16 };
	pthread_t ids[most];
	struct storm storms[most];
	long bad = 0;
	int started = 0;

	for (; started < threads && started < most; started++) {
		storms[started] = (struct storm){.call = *c, .rounds = rounds};
		if (pthread_create(&ids[started], NULL, run_storm, &storms[started]) != 0)
			break;
	}
	bad += threads - started;
	for (int i = 0; i < started; i++) {
		pthread_join(ids[i], NULL);
		bad += storms[i].bad;
	}
	return bad;
}
