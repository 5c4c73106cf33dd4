// Protection, thread and parent domains, and memory from the allocator of a parent domain.
#ifndef SVB_DOMAIN_H
#define SVB_DOMAIN_H

#include "objects.h"

struct svb_td {
	struct ibv_td pub;
	struct svb_obj obj; // users: parent domains
};

// One piece of memory from the allocator of a parent domain, or from ours.
struct svb_block {
	void *ptr;
	uint64_t resource;
	bool custom; // came from the caller's allocator
};

struct svb_left {
	struct svb_left *next;
	struct svb_block block;
};

struct svb_pd {
	struct ibv_pd pub;
	struct svb_obj obj;    // users: parent domains over it, buffers; of a parent domain also its regions
	struct svb_pd *inner;  // set: this is a parent domain
	struct svb_td *td;
	void *(*alloc)(struct ibv_pd *, void *, size_t, size_t, uint64_t);
	void (*free)(struct ibv_pd *, void *, void *, uint64_t);
	void *arg;
	bool unprotected;      // its buffers are shared memory
	struct svb_left *left; // blocks of regions that moved to another domain
};

struct svb_buf {
	struct svb_obj obj;
	struct svb_pd *pd;
	void *addr;
	size_t size, mapped;
	int fd; // of shared memory, or -1
};

// What an object is in: the domain of a kernel, and the parent domain, or NULL.
struct svb_within {
	struct svb_kpd *pd;
	struct svb_pd *holder;
};

// svb_pd_join gives an object a handle, and puts it into a domain: 0, or an errno. svb_pd_part takes it out. With svb_lock held.
static inline int svb_pd_join(struct svb_pd *pd, struct svb_within *in, struct svb_kobj *k, enum svb_ktype t)
{
	struct svb_file *f = pd->obj.ctx->file;
	struct svb_kobj *kpd = svb_handle_get(f, pd->pub.handle, SVB_K_PD);
	const int err = kpd ? svb_handle_add(f, k, t) : ENOENT;

	if (err)
		return err;
	*in = (struct svb_within){SVB_K(kpd, struct svb_kpd), pd->inner ? pd : NULL};
	in->pd->queues++;
	if (in->holder)
		in->holder->obj.users++;
	return 0;
}

static inline void svb_pd_part(struct svb_within *in, struct svb_file *f, const struct svb_kobj *k)
{
	svb_handle_drop(f, k->handle);
	in->pd->queues--;
	if (in->holder)
		in->holder->obj.users--;
}

// block.c: without svb_lock
SVB_HIDDEN int svb_block_get(struct svb_pd *pd, uint32_t code, size_t size, struct svb_block *b);
SVB_HIDDEN void svb_block_put(struct svb_pd *pd, struct svb_block *b);

#endif
