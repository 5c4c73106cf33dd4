//go:build linux && cgo

package dpath

// This file is unsafe because it calls C and hands it memory. What keeps it sound: requests go as uintptr_t, so that no
// Go pointer check has to look at them; completions go as uint8_t *, so the
// compiler sees and keeps them; and noescape with nocallback lets those lie on the stack. Providers' posts and
// polls are C and never reach Go. A gate keeps the C object from being freed during a call; the batch keeps its
// requests, which are Go memory, alive. It could go if Go could call C without a crossing.

/*
#cgo CFLAGS: -I${SRCDIR} -I${SRCDIR}/../gensupport/abi -I${SRCDIR}/../gensupport/gate
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include "gate.h"
#include "verbs_abi.h"

#cgo noescape verbsgen_dpath_post_send
#cgo nocallback verbsgen_dpath_post_send
#cgo noescape verbsgen_dpath_post_recv
#cgo nocallback verbsgen_dpath_post_recv
#cgo noescape verbsgen_dpath_post_srq_recv
#cgo nocallback verbsgen_dpath_post_srq_recv
#cgo noescape verbsgen_dpath_post_wq_recv
#cgo nocallback verbsgen_dpath_post_wq_recv
#cgo noescape verbsgen_dpath_post_srq_ops
#cgo nocallback verbsgen_dpath_post_srq_ops
#cgo noescape verbsgen_dpath_poll
#cgo nocallback verbsgen_dpath_poll
#cgo noescape verbsgen_dpath_notify
#cgo nocallback verbsgen_dpath_notify
#cgo noescape verbsgen_dpath_post_and_poll
#cgo nocallback verbsgen_dpath_post_and_poll

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

// Results of a post besides those of a gate: see verr.ErrnoAddressClosed and those behind it.
enum { VERBSGEN_DPATH_ADDRESS_CLOSED = 0x10003, VERBSGEN_DPATH_NO_ADDRESS, VERBSGEN_DPATH_OTHER_DEVICE,
	VERBSGEN_DPATH_WINDOW_CLOSED, VERBSGEN_DPATH_WINDOW_DEVICE };

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
*/
import "C"

