// Receive requests: queues of them, of one queue pair or shared by several.
#ifndef SVB_RECEIVE_H
#define SVB_RECEIVE_H

#include "domain.h"
#include "piece.h"

#define SVB_MAX_WR (1u << 20)
#define SVB_MAX_SRQ_SGE 27

struct svb_xrcd; // of xrc.h

struct svb_recvq {
	struct svb_recv *wr;
	struct ibv_sge *sge; // max_sge of them for each request
	uint32_t max_wr, max_sge, head, count;
};

struct svb_recv {
	uint64_t wr_id;
	int nsge;
};

struct svb_receive { // a request that was taken off its queue
	bool taken;
	uint64_t wr_id;
	struct ibv_sge sge[SVB_MOST_SGE];
	int nsge;
};

struct svb_srq {
	struct ibv_srq pub;
	struct svb_obj obj; // users: queue pairs
	struct svb_recvq q;
	uint32_t told;  // the size that ibv_query_srq says
	uint32_t limit; // with fewer requests than this, an event is reported; 0: none is
	uint32_t async_reported;
	// Of type XRC:
	struct svb_xrcd *xrcd; // NULL: it is of another type
	struct svb_cq *cq;
	uint32_t num;
	unsigned busy; // messages under way into it
	TAILQ_ENTRY(svb_srq) link; // of its device
};

// svb_ring_size gives the size of a ring with room for so many requests: one less than a power of two, as soft-RoCE makes it.
static inline uint32_t svb_ring_size(uint32_t asked)
{
	uint32_t n = 1;

	while (n < asked + 1)
		n *= 2;
	return n - 1 ? n - 1 : 1;
}

// receive.c: with svb_lock held, where others know the queue
// svb_recvq_make gives room for max_wr requests or some more: 0, or ENOMEM.
SVB_HIDDEN int svb_recvq_make(struct svb_recvq *q, uint32_t max_wr, uint32_t max_sge);
SVB_HIDDEN int svb_recvq_exact(struct svb_recvq *q, uint32_t max_wr, uint32_t max_sge); // no room for more
SVB_HIDDEN void svb_recvq_free(struct svb_recvq *q);
SVB_HIDDEN int svb_recvq_resize(struct svb_recvq *q, uint32_t max_wr); // 0, ENOMEM, or EINVAL with more requests in it
SVB_HIDDEN int svb_recvq_post(struct svb_recvq *q, const struct ibv_recv_wr *wr); // 0, or an errno
SVB_HIDDEN bool svb_recvq_take(struct svb_recvq *q, struct svb_receive *r);       // false: there is none
SVB_HIDDEN void svb_recvq_give_back(struct svb_recvq *q, struct svb_receive *r);  // to its head, if there is room
// svb_srq_used looks at the limit after a request was used.
SVB_HIDDEN void svb_srq_used(struct svb_srq *srq);

#endif
