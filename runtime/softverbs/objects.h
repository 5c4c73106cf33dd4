// The objects that a program gets pointers to. Each has the public struct of the ABI in front and a struct svb_obj behind it;
// registry.c knows which of them live.
#ifndef SVB_OBJECTS_H
#define SVB_OBJECTS_H

#include "kernel.h"

#define SVB_OF(o, type) ((type *)(void *)((char *)(o) - offsetof(type, obj)))

enum svb_type {
	SVB_T_LIST, SVB_T_CTX, SVB_T_PD, SVB_T_TD, SVB_T_MR, SVB_T_DM, SVB_T_CHANNEL, SVB_T_CQ, SVB_T_SRQ, SVB_T_QP, SVB_T_AH, SVB_T_XRCD,
	SVB_T_MW, SVB_T_COUNTERS, SVB_T_WQ, SVB_T_FLOW, SVB_T_TARGET, SVB_T_RWQ_TABLE, SVB_T_FLOW_ACTION, SVB_T_COMP_CNTR, SVB_T_BUF
};

struct svb_obj;

// What the file of a family knows about its objects.
struct svb_kind {
	enum svb_type type;
	const char *noun;
	size_t handle; // where the number is that tells it from others of the noun; 0: there is none
	void (*free)(struct svb_obj *o); // also what ibv_close_device does to one that is left behind
	void (*name)(const struct svb_obj *o, char *buf, size_t n); // in place of noun and handle
};

struct svb_obj {
	const struct svb_kind *kind;
	const void *pub; // address of the public struct, with which all but lists and contexts begin
	unsigned users;  // objects that need it
	bool dying;      // a verb destroys it, and waits: others do not find it any more
	struct svb_inst *inst;
	struct svb_ctx *ctx; // NULL for a list and a context
	LIST_ENTRY(svb_obj) hashed, in_ctx;
};

LIST_HEAD(svb_objs, svb_obj);

struct svb_event;

struct svb_ctx {
	struct verbs_context vctx;
	struct svb_obj obj;
	struct svb_dev *dev;
	struct svb_file *file;
	struct svb_objs objs; // that live, the newest first
	STAILQ_HEAD(, svb_event) events; // asynchronous ones that nobody got yet
	bool lost;                       // there was no memory for one, which nobody was told yet
};

// registry.c, with svb_lock held
SVB_HIDDEN void svb_register(struct svb_obj *o, const struct svb_kind *k, const void *pub, struct svb_inst *in, struct svb_ctx *c);
SVB_HIDDEN void svb_unregister(struct svb_obj *o);
SVB_HIDDEN struct svb_obj *svb_find(const void *pub, enum svb_type t);
SVB_HIDDEN void *svb_live(const void *pub, enum svb_type t); // the whole object, but for a list; NULL: none that lives
SVB_HIDDEN void svb_describe(const struct svb_obj *o, const char *what, char *buf, size_t n);
SVB_HIDDEN void svb_each(struct svb_inst *in, enum svb_type t, void (*f)(struct svb_obj *, void *), void *arg);
SVB_HIDDEN int svb_count(struct svb_inst *in, enum svb_type t);
// svb_gone tells whether the device of an object, or of a context, was taken away.
static inline bool svb_gone(const struct svb_obj *o)
{
	const struct svb_ctx *c = o->kind->type == SVB_T_CTX ? SVB_OF(o, struct svb_ctx) : o->ctx;
	return __atomic_load_n(&c->dev->gone, __ATOMIC_RELAXED);
}
// svb_frees tells whether a verb frees an object, and may do so although the device is gone.
static inline bool svb_frees(const struct svb_obj *o, enum svb_verb v)
{
	const struct svb_dev *d = o->ctx ? o->ctx->dev : NULL;
	return d && d->cfg.frees_gone && (v == SVB_DEALLOC_PD || v == SVB_DEALLOC_TD || v == SVB_DEREG_MR || v == SVB_FREE_DM ||
		v == SVB_DESTROY_COMP_CHANNEL || v == SVB_DESTROY_CQ || v == SVB_DESTROY_SRQ || v == SVB_DESTROY_QP || v == SVB_DESTROY_AH ||
		v == SVB_CLOSE_XRCD || v == SVB_DEALLOC_MW || v == SVB_DESTROY_COUNTERS || v == SVB_DESTROY_WQ || v == SVB_DESTROY_FLOW ||
		v == SVB_DESTROY_RWQ_IND_TABLE || v == SVB_DESTROY_FLOW_ACTION || v == SVB_DESTROY_COMP_CNTR);
}
// svb_refused gives the errno that a call of v for an object ends with before anything else is looked at: EIO without a device,
// what the call is told to fail with, EINVAL for an object that is being destroyed, or 0. With svb_lock held.
static inline int svb_refused(const struct svb_obj *o, enum svb_verb v)
{
	if (!o || o->dying)
		return EINVAL;
	return svb_gone(o) && !svb_frees(o, v) ? EIO : svb_fails_locked(o->inst, v);
}
// svb_begin takes svb_lock and finds the object that a call of v is for. NULL when there is none; *err is what svb_refused gives.
SVB_HIDDEN void *svb_begin(const void *pub, enum svb_type t, enum svb_verb v, int *err);
// svb_destroy is all of a verb v that frees an object, unless something needs it.
SVB_HIDDEN int svb_destroy(const void *pub, enum svb_type t, enum svb_verb v);
#define SVB_DESTROYS(function, public, t, v) \
	int function(struct public *pub) { return svb_destroy(pub, t, v); }

// svb_zeroed returns memory for an object, NULL after an error and with ENOMEM in *err.
SVB_HIDDEN void *svb_zeroed(size_t size, int *err);

// svb_made ends a verb that makes an object, which begins with its public struct: it gives svb_lock back. After an error the object is
// freed: NULL + errno.
SVB_HIDDEN void *svb_made(void *whole, int err);

// svb_forget ends an object. It is free of a kind that has nothing else to free.
SVB_HIDDEN void svb_forget(struct svb_obj *o);

// svb_enter is svb_begin for a verb that takes the lock itself, later or not at all.
SVB_HIDDEN void *svb_enter(const void *pub, enum svb_type t, enum svb_verb v, int *err);
// svb_report gives the text of Leaks, one line each, to be freed with free().
SVB_HIDDEN char *svb_report(int slot); // without svb_lock

#endif
