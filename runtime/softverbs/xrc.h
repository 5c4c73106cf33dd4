// Extended reliable connections: the domains, and the queue pairs in them that several handles share.
#ifndef SVB_XRC_H
#define SVB_XRC_H

#include "qp.h"

struct svb_domain { // of a kernel: one for each inode
	unsigned xrcds; // that are open
	bool shared;    // of an inode
	dev_t st_dev;
	ino_t st_ino;
};

struct svb_xrcd {
	struct ibv_xrcd pub;
	struct svb_obj obj; // users: shared receive queues, and handles of queue pairs
	struct svb_domain *domain;
};

// svb_has_xrc tells whether a device has extended reliable connections.
static inline bool svb_has_xrc(const struct svb_dev *d) { return d->cfg.cap_flags & (1u << 20); }

// srqn.c: with svb_lock held
// svb_srq_numbered finds a queue of a domain, or, with NULL, of any. NULL: none.
SVB_HIDDEN struct svb_srq *svb_srq_numbered(const struct svb_dev *d, const struct svb_domain *domain, uint32_t num);
SVB_HIDDEN uint32_t svb_srq_number(struct svb_dev *d); // that is free

#endif
