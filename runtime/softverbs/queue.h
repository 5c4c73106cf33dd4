// Queues: completion channels and queues, queue pairs, address handles, and the thread of each device that executes
// work requests. All of it is guarded by svb_lock, like the rest; bytes are moved without it, by whoever holds busy counts
// on the regions and queue pairs that take part.
#ifndef SVB_QUEUE_H
#define SVB_QUEUE_H

#include <sys/queue.h>

#include "svb.h"
#include "peer.h"

#define SVB_MAX_SGE 32
#define SVB_MAX_INLINE 512
#define SVB_MAX_WR (1u << 20)
#define SVB_MAX_CQE 32767
#define SVB_MAX_RD_ATOM 128
#define SVB_GRH 40
#define SVB_GIDS 2         // filled entries of a port's table
#define SVB_GID_TABLE 1024 // entries
#define SVB_NEVER UINT64_MAX

struct svb_chan {
	struct ibv_comp_channel pub;
	struct svb_obj obj;
	STAILQ_HEAD(, svb_cq) ready; // completion queues with events that nobody got yet
};

enum svb_notify { SVB_QUIET, SVB_SOLICITED, SVB_NEXT };

struct svb_cq {
	struct ibv_cq pub;
	struct svb_obj obj;
	struct svb_kobj k;
	struct svb_chan *chan;
	STAILQ_ENTRY(svb_cq) link; // in chan->ready while pending is not 0
	struct ibv_wc *ring;
	uint32_t size, head, count;
	enum svb_notify notify;
	unsigned users;                         // ends of queue pairs
	uint32_t pending;                       // completion events that nobody got yet
	uint32_t comp_reported, async_reported; // events that the program got, and owes an acknowledgement for
	bool dying;
};

struct svb_event { // asynchronous
	STAILQ_ENTRY(svb_event) link;
	struct ibv_async_event ev;
};

struct svb_ah {
	struct ibv_ah pub;
	struct svb_obj obj;
	struct svb_kobj k;
	struct svb_kpd *pd;
	struct svb_pd *holder; // parent domain, or NULL
	struct ibv_ah_attr attr;
};

struct svb_swr { // a send request; its SGEs or its inline bytes stand in the queue's own memory
	uint64_t wr_id, remote_addr, compare_add, swap;
	enum ibv_wr_opcode opcode;
	unsigned flags;
	__be32 imm;
	uint32_t rkey, length;
	int nsge;
	struct ibv_ah_attr av; // UD
	uint32_t remote_qpn, remote_qkey;
};

struct svb_rwr {
	uint64_t wr_id;
	int nsge;
};

struct svb_qp {
	struct ibv_qp pub;
	struct svb_obj obj;
	struct svb_kobj k;
	struct svb_dev *dev;
	struct svb_kpd *pd;
	struct svb_pd *holder; // parent domain, or NULL
	struct svb_block block;
	TAILQ_ENTRY(svb_qp) link; // of its device
	struct svb_cq *scq, *rcq;
	struct ibv_qp_cap cap;
	int sig_all;
	enum ibv_qp_state state;
	struct ibv_qp_attr attr; // as modified so far
	struct svb_swr *sq;
	char *sdata; // per send request slot
	uint32_t slot, shead, scount;
	struct svb_rwr *rq;
	struct ibv_sge *rsge;
	uint32_t rhead, rcount;
	uint32_t req_psn, resp_psn;
	// The request at the head of the send queue:
	bool started, stuck;
	bool silent; // requests lie in it that came in a state that takes none; the next post is what starts them
	uint8_t retries, rnr_retries; // left
	uint8_t rnr_code;             // how long the receiver asked to wait
	uint64_t retry_at, ready_at;  // CLOCK_MONOTONIC, ns: its timer, and the end of a wait that the receiver asked for
	uint64_t wake;                // when to look at it again
	bool drained;                 // SQ_DRAINED was reported since SQD
	bool dying;
	unsigned busy; // requests under way from it or to it
	uint32_t async_reported;
};

struct svb_worker {
	pthread_t thread;
	pthread_cond_t work;
	bool stop;
	char bounce[65536];
};

// A stretch of memory that takes part in an operation.
struct svb_piece {
	struct svb_kmr *mr; // its busy count is raised; NULL: not of a region
	enum svb_where where;
	char *at;
	uint64_t length;
};

struct svb_list {
	int n;
	struct svb_piece p[SVB_MAX_SGE + 1];
};

// piece.c. take and drop with svb_lock held, the others without.
// svb_take answers 0, EINVAL without such a key, right or PD (NULL: any), EFAULT out of bounds.
SVB_HIDDEN int svb_take(struct svb_dev *d, uint32_t key, bool remote, uint64_t addr, uint64_t length, uint32_t access,
			const struct svb_kpd *pd, struct svb_piece *p);
