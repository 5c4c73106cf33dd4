// Contexts, which are open files of a device, and the objects in them.
//
// Linux 6.1, drivers/infiniband/core/rdma_core.c: an object's handle is the lowest free number of its file, counted from 0 (idr_add_uobj);
// a handle that is not there is ENOENT (lookup_get_idr_uobject), one of another type EINVAL (rdma_lookup_get_uobject); an object that
// others need is EBUSY when it is destroyed (ib_is_destroy_retryable and the usecnt of each type).
#ifndef CARD_OBJECT_H
#define CARD_OBJECT_H

#include "base.h"

struct context;
struct channel;

struct object {
	struct context *ctx;
	void (*end)(struct object *); // releases it; called once, when nothing needs it
	uint32_t handle;
	int type;                     // UVERBS_OBJECT_*, or one of the provider
	bool inherited;               // of the parent process
	int users;                    // objects that need it
	uint64_t user;                // the number that the user half chose for it: events carry it
	uint32_t async_raised, comp_raised;
};

// context_new returns a context of a device, before its GET_CONTEXT. The descriptor is the open file: it has the pages that the provider
// answers for, each at the offset that a process maps it by, so that mmap works without this library too.
struct context *context_new(struct device *, int fd) HIDDEN;

// context_end releases a context with all its objects.
void context_end(struct context *) HIDDEN;

struct device *context_device(const struct context *) HIDDEN;

// context_pages returns where the pages of the open file begin.
uint8_t *context_pages(const struct context *) HIDDEN;

// context_begin makes a context usable; it returns EINVAL the second time. context_begun reports whether it was.
int context_begin(struct context *) HIDDEN;
bool context_begun(const struct context *) HIDDEN;

// The channel of the context's asynchronous events, or NULL.
struct channel **context_async(struct context *) HIDDEN;

// context_any reports whether there is a context; context_each calls f with each.
bool context_any(void) HIDDEN;
void context_each(void (*f)(struct context *)) HIDDEN;

// object_add makes an object of ctx; object_drop undoes that and frees the memory that begins with it.
int object_add(struct context *, struct object *, int type, void (*end)(struct object *)) HIDDEN;
void object_drop(struct object *) HIDDEN;

// object_replace puts o in the place of another object, which is freed.
void object_replace(struct object *o, struct object *other) HIDDEN;

// object_get looks up a handle. The error is in *err.
void *object_get(struct context *, int type, uint64_t handle, int *err) HIDDEN;

// object_destroy ends the object of a handle.
int object_destroy(struct context *, int type, uint64_t handle) HIDDEN;

// object_forked has the objects that there are be those of a parent process.
void object_forked(void) HIDDEN;

// object_each calls f with every object of a type, of all contexts, but not with those of a parent process.
void object_each(int type, void (*f)(struct object *, void *), void *arg) HIDDEN;

#endif
