// Protection, thread and parent domains, and memory from the allocator of a parent domain.
#ifndef SVB_DOMAIN_H
#define SVB_DOMAIN_H

#include "objects.h"

struct svb_td {
	struct ibv_td pub;
	struct svb_obj obj; // users: parent domains
};

// One piece of memory from the allocator of a parent domain, or from ours. It is needed at the end, so the block is a user of the domain.
struct svb_block {
	struct svb_pd *holder; // NULL: there is no block
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

// svb_pd_join puts an object into a domain: 0, or an errno. With svb_lock held.
static inline int svb_pd_join(struct svb_pd *pd, struct svb_obj *o)
{
	struct svb_kpd *kpd = svb_handle_get(pd->obj.ctx->file, pd->pub.handle, SVB_K_PD);

	if (!kpd)
		return ENOENT;
	o->kpd = kpd;
	kpd->users++;
	svb_need(o, pd->inner ? &pd->obj : NULL);
	return 0;
}

// block.c: get, give and put without svb_lock, drop with it
// svb_block_get holds a domain for an object, if it is a parent domain, and gets size bytes of its allocator, if size is not 0: 0, or an
// errno. b is all zero.
SVB_HIDDEN int svb_block_get(struct svb_pd *pd, uint32_t code, size_t size, struct svb_block *b);
SVB_HIDDEN void svb_block_give(struct svb_pd *pd, struct svb_block *b); // the memory alone
SVB_HIDDEN void svb_block_put(struct svb_block *b);
SVB_HIDDEN void svb_block_drop(struct svb_block *b); // does without a call of the allocator

#endif
