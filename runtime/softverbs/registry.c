//go:build linux && cgo

// Which user objects live: a hash by the address that the program holds. A stale or foreign pointer is
// not found and makes an error, not a fault.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svb.h"
#include "queue.h"

#define BUCKETS 4096

pthread_mutex_t svb_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t svb_idle = PTHREAD_COND_INITIALIZER;

static struct svb_obj *buckets[BUCKETS];

static struct svb_obj **bucket(const void *pub)
{
	uint64_t h = (uint64_t)(uintptr_t)pub * 0x9e3779b97f4a7c15u;
	return &buckets[h >> 52];
}

void svb_register(struct svb_obj *o, enum svb_type t, const void *pub, struct svb_inst *in, struct svb_ctx *c)
{
	struct svb_obj **b = bucket(pub);

	o->type = t;
	o->pub = pub;
	o->inst = in;
	o->ctx = c;
	o->hnext = *b;
	*b = o;
	o->prev = NULL;
	o->next = NULL;
	if (c) {
		o->next = c->objs;
		if (o->next)
			o->next->prev = o;
		c->objs = o;
	}
}

void svb_unregister(struct svb_obj *o)
{
	struct svb_obj **p = bucket(o->pub);

	while (*p && *p != o)
		p = &(*p)->hnext;
	if (*p)
		*p = o->hnext;
	if (o->next)
		o->next->prev = o->prev;
	if (o->prev)
		o->prev->next = o->next;
	else if (o->ctx && o->ctx->objs == o)
		o->ctx->objs = o->next;
}

struct svb_obj *svb_find(const void *pub, enum svb_type t)
{
	struct svb_obj *o;

	for (o = *bucket(pub); o; o = o->hnext)
		if (o->pub == pub && o->type == t)
			return o;
	return NULL;
}

struct svb_ctx *svb_find_ctx(const struct ibv_context *c)
{
	struct svb_obj *o = svb_find(c, SVB_T_CTX);
	return o ? SVB_OF(o, struct svb_ctx) : NULL;
}

struct svb_pd *svb_find_pd(const struct ibv_pd *pd)
{
	struct svb_obj *o = svb_find(pd, SVB_T_PD);
	return o ? SVB_OF(o, struct svb_pd) : NULL;
}

void svb_describe(const struct svb_obj *o, const char *what, char *buf, size_t n)
{
	const char *dev = o->ctx ? o->ctx->dev->pub.name : "";

	switch (o->type) {
	case SVB_T_LIST:
		snprintf(buf, n, "device list: %s", what);
		return;
	case SVB_T_CTX:
		snprintf(buf, n, "%s: context: %s", SVB_OF(o, struct svb_ctx)->dev->pub.name, what);
		return;
	case SVB_T_PD:
		snprintf(buf, n, "%s: %s (handle %u): %s", dev, SVB_OF(o, struct svb_pd)->inner ? "parent domain" : "PD",
			 SVB_OF(o, struct svb_pd)->pub.handle, what);
		return;
	case SVB_T_TD:
		snprintf(buf, n, "%s: thread domain: %s", dev, what);
		return;
	case SVB_T_MR:
		snprintf(buf, n, "%s: MR (handle %u, lkey 0x%x, length %zu): %s", dev, SVB_OF(o, struct svb_mr)->pub.handle,
			 SVB_OF(o, struct svb_mr)->pub.lkey, SVB_OF(o, struct svb_mr)->pub.length, what);
		return;
	case SVB_T_DM:
		snprintf(buf, n, "%s: DM (handle %u, length %llu): %s", dev, SVB_OF(o, struct svb_dm)->pub.handle,
			 (unsigned long long)SVB_OF(o, struct svb_dm)->mem->length, what);
		return;
	case SVB_T_CHANNEL:
		snprintf(buf, n, "%s: completion channel: %s", dev, what);
		return;
	case SVB_T_CQ:
		snprintf(buf, n, "%s: CQ (handle %u, %d entries): %s", dev, SVB_OF(o, struct svb_cq)->pub.handle,
			 SVB_OF(o, struct svb_cq)->pub.cqe, what);
		return;
	case SVB_T_QP:
		snprintf(buf, n, "%s: QP (handle %u, number 0x%x): %s", dev, SVB_OF(o, struct svb_qp)->pub.handle,
			 SVB_OF(o, struct svb_qp)->pub.qp_num, what);
		return;
	case SVB_T_AH:
		snprintf(buf, n, "%s: AH (handle %u): %s", dev, SVB_OF(o, struct svb_ah)->pub.handle, what);
		return;
	}
}

void svb_leak(struct svb_inst *in, const char *text)
{
	char **grown = realloc(in->leaks, (in->nleaks + 1) * sizeof *grown);

	if (!grown)
		return;
	in->leaks = grown;
	grown[in->nleaks] = strdup(text);
	if (grown[in->nleaks])
		in->nleaks++;
}

void svb_each(struct svb_inst *in, enum svb_type t, void (*f)(struct svb_obj *, void *), void *arg)
{
	struct svb_obj *o;
	int i;

	for (i = 0; i < BUCKETS; i++)
		for (o = buckets[i]; o; o = o->hnext)
			if (o->inst == in && o->type == t)
				f(o, arg);
}

static void count(struct svb_obj *o, void *n)
{
	(void)o;
	++*(int *)n;
}

int svb_count(struct svb_inst *in, enum svb_type t)
{
	int n = 0;

	svb_each(in, t, count, &n);
	return n;
}

static void report_live(struct svb_inst *in, FILE *out)
{
	char line[256];
	int i;
	struct svb_obj *o;

	for (i = 0; i < BUCKETS; i++)
		for (o = buckets[i]; o; o = o->hnext)
			if (o->inst == in) {
				svb_describe(o, "still open", line, sizeof line);
				fprintf(out, "%s\n", line);
			}
}

char *svb_report(int slot)
{
	char *text = NULL;
	size_t n = 0, i;
	struct svb_inst *in;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return NULL;
	pthread_mutex_lock(&svb_lock);
	in = svb_slot(slot);
	if (in) {
		svb_file_sweep(in);
		for (i = 0; i < in->nleaks; i++)
			fprintf(out, "%s\n", in->leaks[i]);
		report_live(in, out);
	}
	pthread_mutex_unlock(&svb_lock);
	fclose(out);
	return text;
}
