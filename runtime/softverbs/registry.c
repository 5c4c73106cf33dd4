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

	if (!o || o->dying)
		return NULL;
	return t == SVB_T_CTX ? (void *)SVB_OF(o, struct svb_ctx) : (void *)(uintptr_t)pub;
}

void *svb_begin(const void *pub, enum svb_type t, enum svb_verb v, int *err)
{
	svb_lock_all();
	*err = svb_refused(svb_find(pub, t), v);
	return svb_live(pub, t);
}

void *svb_zeroed(size_t size, int *err)
{
	void *p = *err ? NULL : calloc(1, size);

	if (!*err && !p)
		*err = ENOMEM;
	return p;
}

int svb_enroll(struct svb_obj *o, const struct svb_kind *k, struct svb_ctx *c)
{
	const int err = k->numbered ? svb_number_take(&c->file->handles, &o->handle) : 0;

	if (!err)
		svb_register(o, k, (char *)o - k->obj, c->obj.inst, c);
	return err;
}

void *svb_new_obj(const struct svb_kind *k, struct svb_ctx *c, int *err)
{
	char *whole = svb_zeroed(k->size, err);

	if (!*err)
		*err = svb_enroll((struct svb_obj *)(void *)(whole + k->obj), k, c);
	if (!*err)
		return whole;
	free(whole);
	return NULL;
}

void svb_need(struct svb_obj *o, struct svb_obj *other)
{
	int i = 0;

	if (!other)
		return;
	while (o->needs[i])
		i++;
	o->needs[i] = other;
	other->users++;
}

static void part(struct svb_obj *o)
{
	int i;

	o->dying = true;
	if (o->kind->part)
		o->kind->part(o);
	for (i = 0; i < SVB_NEEDS && o->needs[i]; i++)
		o->needs[i]->users--;
	if (o->kpd)
		o->kpd->users--;
	if (o->kind->numbered)
		svb_number_give(&o->ctx->file->handles, o->handle);
}

static void release(struct svb_obj *o)
{
	if (o->kind->free)
		o->kind->free(o);
	svb_unregister(o);
	free((char *)o - o->kind->obj);
}

void svb_drop_obj(struct svb_obj *o)
{
	if (!o->dying)
		part(o);
	release(o);
}

// retire is svb_drop_obj for a verb, which lets go of the lock.
static void retire(struct svb_obj *o)
{
	part(o);
	if (o->kind->settle) {
		svb_unlock_all();
		o->kind->settle(o);
		svb_lock_all();
	}
	release(o);
}

int svb_destroy(const void *pub, enum svb_type t, enum svb_verb v)
{
	struct svb_obj *o;
	int err;

	svb_lock_all();
	o = svb_find(pub, t);
	err = o && !o->dying && o->ctx->dev->cfg.frees_gone ? svb_fails_locked(o->inst, v) : svb_refused(o, v);
	if (!err && o->users)
		err = EBUSY;
	if (!err && o->kind->end) {
		o->dying = true; // it may let go of the lock
		err = o->kind->end(o);
		o->dying = !err;
	}
	if (!err)
		retire(o);
	return svb_end(err);
}

void svb_unimport(const void *pub, enum svb_type t)
{
	SVB_LOCKED;
	struct svb_obj *o = svb_find(pub, t);

	if (o && !o->dying && !o->users)
		retire(o);
}

void *svb_made(void *whole, int err)
{
	struct svb_obj *o = NULL;

	if (whole && err)
		LIST_FOREACH(o, bucket(whole), hashed)
			if (o->pub == whole)
				break;
	if (o)
		svb_drop_obj(o);
	svb_unlock_all();
	return err ? svb_null(err) : whole;
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
	else if (k->numbered)
		snprintf(name, sizeof name, "%s (handle %u)", k->noun, o->handle);
	else
		snprintf(name, sizeof name, "%s", k->noun);
	if (o->ctx)
		snprintf(buf, n, "%s: %s: %s", o->ctx->dev->pub.name, name, what);
	else
		snprintf(buf, n, "%s: %s", name, what);
}

static void add_one(struct svb_obj *o, void *n)
{
	(void)o;
	++*(int *)n;
}

int svb_count(struct svb_inst *in, enum svb_type t)
{
	int n = 0;

	svb_each(in, t, add_one, &n);
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