SVB_HIDDEN int svb_take_sges(struct svb_dev *d, const struct svb_kpd *pd, const struct ibv_sge *s, int n, uint64_t length,
			     uint32_t access, struct svb_list *l);
SVB_HIDDEN void svb_list_add(struct svb_list *l, void *ours, uint64_t length);
SVB_HIDDEN void svb_drop(struct svb_piece *p);
SVB_HIDDEN void svb_list_drop(struct svb_list *l);
enum svb_copied { SVB_COPIED, SVB_NO_SOURCE, SVB_NO_TARGET };
SVB_HIDDEN enum svb_copied svb_list_copy(const struct svb_list *from, const struct svb_list *to, char *bounce, size_t size);
SVB_HIDDEN bool svb_copy_host(char *at, void *buf, uint64_t n, bool write);
SVB_HIDDEN bool svb_atomic(const struct svb_piece *p, bool add, uint64_t a, uint64_t b, uint64_t *old);

// chan.c
SVB_HIDDEN void svb_chan_push(struct svb_cq *cq);   // with svb_lock held
SVB_HIDDEN void svb_chan_forget(struct svb_cq *cq); // with svb_lock held
// svb_wait_fd waits until the descriptor can be read: 0, or an errno (EAGAIN when it is non-blocking).
SVB_HIDDEN int svb_wait_fd(int fd);

// async.c
SVB_HIDDEN void svb_async(struct svb_ctx *c, enum ibv_event_type t, void *element, int port); // with svb_lock held
SVB_HIDDEN void svb_async_forget(struct svb_ctx *c, const void *element);                     // with svb_lock held
SVB_HIDDEN void svb_async_free(struct svb_ctx *c);                                             // with svb_lock held
SVB_HIDDEN int svb_set_port(int slot, const char *device, unsigned port, bool up);

// cq.c
SVB_HIDDEN struct svb_cq *svb_find_cq(const struct ibv_cq *cq); // with svb_lock held
SVB_HIDDEN bool svb_complete(struct svb_cq *cq, const struct ibv_wc *wc, bool solicited); // with svb_lock held; false: overflow
SVB_HIDDEN void svb_cq_free(struct svb_cq *cq); // what ibv_close_device finds; with svb_lock held

// qp.c
SVB_HIDDEN struct svb_qp *svb_find_qp(const struct ibv_qp *qp);                    // with svb_lock held
SVB_HIDDEN struct svb_qp *svb_qp_numbered(const struct svb_dev *d, uint32_t qpn); // with svb_lock held
SVB_HIDDEN void svb_qp_wait(struct svb_qp *qp); // until nothing is under way; lets go of svb_lock
SVB_HIDDEN void svb_qp_free(struct svb_qp *qp); // what ibv_close_device finds; with svb_lock held

// qpstate.c, transition.c
SVB_HIDDEN bool svb_transition(enum ibv_qp_type t, enum ibv_qp_state from, enum ibv_qp_state to, int mask);
SVB_HIDDEN void svb_qp_error(struct svb_qp *qp); // with svb_lock held

// post.c

// gid.c
SVB_HIDDEN bool svb_gid(const struct svb_dev *d, unsigned port, unsigned index, union ibv_gid *g);
SVB_HIDDEN struct svb_dev *svb_dev_of_gid(struct svb_inst *in, const union ibv_gid *g, unsigned *port); // NULL: nobody
SVB_HIDDEN int svb_check_av(struct svb_dev *d, const struct ibv_ah_attr *a);

// ah.c
SVB_HIDDEN struct svb_ah *svb_find_ah(const struct ibv_ah *ah); // with svb_lock held
SVB_HIDDEN void svb_ah_free(struct svb_ah *ah);                 // with svb_lock held

// worker.c: with svb_lock held
SVB_HIDDEN int svb_worker_start(struct svb_dev *d); // 0 also when it runs already
SVB_HIDDEN void svb_kick(struct svb_dev *d);
// svb_qp_settle does at once what a new state asks for, if nothing is under way: the flush of ERR, the end of a drain.
SVB_HIDDEN void svb_qp_settle(struct svb_qp *qp);
SVB_HIDDEN void svb_worker_stop(struct svb_dev *d); // lets go of the lock
SVB_HIDDEN uint64_t svb_now(void);

// request.c, respond.c: with svb_lock held, which they may let go of
enum svb_fate { SVB_ENDED, SVB_UNANSWERED, SVB_NOT_READY, SVB_STUCK };
SVB_HIDDEN enum svb_fate svb_request(struct svb_qp *qp, const struct svb_swr *r, char *data, struct svb_worker *w,
				     enum ibv_wc_status *status);
struct svb_message { // on its way to a queue pair
	struct svb_qp *from, *to;
	const struct svb_swr *r;
	struct svb_list source; // bytes that are sent
	struct ibv_grh grh;     // UD
	struct svb_worker *w;
};
SVB_HIDDEN enum svb_fate svb_respond(struct svb_message *m, enum ibv_wc_status *status);

#endif
