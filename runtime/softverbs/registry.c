//go:build linux && cgo

// Which user objects live: a hash by the address that the program holds. A stale or foreign pointer is
// not found and makes an error, not a fault.
#include <stdio.h>

#include "objects.h"

#define FEWEST_BITS 10

static struct svb_objs few[1 << FEWEST_BITS];
static struct svb_objs *buckets = few;
static int bits = FEWEST_BITS; // there are 1 << bits buckets
static size_t live;

static struct svb_objs *bucket(const void *pub)
{
	uint64_t h = (uint64_t)(uintptr_t)pub * 0x9e3779b97f4a7c15u;
	return &buckets[h >> (64 - bits)];
}

// grow doubles the buckets, so that finding an object takes as long among many as among few. Without the memory for it they
// stay as they are.
static void grow(void)
{
	struct svb_objs *old = buckets;
	struct svb_obj *o;
	size_t n = (size_t)1 << bits, i;
	struct svb_objs *more = calloc(2 * n, sizeof *more);

	if (!more)
		return;
	buckets = more;
	bits++;
	for (i = 0; i < n; i++)
		while ((o = LIST_FIRST(&old[i]))) {
			LIST_REMOVE(o, hashed);
			LIST_INSERT_HEAD(bucket(o->pub), o, hashed);
		}
	if (old != few)
		free(old);
}

void svb_register(struct svb_obj *o, const struct svb_kind *k, const void *pub, struct svb_inst *in, struct svb_ctx *c)
{
	if (++live > (size_t)1 << bits)
		grow();
	o->kind = k;
	o->pub = pub;
	o->inst = in;
	o->ctx = c;
	LIST_INSERT_HEAD(bucket(pub), o, hashed);
	if (c)
		LIST_INSERT_HEAD(&c->objs, o, in_ctx);
}

void svb_unregister(struct svb_obj *o)
{
	LIST_REMOVE(o, hashed);
	live--;
	if (o->ctx)
		LIST_REMOVE(o, in_ctx);
}

struct svb_obj *svb_find(const void *pub, enum svb_type t)
{
	struct svb_obj *o;

	LIST_FOREACH(o, bucket(pub), hashed)
		if (o->pub == pub && o->kind->type == t)
			return o;
	return NULL;
}

#define EACH(o, i) for (i = 0; i < (size_t)1 << bits; i++) LIST_FOREACH(o, &buckets[i], hashed)

void svb_each(struct svb_inst *in, enum svb_type t, void (*f)(struct svb_obj *, void *), void *arg)
{
	struct svb_obj *o;
	size_t i;

	EACH(o, i)
		if (o->inst == in && o->kind->type == t)
			f(o, arg);
}

void *svb_live(const void *pub, enum svb_type t)
{
	struct svb_obj *o = svb_find(pub, t);

	if (o && t == SVB_T_CTX)
		return SVB_OF(o, struct svb_ctx);
	return o ? (void *)(uintptr_t)pub : NULL;
}

void *svb_begin(const void *pub, enum svb_type t, enum svb_verb v, int *err)
{
	svb_lock_all();
	*err = svb_refused(svb_find(pub, t), v);
	return svb_live(pub, t);
}

int svb_destroy(const void *pub, enum svb_type t, enum svb_verb v)
{
	struct svb_obj *o;
	int err;

	svb_begin(pub, t, v, &err);
	o = svb_find(pub, t);
	if (!err && o->users)
		err = EBUSY;
	if (!err)
		o->kind->free(o);
	return svb_end(err);
}

void *svb_zeroed(size_t size, int *err)
{
	void *p = *err ? NULL : calloc(1, size);

	if (!*err && !p)
		*err = ENOMEM;
	return p;
}

void *svb_made(void *whole, int err)
{
	svb_unlock_all();
	if (!err)
		return whole;
	free(whole);
	return svb_null(err);
}

void svb_forget(struct svb_obj *o)
{
	svb_unregister(o);
	free((void *)(uintptr_t)o->pub);
}

void *svb_enter(const void *pub, enum svb_type t, enum svb_verb v, int *err)
{
	void *o = svb_begin(pub, t, v, err);

	svb_unlock_all();
	return o;
}

void svb_describe(const struct svb_obj *o, const char *what, char *buf, size_t n)
{
	const struct svb_kind *k = o->kind;
	char name[160];

	if (k->name)
		k->name(o, name, sizeof name);
	else if (k->handle)
		snprintf(name, sizeof name, "%s (handle %u)", k->noun, *(const uint32_t *)(const void *)((const char *)o->pub + k->handle));
	else
		snprintf(name, sizeof name, "%s", k->noun);
	if (o->ctx)
		snprintf(buf, n, "%s: %s: %s", o->ctx->dev->pub.name, name, what);
	else
		snprintf(buf, n, "%s: %s", name, what);
}

int svb_count(struct svb_inst *in, enum svb_type t)
{
	struct svb_obj *o;
	size_t i;
	int n = 0;

	EACH(o, i)
		n += o->inst == in && o->kind->type == t;
	return n;
}

static void report_live(struct svb_inst *in, FILE *out)
{
	char line[256];
	size_t i;
	struct svb_obj *o;

	EACH(o, i)
		if (o->inst == in) {
			svb_describe(o, "still open", line, sizeof line);
			fprintf(out, "%s\n", line);
		}
}

char *svb_report(int slot)
{
	char *text = NULL;
	size_t n = 0, i;
	FILE *out = open_memstream(&text, &n);
	SVB_LOCKED;
	struct svb_inst *in = svb_slot(slot);

	if (!out)
		return NULL;
	if (in) {
		svb_file_sweep(in);
		for (i = 0; i < in->nleaks; i++)
			fprintf(out, "%s\n", in->leaks[i]);
		report_live(in, out);
	}
	fclose(out);
	return text;
}
