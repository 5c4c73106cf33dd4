// Queue pairs and address handles, and what becomes of a queue pair: whose turn it is, errors, the flush.
#ifndef SVB_QP_H
#define SVB_QP_H

#include "completion.h"
#include "counters.h"
#include "receive.h"
#include "window.h"

#define SVB_MAX_INLINE 512
#define SVB_MAX_RD_ATOM 128
#define SVB_MLX5_RD_ATOM 16
#define SVB_ALL_OPS UINT64_MAX // a queue pair is not asked for some operations only
#define SVB_MLX5_BLOCKS 32768 // in a send queue, 64 bytes each
#define SVB_MAX_MEMBERS 56 // queue pairs in a multicast group
#define SVB_NEVER UINT64_MAX

struct svb_ah {
	struct ibv_ah pub;
	struct svb_obj obj;
	struct ibv_ah_attr attr;
};

struct svb_swr { // a send request; its SGEs or its inline bytes stand in the queue's own memory
	uint64_t wr_id, remote_addr, compare_add, swap;
	enum ibv_wr_opcode opcode;
	unsigned flags;
	__be32 imm;
	uint32_t rkey;
	uint64_t length; // bytes; a list of elements can have more than 32 bits count
	int nsge;
	struct ibv_ah_attr av; // UD
	uint32_t remote_qpn, remote_qkey;
	struct svb_bind bind;
	uint32_t remote_srqn; // XRC_SEND
	enum ibv_wc_status told; // what it is told to end with
};

struct svb_group { // of multicast
	union ibv_gid gid;
	uint16_t lid;
};

struct svb_stream;    // of wr.c
struct svb_domain;    // of xrc.h
struct svb_rwq_table; // of steer.h

// Operations that completion counters tell apart, by the number of their bit.
enum svb_counted_op { SVB_CO_SEND, SVB_CO_RECV, SVB_CO_READ, SVB_CO_READ_BY_PEER, SVB_CO_WRITE, SVB_CO_WRITE_BY_PEER, SVB_CO_N };

struct svb_qp {
	union {
		struct ibv_qp pub;
		struct ibv_qp_ex ex; // when it was made by ibv_create_qp_ex; it begins with pub
	};
	struct svb_stream *stream; // of an extended queue pair that was asked for requests, or NULL
	struct svb_obj obj; // users: flows, and multicast groups that it is in
	struct svb_dev *dev;
	struct svb_block block;
	TAILQ_ENTRY(svb_qp) link; // of its device
	LIST_ENTRY(svb_qp) alike; // of the same, by number
	struct svb_cq *scq, *rcq;
	struct svb_srq *srq; // NULL: its receives are in rq
	struct svb_rwq_table *table; // NULL: it receives itself
	struct ibv_qp_cap cap;
	struct svb_domain *domain; // of type XRC_RECV: of XRC
	int sig_all;
	enum ibv_qp_state state;
	struct ibv_qp_attr attr; // as modified so far
	struct svb_swr *sq;
	char *sdata; // per send request slot
	uint32_t slot, shead, scount;
	uint64_t sposted, sfreed; // mlx5: requests since RESET, and how many of them gave their place back
	uint64_t rposted, rfreed; // mlx5: the same of the receive queue
	bool hold;                // its completions wait
	bool up;                  // it was in RTS since RESET
	struct svb_recvq rq;
	uint32_t req_psn, resp_psn;
	// The request at the head of the send queue:
	bool started, stuck;
	bool silent; // requests lie in it that came in a state that takes none; the next post is what starts them
	uint8_t retries, rnr_retries; // left
	uint8_t rnr_code;             // how long the receiver asked to wait
	uint64_t retry_at, ready_at;  // CLOCK_MONOTONIC, ns: its timer, and the end of a wait that the receiver asked for
	uint64_t wake;                // when to look at it again
	uint64_t left;                // when the datagram or frame at the head left, by svb_stamp; 0: it has not, or is acknowledged
	bool drained;                 // SQ_DRAINED was reported since SQD
	unsigned busy; // requests under way from it or to it
	uint32_t async_reported;
	struct svb_group *groups;
	unsigned ngroups;
	struct svb_comp_cntr *counters[SVB_CO_N]; // of completions, by operation
};

struct svb_worker {
	pthread_t thread;
	pthread_cond_t work;
	bool stop;
	char bounce[65536];
};

// svb_reliable tells whether a message is answered.
static inline bool svb_reliable(const struct svb_qp *qp)
{
	return qp->pub.qp_type == IBV_QPT_RC || qp->pub.qp_type == IBV_QPT_XRC_SEND || qp->pub.qp_type == IBV_QPT_XRC_RECV;
}

