#ifndef DPTEST_PROVIDER_H
#define DPTEST_PROVIDER_H

#include <stddef.h>
#include <stdint.h>
#include "../../../verbs_abi.h"

enum { DP_SLOTS = 256, DP_SGES = 4, DP_NO_ERRNO = 1 << 20 };

// What posts do beyond answering.
enum dp_how { DP_NOTHING, DP_WALK, DP_RECORD, DP_PAUSE, DP_LINGER };

// One request as C understood it.
struct dp_seen {
	uint64_t id, remote, compare, swap;
	uint32_t opcode, flags, imm, rkey, atomic_rkey, qpn, qkey;
	uint64_t ah;
	int num;
	struct ibv_sge sges[DP_SGES];
};

// A queue entry of a device: what walking posts write and full polls read.
struct dp_entry {
	uint64_t id, remote, addr;
	uint32_t opcode, flags, rkey, length, lkey, imm;
	uint32_t pad[4];
};

struct dp_provider {
	struct ibv_context context;
	struct ibv_qp qp;
	struct ibv_cq cq;
	struct ibv_srq srq;
	struct ibv_wq wq;
	struct ibv_comp_channel channel;
	int feed; // end of the channel's pipe that events are written to
	int feed_async; // the same of the context's asynchronous events

	enum dp_how how;
	int refuse;      // number of the request that is refused, -1 none
	int code;        // answer of a post that refuses, of a notify
	int err;         // errno it leaves
	int silent;      // does not set the bad request
	uint64_t astray; // is given as bad request when not 0
	long posts, polls, notifies;
	int inside, resume; // posts that pause, and whether they go on; atomic
	int solicited; // argument of the last notify
	int seen_count;
	struct dp_seen seen[DP_SLOTS];
	struct dp_entry queue[DP_SLOTS];
	unsigned int head;

	int ready;   // completions there are
	int forever; // completions do not become fewer
	int empty;   // polls that find nothing before that
	int answer;  // of a poll, when below 0
	int beyond;  // is added to the answer
	struct ibv_wc wcs[DP_SLOTS];

	unsigned int acked;
	int event_err; // errno of the next get_cq_event, if not 0
	int async_err; // and of the next get_async_event
};

struct dp_provider *dp_new(void);
void dp_free(struct dp_provider *p);
void dp_complete(struct dp_provider *p, int slot, uint64_t id);
void dp_idle(struct dp_provider *p);
unsigned int dp_acked(struct dp_provider *p);
void dp_feed(struct dp_provider *p, struct ibv_cq *cq, int times);
void dp_feed_async(struct dp_provider *p, int type, uintptr_t element);
struct ibv_async_event dp_acked_async(void);
uintptr_t dp_async_element(struct ibv_async_event e);
int dp_inside(struct dp_provider *p);
void dp_resume(struct dp_provider *p, int go);

// Functions of the library, for events of completion queues and of devices.
struct dp_functions {
	uintptr_t get_event, ack_events, get_async, ack_async;
};
extern const struct dp_functions dp_functions;

// A queue pair or a completion queue, which both begin with their context, in a page that nobody can access any more once it is destroyed.
void *dp_mortal(struct dp_provider *p);
int dp_destroy(void *queue);

// Contestants of the benchmark: what a program in C does, times over.
void dp_loop_built(struct dp_provider *p, int n, long times);
void dp_loop_both(struct dp_provider *p, int n, int room, long times);
uint64_t dp_loop_poll(struct dp_provider *p, int n, long times);
int dp_loop_spin(struct dp_provider *p, int n, int tries, long times);

// Two threads that use a batch at once. What each writes alone is on lines of its own.
struct dp_exclude {
	uintptr_t use; // of the batch
	size_t size;   // of it, in bytes
	int holder __attribute__((aligned(64))); // number of the thread that uses the batch, from 1 on
	int64_t count;                           // of uses
	struct {
		int64_t step __attribute__((aligned(64)));
		int64_t used, wrong;
	} at[2];
};

// Runs thread 0 or 1.
void dp_exclude(struct dp_exclude *x, int who, int64_t rounds);

#endif
