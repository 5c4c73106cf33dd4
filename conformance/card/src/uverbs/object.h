// Contexts, which are open files of a device, and the objects in them.
//
// A descriptor of the file can go to another process, which then has a context of the same objects. The file itself has an entry for
// each handle. A process knows the objects that it made; others it makes out of the entry, when it is first asked for one, if it can: domains,
// regions and device memory.
//
// Linux 6.1, drivers/infiniband/core/rdma_core.c: an object's handle is the lowest free number of its file, counted from 0 (idr_add_uobj);
// a handle that is not there is ENOENT (lookup_get_idr_uobject), one of another type EINVAL (rdma_lookup_get_uobject); an object that
// others need is EBUSY when it is destroyed (ib_is_destroy_retryable and the usecnt of each type).
#ifndef CARD_OBJECT_H
#define CARD_OBJECT_H

#include <sys/queue.h>
#include <sys/stat.h>

#include "base.h"

struct context {
	LIST_ENTRY(context) link;
	ino_t inode;           // of the open file
	dev_t where;
	struct device *dev;
	uint8_t *pages;        // where those of the file begin
	struct channel *async; // of its asynchronous events, or NULL
	struct shared *shared;
	struct object **slots; // by handle: of this process
	uint32_t count;
};

struct object {
	struct context *ctx;
	void (*end)(struct object *); // releases it; called once, when nothing needs it
	struct object *needs[6];      // that it is a user of
	void *own;                    // what a provider has of it
	uint32_t handle;
	uint32_t number;              // by which the card knows it: no other of the process that made it has it
	int type;                     // UVERBS_OBJECT_*, or one of the provider
	uint32_t life;                // of the handle: behind that of the entry, the object is gone
	bool inherited;               // of the parent process, or made by another one
	uint64_t user;                // the number that the user half chose for it: events carry it
	uint32_t async_raised, comp_raised;
};

// context_new returns a context of a device, before its GET_CONTEXT. The descriptor is the open file: it has the pages that the provider
// answers for, each at the offset that a process maps it by, so that mmap works without this library too.
struct context *context_new(struct device *, int fd) HIDDEN;

// context_adopt returns a context of an open file of size bytes that another process made, or NULL.
struct context *context_adopt(int fd, off_t size) HIDDEN;

// context_turn has this process be the one that runs a command, or ends its turn.
void context_turn(struct context *, bool) HIDDEN;

// context_end releases a context with the objects of this process. Domains, regions and device memory stay in the file, for those who
// have it still.
void context_end(struct context *) HIDDEN;

// context_begun returns where a context says that it is usable.
bool *context_begun(const struct context *) HIDDEN;

// context_any reports whether there is a context; it takes no lock. context_at returns that of an open file, or NULL. context_each calls f,
// which may end it, with each.
bool context_any(void) HIDDEN;
struct context *context_at(const struct stat *) HIDDEN;
void context_each(void (*f)(struct context *)) HIDDEN;

// object_new makes an object of ctx, with which size bytes begin, and object_own makes what a provider has of it. object_drop undoes both,
// and forgets the events of the object. It is the end of an object that has no other. object_import makes the object of an entry that
// another process filled. object_done ends a command: one that failed has not made the object that it made.
void *object_new(struct context *, int type, size_t size, void (*end)(struct object *)) HIDDEN;
void *object_own(struct object *, size_t size) HIDDEN;
void object_import(struct context *, struct object *, uint32_t handle, void (*end)(struct object *)) HIDDEN;
void object_drop(struct object *) HIDDEN;
void object_done(int err) HIDDEN;

// object_needs has o need another object, or NULL. object_users counts the objects, of all processes, that need this one; object_use adds
// to that number, for one that needs many.
void object_use(struct object *, int by) HIDDEN;
void object_needs(struct object *o, void *other) HIDDEN;
int object_users(const struct object *) HIDDEN;

// object_facts returns what other processes need to know of an object: FACTS bytes in the entry. object_changed has them look anew.
enum { FACTS = 96 };
void *object_facts(const struct object *) HIDDEN;
void object_changed(struct object *) HIDDEN;

// object_life returns where the entry counts the lives of its handle: the object lives while that is its own.
const _Atomic uint32_t *object_life(const struct object *) HIDDEN;

// object_seek returns an object of a type, of any process, whose facts begin with a number, or NULL.
struct object *object_seek(int type, uint32_t number) HIDDEN;

// object_all looks up the objects of a type that other processes made.
void object_all(struct context *, int type) HIDDEN;

// object_replace puts o in the place of another object, which is freed.
void object_replace(struct object *o, struct object *other) HIDDEN;

// object_get looks up a handle for a command. object_find returns NULL if there is none of the type.
void *object_get(struct context *, int type, uint64_t handle) HIDDEN;
void *object_find(struct context *, int type, uint64_t handle) HIDDEN;

// object_unused refuses to end an object that others need. object_destroy ends that of a handle.
void object_unused(const struct object *) HIDDEN;
void object_destroy(struct context *, int type, uint64_t handle) HIDDEN;

// object_forked has the objects that there are be those of a parent process.
void object_forked(void) HIDDEN;

// object_each calls f with every object of a type, of all contexts, but not with those of a parent process.
void object_each(int type, void (*f)(struct object *, void *), void *arg) HIDDEN;

#endif
