// The other end of a connection, which reaches registered memory by key and address.
#ifndef SVB_PEER_H
#define SVB_PEER_H

#include "base.h"

struct svb_dev;
struct svb_peer;

enum svb_rdma_op { SVB_RDMA_WRITE, SVB_RDMA_READ, SVB_RDMA_FETCH_ADD, SVB_RDMA_CMP_SWAP };

struct svb_rdma {
	enum svb_rdma_op op;
	uint32_t rkey;
	uint64_t addr;   // remote address
	void *buf;       // of WRITE and READ
	uint64_t length; // bytes in buf
	uint64_t a, b;   // FETCH_ADD: a is added; CMP_SWAP: b is stored where a is found
	uint64_t old;    // answer of the atomics
};

struct svb_stress_report {
	uint64_t passes; // complete ones
	int status;      // of the last pass: IBV_WC_SUCCESS, or what ended it
};

// svb_rdma_run does one operation in this thread and answers a status of enum ibv_wc_status.
SVB_HIDDEN int svb_rdma_run(struct svb_dev *d, struct svb_rdma *r);

// svb_peer_start makes a peer of a device (name "": the first of the list); NULL + errno.
SVB_HIDDEN struct svb_peer *svb_peer_start(int slot, const char *device);
SVB_HIDDEN void svb_peer_stop(struct svb_peer *p);
// svb_peer_op does one operation; buf changes only if it succeeds. A status of enum ibv_wc_status, or -errno.
SVB_HIDDEN int svb_peer_op(struct svb_peer *p, int op, uint32_t rkey, uint64_t addr, void *buf, uint64_t length, uint64_t a, uint64_t b,
			   uint64_t *old);
// svb_peer_stress starts writing patterns, pass after pass: byte i of pass n is n + i. EBUSY: it does already.
SVB_HIDDEN int svb_peer_stress(struct svb_peer *p, uint32_t rkey, uint64_t addr, uint64_t length);
// svb_peer_report tells how it goes. EINVAL: there is none.
SVB_HIDDEN int svb_peer_report(struct svb_peer *p, struct svb_stress_report *r);
// svb_peer_calm ends it after the pass at hand.
SVB_HIDDEN int svb_peer_calm(struct svb_peer *p, struct svb_stress_report *r);

#endif
