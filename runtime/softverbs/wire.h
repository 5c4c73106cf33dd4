// A request on its way from one queue pair to another. With svb_lock held, which both sides may let go of.
#ifndef SVB_WIRE_H
#define SVB_WIRE_H

#include "qp.h"

#define SVB_GRH 40

enum svb_fate { SVB_ENDED, SVB_UNANSWERED, SVB_NOT_READY, SVB_STUCK };

struct svb_message { // on its way to a queue pair
	struct svb_qp *from, *to;
	const struct svb_swr *r;
	struct svb_srq *srq;    // it is received into; NULL: into the queue pair's own
	struct svb_list source; // bytes that are sent
	struct ibv_grh grh;     // UD
	uint32_t tag;           // of the flow by which a frame came
	struct svb_worker *w;
};

// svb_streamed tells whether only a stream of commands posts a request: a flush, or a write of 8 bytes that is atomic.
static inline bool svb_streamed(enum ibv_wr_opcode op)
{
	return op == IBV_WR_FLUSH || op == IBV_WR_ATOMIC_WRITE;
}

// svb_reads tells whether a request takes one of the places that max_rd_atomic and max_dest_rd_atomic count.
static inline bool svb_reads(enum ibv_wr_opcode op)
{
	return op == IBV_WR_RDMA_READ || op == IBV_WR_ATOMIC_WRITE || svb_is_atomic(op);
}

// request.c
SVB_HIDDEN enum svb_fate svb_request(struct svb_qp *qp, const struct svb_swr *r, char *data, struct svb_worker *w,
				     enum ibv_wc_status *status);

// respond.c
SVB_HIDDEN enum svb_fate svb_respond(struct svb_message *m, enum ibv_wc_status *status);

// raw.c: a frame to whom flows say
SVB_HIDDEN enum svb_fate svb_raw(struct svb_message *m, enum ibv_wc_status *status);

// spread.c: a datagram to a group, of which each member gets a copy
SVB_HIDDEN enum svb_fate svb_spread(struct svb_message *m, enum ibv_wc_status *status);

#endif
