// Completion channels and queues, and the events of a context.
#ifndef SVB_COMPLETION_H
#define SVB_COMPLETION_H

#include "objects.h"

#define SVB_MAX_CQE 32767

struct svb_chan {
	struct ibv_comp_channel pub;
	struct svb_obj obj;
	STAILQ_HEAD(, svb_cq) ready; // completion queues with events that nobody got yet
};

enum svb_notify { SVB_QUIET, SVB_SOLICITED, SVB_NEXT };

struct svb_cqe {
	struct ibv_wc wc;
	uint64_t at;  // CLOCK_REALTIME, ns; 0: when the entry comes into the queue
	uint32_t tag; // of the flow by which it came; 0: none
	uint64_t seq; // place of the request among those of its send queue, from 1; 0: of a receive queue
	bool solicited;
};

struct svb_cq {
	union {
		struct ibv_cq pub;
		struct ibv_cq_ex ex; // when it was made by ibv_create_cq_ex; it begins like pub
	};
	pthread_mutex_t polling; // of the extended queue, from start_poll to end_poll
	bool careless;           // a completion that finds no room is lost, and nobody hears of it
	struct svb_cqe current;  // the entry that its functions read
	struct svb_obj obj;      // users: ends of queue pairs, and work queues
	struct svb_chan *chan;
	STAILQ_ENTRY(svb_cq) link; // in chan->ready while pending is not 0
	struct svb_cqe *ring;
	uint32_t size, head, count;
	enum svb_notify notify;
	uint32_t pending;                       // completion events that nobody got yet
	uint32_t comp_reported, async_reported; // events that the program got, and owes an acknowledgement for
};

struct svb_event { // asynchronous
	STAILQ_ENTRY(svb_event) link;
	struct ibv_async_event ev;
	uint32_t *reported; // the count of its object; NULL: it is about a port
};

// event.c: with svb_lock held
// svb_async reports an event of an object, which counts in *reported those that the program got.
SVB_HIDDEN void svb_async(struct svb_ctx *c, enum ibv_event_type t, void *element, uint32_t *reported);
SVB_HIDDEN void svb_async_port(struct svb_ctx *c, enum ibv_event_type t, int port);
SVB_HIDDEN bool svb_async_pop(struct svb_ctx *c, struct ibv_async_event *ev); // false: none waits
SVB_HIDDEN int svb_async_lost(struct svb_ctx *c); // ENOMEM once after events for which there was no memory
SVB_HIDDEN void svb_async_forget(struct svb_ctx *c, const void *element);
SVB_HIDDEN void svb_async_free(struct svb_ctx *c);
// svb_ring has a descriptor of events be readable, svb_silence no longer.
SVB_HIDDEN void svb_ring(int fd);
SVB_HIDDEN void svb_silence(int fd);
// svb_wait_fd waits until the descriptor can be read: 0, or an errno (EAGAIN when it is non-blocking). Without svb_lock.
SVB_HIDDEN int svb_wait_fd(int fd);
// svb_wait_acks waits until the program has acknowledged all events that it got of an object. Without svb_lock.
SVB_HIDDEN void svb_wait_acks(pthread_mutex_t *mutex, pthread_cond_t *cond, const uint32_t *completed, uint32_t reported);
// svb_acknowledge counts n of them, and wakes who waits.
SVB_HIDDEN void svb_acknowledge(pthread_mutex_t *mutex, pthread_cond_t *cond, uint32_t *completed, uint32_t n);

// completion.c: with svb_lock held
SVB_HIDDEN uint64_t svb_stamp(void); // the time of a completion
SVB_HIDDEN bool svb_complete(struct svb_cq *cq, const struct svb_cqe *c); // false: overflow
SVB_HIDDEN struct svb_cq *svb_chan_pop(struct svb_chan *ch); // NULL: no event waits
SVB_HIDDEN void svb_chan_forget(struct svb_cq *cq);

#endif