static inline bool svb_is_atomic(enum ibv_wr_opcode op)
{
	return op == IBV_WR_ATOMIC_CMP_AND_SWP || op == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

// svb_length returns the bytes of all elements of a request, which has no more of them than its queue takes.
static inline uint64_t svb_length(const struct ibv_send_wr *wr)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		sum += wr->sg_list[i].length;
	return sum;
}

// svb_receives tells whether messages arrive at a queue pair.
static inline bool svb_receives(const struct svb_qp *qp)
{
	return !qp->obj.dying && (qp->state == IBV_QPS_RTR || qp->state == IBV_QPS_RTS || qp->state == IBV_QPS_SQD);
}

// svb_kick wakes the thread of a device, with svb_lock held.
static inline void svb_kick(struct svb_dev *d)
{
	if (d->worker)
		pthread_cond_signal(&d->worker->work);
}

// qpn.c: with svb_lock held
SVB_HIDDEN struct svb_qp *svb_qp_numbered(const struct svb_dev *d, uint32_t qpn); // NULL: none
SVB_HIDDEN uint32_t svb_qp_number(struct svb_dev *d); // that is free
SVB_HIDDEN void svb_qp_enter(struct svb_qp *qp);      // with its number, among those of its device
SVB_HIDDEN void svb_qp_leave(struct svb_qp *qp);

// late.c: with svb_lock held
// svb_qp_complete brings a completion of a queue pair into a completion queue, unless it is told to lose it or to let it wait.
SVB_HIDDEN bool svb_qp_complete(struct svb_qp *qp, struct svb_cq *cq, const struct svb_cqe *c); // false: overflow
// svb_late_run brings in what is due, and lowers *next to the time when the next one is.
SVB_HIDDEN void svb_late_run(struct svb_dev *d, uint64_t now, uint64_t *next);
SVB_HIDDEN void svb_late_release(struct svb_dev *d, uint32_t qpn); // those that wait until they are let go
SVB_HIDDEN void svb_late_forget(struct svb_cq *cq, uint32_t qpn); // 0: of all queue pairs
SVB_HIDDEN uint64_t svb_now(void); // CLOCK_MONOTONIC, ns

// turn.c: with svb_lock held
enum svb_turn { SVB_IDLE, SVB_FLUSH, SVB_DRAINED, SVB_TRY };
// svb_qp_turn says what is next for a queue pair. It lowers *next to the time at which to ask again.
SVB_HIDDEN enum svb_turn svb_qp_turn(const struct svb_qp *qp, uint64_t now, uint64_t *next);
SVB_HIDDEN void svb_qp_do(struct svb_qp *qp, enum svb_turn t); // SVB_FLUSH or SVB_DRAINED
// svb_qp_settle does at once what a new state asks for, if nothing is under way: the flush of ERR, the end of a drain.
SVB_HIDDEN void svb_qp_settle(struct svb_qp *qp);
SVB_HIDDEN void svb_qp_end(struct svb_qp *qp, enum ibv_wc_status status); // of the request at the head
SVB_HIDDEN void svb_qp_error(struct svb_qp *qp);
SVB_HIDDEN void svb_qp_wait(struct svb_qp *qp); // until nothing is under way; lets go of svb_lock

// limits.c: what mlx5 does otherwise than soft-RoCE, with svb_lock held but for the first
SVB_HIDDEN int svb_mlx5_caps(const struct ibv_qp_init_attr *a, uint64_t ops, struct ibv_qp_cap *given); // 0, or an errno
// svb_mlx5_srq_caps rounds what a shared receive queue is asked for; all is what ibv_query_srq says.
SVB_HIDDEN int svb_mlx5_srq_caps(struct ibv_srq_attr *a, bool xrc, uint32_t *all); // 0, or an errno
SVB_HIDDEN int svb_mlx5_send(const struct svb_qp *qp, const struct ibv_send_wr *wr);     // 0, or an errno
SVB_HIDDEN int svb_mlx5_modify(const struct ibv_qp_attr *a, int mask, enum ibv_qp_state from, enum ibv_qp_state to);
// svb_polled gives back the places of a request whose completion the program gets, and of those before it.
SVB_HIDDEN void svb_polled(struct svb_cq *cq, const struct svb_cqe *c);
// svb_cq_clean takes the completions of a queue pair out of its completion queues.
SVB_HIDDEN void svb_cq_clean(struct svb_qp *qp);

#endif