import (
	"math"
	"runtime"
	"syscall"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/gensupport/abi" // declarations of verbs_abi.h
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// PostSend posts the first n requests of the batch to the send queue of a queue pair (gate of a struct ibv_qp *) in one
// call: ibv_post_send(3). n is 0 to b.Len().
//
// If all were posted, errno is 0 and bad is -1. Otherwise bad is the number of the request that was refused: the
// requests before it were posted, and the later ones were not. bad is -1 with an errno when no request is at fault: the
// queue pair or the batch is closed (verr.ErrnoClosed, verr.ErrnoBatchClosed; verr.ErrnoCopied for a copy of the gate) or n is out of
// range (EINVAL), there is no memory to begin the call (verr.ErrnoNoMemory), or another goroutine posts the batch
// (verr.ErrnoBatchShared), and nothing was posted; or the provider did not say which. SendBatch.Refused returns the errors of the batch.
func PostSend(qp *gate.Gate, b *SendBatch, n int) (bad int, errno syscall.Errno) {
	return PostSendFrom(qp, b, 0, n)
}

// PostSendFrom is PostSend for n requests from number first on, such as those that are left when the queue was full
// (ENOMEM). bad counts from the beginning of the batch.
func PostSendFrom(qp *gate.Gate, b *SendBatch, first, n int) (bad int, errno syscall.Errno) {
	return post(toSend, qp, b.requests(), first, n)
}

// PostRecv posts the first n requests of the batch to the receive queue of a queue pair: ibv_post_recv(3). The results
// are those of PostSend.
func PostRecv(qp *gate.Gate, b *RecvBatch, n int) (bad int, errno syscall.Errno) {
	return PostRecvFrom(qp, b, 0, n)
}

// PostRecvFrom is PostRecv for n requests from number first on. bad counts from the beginning of the batch.
func PostRecvFrom(qp *gate.Gate, b *RecvBatch, first, n int) (bad int, errno syscall.Errno) {
	return post(toRecv, qp, b.requests(), first, n)
}

// post posts requests to a queue of a kind.
func post[W record](to int, queue *gate.Gate, b *requests[W], first, n int) (bad int, errno syscall.Errno) {
	if !queue.IsOpen() {
		return -1, queue.Refusal()
	}
	if b == nil {
		return -1, syscall.EINVAL
	}
	if !b.has(first, n) {
		return -1, b.errno(first, n)
	}
	if b.more != nil {
		return -1, errnoMore
	}
	if n == 0 {
		return -1, 0
	}
	var out C.struct_verbsgen_dpath_posted
	begin, end := &b.wrs[first], &b.wrs[first+n-1]
	reading(b, first, n)
	word, from, last := (*C.uintptr_t)(queue.Word()), C.uintptr_t(uintptr(unsafe.Pointer(begin))), C.uintptr_t(uintptr(unsafe.Pointer(end)))
	use := C.uintptr_t(uintptr(unsafe.Pointer(b.use)))
	switch to {
	case toSend:
		C.verbsgen_dpath_post_send(word, from, last, use, &out)
	case toRecv:
		C.verbsgen_dpath_post_recv(word, from, last, use, &out)
	case toSRQ:
		C.verbsgen_dpath_post_srq_recv(word, from, last, use, &out)
	case toWQ:
		C.verbsgen_dpath_post_wq_recv(word, from, last, use, &out)
	case toTags:
		C.verbsgen_dpath_post_srq_ops(word, from, last, use, &out)
	}
	runtime.KeepAlive(b)
	if out.code == 0 {
		return -1, 0
	}
	return index(uintptr(out.bad), uintptr(unsafe.Pointer(begin)), unsafe.Sizeof(*begin), first, n), syscall.Errno(out.code)
}

// The errnos of C are those of Go.
var (
	_ = none{}[verr.ErrnoAddressClosed-C.VERBSGEN_DPATH_ADDRESS_CLOSED]
	_ = none{}[verr.ErrnoNoAddress-C.VERBSGEN_DPATH_NO_ADDRESS]
	_ = none{}[verr.ErrnoOtherDevice-C.VERBSGEN_DPATH_OTHER_DEVICE]
	_ = none{}[verr.ErrnoWindowClosed-C.VERBSGEN_DPATH_WINDOW_CLOSED]
	_ = none{}[verr.ErrnoWindowDevice-C.VERBSGEN_DPATH_WINDOW_DEVICE]
	_ = none{}[windowMark-C.VERBSGEN_DPATH_WINDOW]
	_ = none{}[unsafe.Offsetof(use{}.owner)-unsafe.Offsetof(C.struct_verbsgen_dpath_use{}.owner)]
	_ = none{}[unsafe.Offsetof(use{}.latest)-unsafe.Offsetof(C.struct_verbsgen_dpath_use{}.latest)]
	_ = none{}[unsafe.Offsetof(use{}.left)-unsafe.Offsetof(C.struct_verbsgen_dpath_use{}.left)]
	_ = none{}[unsafe.Offsetof(use{}.busy)-unsafe.Offsetof(C.struct_verbsgen_dpath_use{}.busy)]
	_ = none{}[unsafe.Sizeof(use{}.busy)-unsafe.Sizeof(C.struct_verbsgen_dpath_use{}.busy)]
)

// addresses stands for all address handles: a word of C, whose gate is never opened.
func addresses() *gate.Gate {
	return (*gate.Gate)(unsafe.Pointer(C.verbsgen_dpath_all_addresses()))
}

// watchWindows has posts look at what each request binds, from now on.
func watchWindows() { C.verbsgen_dpath_watch_windows() }

// index finds the request at address bad among the n of that size at begin, the first of which is number first: -1 when it
// is none of them.
func index(bad, begin, size uintptr, first, n int) int {
	off := bad - begin // wraps when bad lies before
	if off%size != 0 || off/size >= uintptr(n) {
		return -1
	}
	return first + int(off/size)
}

// PollCQ takes up to len(wcs) completions from a completion queue (gate of a struct ibv_cq *) and stores them in
// wcs: ibv_poll_cq(3). It returns their number, 0 if there are none. wcs may lie on the stack. ibv_poll_cq gives no
// errno: errno is EIO for a queue that can no longer be polled, verr.ErrnoOverrun for one that has failed and is empty,
// and verr.ErrnoClosed for a closed one.
func PollCQ(cq *gate.Gate, wcs []WC) (n int, errno syscall.Errno) {
	return PollSpin(cq, wcs, 1)
}

// PollSpin repeats PollCQ in C up to tries times, until there is a completion. tries below 1 means 1. Meanwhile it
// holds its thread, but not the processor of Go (other goroutines run). A context cannot end it, so keep tries below a
// few thousand.
func PollSpin(cq *gate.Gate, wcs []WC, tries int) (n int, errno syscall.Errno) {
	if !cq.IsOpen() {
		return 0, cq.Refusal()
	}
	size := min(len(wcs), math.MaxInt32)
	if size == 0 {
		return 0, 0
	}
	written(wcs)
	var got C.int
	C.verbsgen_dpath_poll((*C.uintptr_t)(cq.Word()), (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(wcs))), C.int(size),
		C.long(tries), &got)
	if uint(got)-1 < uint(size) { // here too: a call costs more
		return int(got), 0
	}
	return polled(cq, got, size)
}

