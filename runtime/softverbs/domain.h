// Protection, thread and parent domains, and memory from the allocator of a parent domain.
#ifndef SVB_DOMAIN_H
#define SVB_DOMAIN_H

#include "objects.h"

struct svb_td {
	struct ibv_td pub;
	struct svb_obj obj;
	unsigned users; // parent domains
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
	struct svb_obj obj;
	unsigned users;        // parent domains over it, buffers; of a parent domain also its regions
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

// svb_find_buf: with svb_lock held; NULL: none that lives
static inline struct svb_buf *svb_find_buf(const struct ibv_buf *pub)
{
	struct svb_obj *o = svb_find(pub, SVB_T_BUF);
	return o ? SVB_OF(o, struct svb_buf) : NULL;
}

// svb_find_pd: with svb_lock held; NULL: none that lives
static inline struct svb_pd *svb_find_pd(const struct ibv_pd *pub)
{
	struct svb_obj *o = svb_find(pub, SVB_T_PD);
	return o ? SVB_OF(o, struct svb_pd) : NULL;
}

// block.c: without svb_lock
SVB_HIDDEN int svb_block_get(struct svb_pd *pd, uint32_t code, size_t size, struct svb_block *b);
SVB_HIDDEN void svb_block_put(struct svb_pd *pd, struct svb_block *b);

#endif
