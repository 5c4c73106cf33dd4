// Posts of requests, for post_cgo.go.
#ifndef VERBSGEN_DPATH_POST_H
#define VERBSGEN_DPATH_POST_H

// Answers go through pointers because cgo looks up the stack twice for a function that has a result.
struct verbsgen_dpath_posted {
	uintptr_t bad; // the request that was refused
	int code;      // 0, an errno or VERBSGEN_GATE_CLOSED
};

// A positive answer is an errno. Providers exist that answer -1 and set errno, and that answer an errno with a minus.
static int verbsgen_dpath_errno(int code)
{
	if (code == -1)
		return errno > 0 ? errno : EIO;
	return code < 0 ? -code : code;
}

// What addresses have in common is that posts use them beside their queue pair.
static const uintptr_t verbsgen_dpath_addresses;

static uintptr_t *verbsgen_dpath_all_addresses(void) { return (uintptr_t *)&verbsgen_dpath_addresses; }

// Results of a post besides those of a gate: see fail.ErrnoAddressClosed and the constants after it.
enum { VERBSGEN_DPATH_ADDRESS_CLOSED = 0x10003, VERBSGEN_DPATH_NO_ADDRESS, VERBSGEN_DPATH_OTHER_DEVICE,
	VERBSGEN_DPATH_WINDOW_CLOSED, VERBSGEN_DPATH_WINDOW_DEVICE, VERBSGEN_DPATH_SHARED };

enum { VERBSGEN_DPATH_RAW = 1 }; // rawAddress of address.go

struct verbsgen_dpath_entry { // entry of address.go
	uint64_t serial;
	uintptr_t object;
};

struct verbsgen_dpath_to { // the fields entry and serial of a request
	uintptr_t entry;
	uint64_t serial;
};

#include "use.h"
#include "window.h"
#include "ops.h"
#include "more.h"

// Says why a request must not be posted on a UD queue pair, whose provider follows the address of its handle.
static int verbsgen_dpath_misaddressed(const struct ibv_qp *q, const struct ibv_send_wr *wr)
{
	const struct verbsgen_dpath_to *to = (const struct verbsgen_dpath_to *)((const char *)wr + offsetof(struct ibv_send_wr, bind_mw));
	const struct verbsgen_dpath_entry *e = (const struct verbsgen_dpath_entry *)to->entry;
	uintptr_t ah = (uintptr_t)wr->wr.ud.ah;

	if (wr->opcode == IBV_WR_BIND_MW)
		return EINVAL; // as providers answer
	if (to->entry == 0 || to->serial >> 32 == VERBSGEN_DPATH_WINDOW) // nothing, or what a bind left there
		return VERBSGEN_DPATH_NO_ADDRESS;
	if (to->entry == VERBSGEN_DPATH_RAW)
		return ah != 0 && to->serial == ah ? 0 : VERBSGEN_DPATH_NO_ADDRESS;
	if (__atomic_load_n(&e->serial, __ATOMIC_ACQUIRE) != to->serial)
		return VERBSGEN_DPATH_ADDRESS_CLOSED;
	if (ah == 0) // it was being closed when the request was given it
		return VERBSGEN_DPATH_ADDRESS_CLOSED;
	if (e->object != ah) // another operation was in the request since then
		return VERBSGEN_DPATH_NO_ADDRESS;
	return *(struct ibv_context *const *)ah == q->context ? 0 : VERBSGEN_DPATH_OTHER_DEVICE;
}

// For generated streams of commands: they look at the address of each datagram as a post does. Once they have, verbsgen_dpath_addressed
// must follow, before the call ends.
int verbsgen_dpath_address(void *slot, const void *qp, const void *wr);
void verbsgen_dpath_addressed(void *slot);

int verbsgen_dpath_address(void *slot, const void *qp, const void *wr)
{
	verbsgen_gate_beside(slot, &verbsgen_dpath_addresses);
	return verbsgen_dpath_misaddressed(qp, wr);
}

void verbsgen_dpath_addressed(void *slot) { verbsgen_gate_leave_beside(slot); }

// Posts datagrams up to the first that must not be posted. It is apart so that other posts do not pay for it.
static __attribute__((noinline)) int verbsgen_dpath_datagrams(struct verbsgen_gate_slot *slot, struct ibv_qp *q, struct ibv_send_wr *first,
							      struct ibv_send_wr *last, struct ibv_send_wr **bad)
{
	struct ibv_send_wr *wr, *rest, *end = NULL;
	int code = 0, why = 0;

	verbsgen_gate_beside(slot, &verbsgen_dpath_addresses);
	for (wr = first;; wr = wr->next) {
		why = wr->opcode == IBV_WR_TSO ? EOPNOTSUPP : verbsgen_dpath_misaddressed(q, wr); // its address lies where a post looks for the header
		if (why != 0)
			break;
		end = wr;
		if (wr == last)
			break;
	}
	if (end != NULL) {
		rest = end->next;
		end->next = NULL;
		code = q->context->ops.post_send(q, first, bad);
		end->next = rest;
	}
	if (code == 0 && why != 0) {
		code = why;
		*bad = wr;
	}
	verbsgen_gate_leave_beside(slot);
	return code;
}