// polled returns the results of a poll with room for size completions.
func polled(cq *gate.Gate, got C.int, size int) (n int, errno syscall.Errno) {
	if uint(got)-1 < uint(size) {
		return int(got), 0
	}
	if got == 0 {
		return 0, cq.Failure()
	}
	return 0, unpolled(got)
}

// unpolled returns the errno for a result that is not a number of completions.
func unpolled(got C.int) syscall.Errno {
	switch got {
	case -C.VERBSGEN_GATE_CLOSED:
		return verr.ErrnoClosed
	case -C.VERBSGEN_GATE_NO_MEMORY:
		return syscall.ENOMEM
	}
	return syscall.EIO
}

// PostAndPoll is PostSendRange and then PollSpin with one call into C, which saves a program that does both in turns half of what the
// crossings cost. The results are those of the two; the queue pair and the completion queue need not belong together.
//
// The poll is made whatever became of the post, and as often: if the queue is full, the completions make room. But if either queue is
// closed before, nothing is done, and only that queue has an errno. An empty range is not posted, and without room for completions there is
// no poll.
func PostAndPoll(qp *gate.Gate, r SendRange, cq *gate.Gate, wcs []WC, tries int) (p Posted) {
	if !qp.IsOpen() || !cq.IsOpen() {
		return unmade(qp, cq)
	}
	size := min(len(wcs), math.MaxInt32)
	b := r.batch
	if size == 0 || r.n == 0 || b == nil || b.more != nil || !b.has(r.first, r.n) {
		p.Requests, p.PostErrno = PostSendRange(qp, r)
		p.Completions, p.PollErrno = PollSpin(cq, wcs, tries)
		return p
	}
	begin, end := &b.wrs[r.first], &b.wrs[r.first+r.n-1]
	reading(b, r.first, r.n)
	written(wcs)
	io := C.struct_verbsgen_dpath_both{first: C.uintptr_t(uintptr(unsafe.Pointer(begin))),
		last: C.uintptr_t(uintptr(unsafe.Pointer(end))),
		use:  C.uintptr_t(uintptr(unsafe.Pointer(b.use))), n: C.int(size), tries: C.long(tries)}
	to := (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(wcs)))
	C.verbsgen_dpath_post_and_poll((*C.uintptr_t)(qp.Word()), (*C.uintptr_t)(cq.Word()), to, &io)
	runtime.KeepAlive(b)
	p.Requests = r.n
	if io.posted.code != 0 {
		p.PostErrno = syscall.Errno(io.posted.code)
		p.Requests = r.posted(index(uintptr(io.posted.bad), uintptr(unsafe.Pointer(begin)), unsafe.Sizeof(*begin), r.first, r.n), p.PostErrno)
	}
	p.Completions, p.PollErrno = polled(cq, io.got, size)
	return p
}

// ReqNotify requests one event on the completion channel of the queue for its next completion, or with solicitedOnly
// for its next solicited or failed one: ibv_req_notify_cq(3). Poll again afterwards: completions that came earlier
// cause no event.
func ReqNotify(cq *gate.Gate, solicitedOnly bool) syscall.Errno {
	if !cq.IsOpen() {
		return cq.Refusal()
	}
	var solicited, code C.int
	if solicitedOnly {
		solicited = 1
	}
	C.verbsgen_dpath_notify((*C.uintptr_t)(cq.Word()), solicited, &code)
	return syscall.Errno(code)
}
