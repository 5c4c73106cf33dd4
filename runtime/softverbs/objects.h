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

// What the file of a family knows about its objects. The functions can be NULL. A verb that destroys an object calls them in this order;
// for an object that ibv_close_device finds left behind, part and free are called.
struct svb_kind {
	enum svb_type type;
	size_t size, obj; // of the whole object, and of its struct svb_obj in it
	const char *noun;
	bool numbered; // by a handle of the kernel
	int (*end)(struct svb_obj *o);     // ends what the kernel has of it; an errno if it must stay
	void (*part)(struct svb_obj *o);   // nothing uses it any more; may let go of the lock
	void (*settle)(struct svb_obj *o); // without svb_lock: gives back to the program, and waits for it
	void (*free)(struct svb_obj *o);   // what it has besides its own memory
	void (*name)(const struct svb_obj *o, char *buf, size_t n); // in place of noun and handle
};

#define SVB_KIND(t, whole) .type = t, .size = sizeof(struct whole), .obj = offsetof(struct whole, obj)
#define SVB_NEEDS 5 // a queue pair: a parent domain, two completion queues, a shared receive queue, a table

struct svb_obj {
	const struct svb_kind *kind;
	const void *pub; // address of the public struct, with which all but lists and contexts begin
	unsigned users;  // objects that need it
	bool dying;      // a verb destroys it, and waits: others do not find it any more
	uint32_t handle; // of a kind that is numbered
	struct svb_kpd *kpd; // domain of the kernel that it is in, or NULL
	struct svb_obj *needs[SVB_NEEDS]; // whose users it is one of
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
SVB_HIDDEN void *svb_live(const void *pub, enum svb_type t); // the whole object, but for a list; NULL: none, or one that is being destroyed
SVB_HIDDEN void svb_describe(const struct svb_obj *o, const char *what, char *buf, size_t n);
SVB_HIDDEN void svb_each(struct svb_inst *in, enum svb_type t, void (*f)(struct svb_obj *, void *), void *arg);
SVB_HIDDEN int svb_count(struct svb_inst *in, enum svb_type t);
// svb_gone tells whether the device of an object, or of a context, was taken away.
static inline bool svb_gone(const struct svb_obj *o)
{
	const struct svb_ctx *c = o->kind->type == SVB_T_CTX ? SVB_OF(o, struct svb_ctx) : o->ctx;
	return __atomic_load_n(&c->dev->gone, __ATOMIC_RELAXED);
}
// svb_refused gives the errno that a call of v for an object ends with before anything else is looked at: EIO without a device,
// what the call is told to fail with, EINVAL for an object that is being destroyed, or 0. With svb_lock held.
static inline int svb_refused(const struct svb_obj *o, enum svb_verb v)
{
	if (!o || o->dying)
		return EINVAL;
	return svb_gone(o) ? EIO : svb_fails_locked(o->inst, v);
}
// svb_begin takes svb_lock and finds the object that a call of v is for. NULL when there is none; *err is what svb_refused gives.
SVB_HIDDEN void *svb_begin(const void *pub, enum svb_type t, enum svb_verb v, int *err);
// svb_destroy is all of a verb v that frees an object, unless something needs it. It may do so although the device is gone.
SVB_HIDDEN int svb_destroy(const void *pub, enum svb_type t, enum svb_verb v);
// svb_unimport frees a handle that nothing needs; the kernel keeps its object.
SVB_HIDDEN void svb_unimport(const void *pub, enum svb_type t);
#define SVB_DESTROYS(function, public, t, v) \
	int function(struct public *pub) { return svb_destroy(pub, t, v); }

// svb_zeroed returns memory, NULL after an error and with ENOMEM in *err.
SVB_HIDDEN void *svb_zeroed(size_t size, int *err);

// svb_new_obj returns an object of a context, which is all zero but for its struct svb_obj. NULL after an error and with ENOMEM in *err.
SVB_HIDDEN void *svb_new_obj(const struct svb_kind *k, struct svb_ctx *c, int *err);
// svb_enroll does the rest for an object that has its memory already: 0, or ENOMEM.
SVB_HIDDEN int svb_enroll(struct svb_obj *o, const struct svb_kind *k, struct svb_ctx *c);
SVB_HIDDEN void svb_need(struct svb_obj *o, struct svb_obj *other); // until o parts from all; other can be NULL
SVB_HIDDEN void svb_drop_obj(struct svb_obj *o); // as ibv_close_device does

// svb_made ends a verb that makes an object, which begins with its public struct: it gives svb_lock back. After an error the object is
// dropped: NULL + errno.
SVB_HIDDEN void *svb_made(void *whole, int err);

// svb_enter is svb_begin for a verb that takes the lock itself, later or not at all.
SVB_HIDDEN void *svb_enter(const void *pub, enum svb_type t, enum svb_verb v, int *err);
// svb_report gives the text of Leaks, one line each, to be freed with free().
SVB_HIDDEN char *svb_report(int slot); // without svb_lock

#endif