static inline int verbsgen_dpath_post_send_in(struct verbsgen_gate_slot *slot, struct ibv_qp *q, struct ibv_send_wr *first,
					      struct ibv_send_wr *last, struct ibv_send_wr **bad)
{
	struct ibv_send_wr *rest = last->next;
	int code;

	if (__builtin_expect(q->qp_type == IBV_QPT_UD, 0))
		return verbsgen_dpath_datagrams(slot, q, first, last, bad);
	if (__builtin_expect(verbsgen_dpath_windows, 0))
		return verbsgen_dpath_binds(slot, q, first, last, bad);
	last->next = NULL;
	code = q->context->ops.post_send(q, first, bad);
	last->next = rest;
	return code;
}

// A post of receives to a queue: struct QUEUE *q, by CALL.
#define VERBSGEN_DPATH_RECV(NAME, QUEUE, CALL)										\
	static inline int verbsgen_dpath_##NAME##_in(struct verbsgen_gate_slot *slot, struct QUEUE *q, struct ibv_recv_wr *first,	\
						     struct ibv_recv_wr *last, struct ibv_recv_wr **bad)			\
	{														\
		struct ibv_recv_wr *rest = last->next;									\
		int code;												\
															\
		(void)slot;												\
		last->next = NULL;											\
		code = CALL(q, first, bad);										\
		last->next = rest;											\
		return code;												\
	}

VERBSGEN_DPATH_RECV(post_recv, ibv_qp, q->context->ops.post_recv)
VERBSGEN_DPATH_RECV(post_srq_recv, ibv_srq, q->context->ops.post_srq_recv)
VERBSGEN_DPATH_RECV(post_wq_recv, ibv_wq, q->post_recv)

// The state of a queue pair, below 0 for one that was closed.
static void verbsgen_dpath_state(const uintptr_t *gate, int *out)
{
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate);
	const struct ibv_qp *q;

	*out = -1;
	if (slot == NULL)
		return;
	q = (const struct ibv_qp *)verbsgen_gate_object(gate);
	if (q != NULL)
		*out = (int)__atomic_load_n(&q->state, __ATOMIC_ACQUIRE);
	verbsgen_gate_leave(slot);
}

// All posts: of requests of type struct WR to a struct QUEUE. The chain is cut behind last while it is posted.
#define VERBSGEN_DPATH_POST(NAME, QUEUE, WR)										\
	static inline __attribute__((always_inline)) void									\
	verbsgen_dpath_##NAME(const uintptr_t *gate, uintptr_t first, uintptr_t last, uintptr_t use, struct verbsgen_dpath_posted *out)	\
	{														\
		struct WR *bad = NULL;											\
		struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate);						\
		struct QUEUE *q;											\
		int code = VERBSGEN_GATE_CLOSED;									\
															\
		if (slot == NULL) {											\
			out->code = VERBSGEN_GATE_NO_MEMORY;								\
			return;												\
		}													\
		q = (struct QUEUE *)verbsgen_gate_object(gate);								\
		if (__builtin_expect(q != NULL, 1)) {									\
			code = verbsgen_dpath_use(slot, (struct verbsgen_dpath_use *)use);					\
			if (__builtin_expect(code == 0, 1)) {									\
				code = verbsgen_dpath_##NAME##_in(slot, q, (struct WR *)first, (struct WR *)last, &bad);	\
				verbsgen_dpath_done(slot, (struct verbsgen_dpath_use *)use);					\
				if (code != 0)										\
					code = verbsgen_dpath_errno(code);						\
			}												\
		}													\
		verbsgen_gate_leave(slot);										\
		if (code != 0) {											\
			out->code = code;										\
			out->bad = (uintptr_t)bad;									\
		}													\
	}

VERBSGEN_DPATH_POST(post_send, ibv_qp, ibv_send_wr)
VERBSGEN_DPATH_POST(post_recv, ibv_qp, ibv_recv_wr)
VERBSGEN_DPATH_POST(post_srq_recv, ibv_srq, ibv_recv_wr)
VERBSGEN_DPATH_POST(post_wq_recv, ibv_wq, ibv_recv_wr)
VERBSGEN_DPATH_POST(post_srq_ops, ibv_srq, ibv_ops_wr)

#include "poll.h"

struct verbsgen_dpath_both {
	uintptr_t first, last, use; // of a post, 0: none
	int n;
	long tries;
	struct verbsgen_dpath_posted posted;
	int got;
};

// A post and a poll behind it, one at a time: a thread is in one gate. The poll is made whatever became of the post.
static void verbsgen_dpath_post_and_poll(const uintptr_t *qp, const uintptr_t *cq, uint8_t *wcs, struct verbsgen_dpath_both *io)
{
	if (io->first != 0)
		verbsgen_dpath_post_send(qp, io->first, io->last, io->use, &io->posted);
	verbsgen_dpath_poll(cq, wcs, io->n, io->tries, &io->got);
}

#endif
