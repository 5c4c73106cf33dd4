//go:build linux && cgo

package dpath

// This file is unsafe because it calls C and hands it memory. What keeps it sound: objects of C and requests go as
// uintptr_t, for they are no Go memory and no Go pointer check has to look at them; completions go as uint8_t *, so the
// compiler sees and keeps them; and noescape with nocallback lets those lie on the stack. Providers' posts and
// polls are C and never reach Go. A gate keeps the C object and the memory of a batch from being freed during a
// call. It could go if Go could call C without a crossing.

/*
#cgo CFLAGS: -I${SRCDIR}/../abi -I${SRCDIR}/../gate
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include "gate.h"
#include "verbs_abi.h"

#cgo noescape verbsgen_dpath_post_send
#cgo nocallback verbsgen_dpath_post_send
#cgo noescape verbsgen_dpath_post_recv
#cgo nocallback verbsgen_dpath_post_recv
#cgo noescape verbsgen_dpath_poll
#cgo nocallback verbsgen_dpath_poll
#cgo noescape verbsgen_dpath_notify
#cgo nocallback verbsgen_dpath_notify

// Answers go through pointers because cgo looks up the stack twice for a function that has a result.
struct verbsgen_dpath_posted {
	uintptr_t bad; // the request that was refused
	int code;      // 0, an errno, or that something was closed
};

// A positive answer is an errno. Providers exist that answer -1 and set errno, and that answer an errno with a minus.
static int verbsgen_dpath_errno(int code)
{
	if (code == -1)
		return errno > 0 ? errno : EIO;
	return code < 0 ? -code : code;
}

// Answers what keeps a post from being made: 0, or that something was closed.
static int verbsgen_dpath_closed(uintptr_t queue, const uintptr_t *batch)
{
	if (queue == 0)
		return VERBSGEN_GATE_CLOSED;
	return verbsgen_gate_object(batch) == 0 ? VERBSGEN_GATE_BATCH_CLOSED : 0;
}

// The chain is cut behind last while it is posted.
static void verbsgen_dpath_post_send(const uintptr_t *gate, const uintptr_t *batch, uintptr_t first, uintptr_t last,
	struct verbsgen_dpath_posted *out)
{
	struct ibv_send_wr *end = (struct ibv_send_wr *)last, *rest, *bad = NULL;
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate, batch);
	struct ibv_qp *q;
	int code;

	if (slot == NULL) {
		out->code = ENOMEM;
		return;
	}
	q = (struct ibv_qp *)verbsgen_gate_object(gate);
	code = verbsgen_dpath_closed((uintptr_t)q, batch);
	if (__builtin_expect(code == 0, 1)) {
		rest = end->next;
		end->next = NULL;
		code = q->context->ops.post_send(q, (struct ibv_send_wr *)first, &bad);
		end->next = rest;
		if (code != 0)
			code = verbsgen_dpath_errno(code);
	}
	verbsgen_gate_leave_both(slot);
	if (code != 0) {
		out->code = code;
		out->bad = (uintptr_t)bad;
	}
}

static void verbsgen_dpath_post_recv(const uintptr_t *gate, const uintptr_t *batch, uintptr_t first, uintptr_t last,
	struct verbsgen_dpath_posted *out)
{
	struct ibv_recv_wr *end = (struct ibv_recv_wr *)last, *rest, *bad = NULL;
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate, batch);
	struct ibv_qp *q;
	int code;

	if (slot == NULL) {
		out->code = ENOMEM;
		return;
	}
	q = (struct ibv_qp *)verbsgen_gate_object(gate);
	code = verbsgen_dpath_closed((uintptr_t)q, batch);
	if (__builtin_expect(code == 0, 1)) {
		rest = end->next;
		end->next = NULL;
		code = q->context->ops.post_recv(q, (struct ibv_recv_wr *)first, &bad);
		end->next = rest;
		if (code != 0)
			code = verbsgen_dpath_errno(code);
	}
	verbsgen_gate_leave_both(slot);
	if (code != 0) {
		out->code = code;
		out->bad = (uintptr_t)bad;
	}
}

// Immediate data to the order of this processor. Most completions have none, so one quick look at all flags comes first.
static void verbsgen_dpath_order(struct ibv_wc *wc, int n)
{
	unsigned int any = 0;
	int i;

#pragma GCC unroll 8
	for (i = 0; i < n; i++)
		any |= wc[i].wc_flags;
	if (!(any & IBV_WC_WITH_IMM))
		return;
	for (i = 0; i < n; i++)
		if (wc[i].wc_flags & IBV_WC_WITH_IMM)
			wc[i].imm_data = ntohl(wc[i].imm_data);
}

// Polls up to tries times, until there is something or the queue is closed, which is looked at now and then. got is below 0 when
// something is wrong.
static void verbsgen_dpath_poll(const uintptr_t *gate, uint8_t *wcs, int n, long tries, int *got)
{
	enum { LOOK = 64 };
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate, NULL);
	struct ibv_wc *wc = (struct ibv_wc *)wcs;
	int (*poll)(struct ibv_cq *, int, struct ibv_wc *);
	struct ibv_cq *q;
	int found;

	if (slot == NULL) {
		*got = -VERBSGEN_GATE_NO_MEMORY;
		return;
	}
	q = (struct ibv_cq *)verbsgen_gate_object(gate);
	if (__builtin_expect(q == NULL, 0)) {
		verbsgen_gate_leave(slot);
		*got = -VERBSGEN_GATE_CLOSED;
		return;
	}
	poll = q->context->ops.poll_cq;
	found = poll(q, n, wc);
	while (__builtin_expect(found == 0, 1) && tries > 1) {
		long end = tries > LOOK ? tries - LOOK : 1;

		for (; __builtin_expect(found == 0, 1) && tries > end; tries--)
			found = poll(q, n, wc);
		if (__builtin_expect(found == 0 && verbsgen_gate_object(gate) == 0, 0))
			found = -VERBSGEN_GATE_CLOSED;
	}
	verbsgen_gate_leave(slot);
	verbsgen_dpath_order(wc, found < n ? found : n);
	*got = found;
}

static void verbsgen_dpath_notify(const uintptr_t *gate, int solicited, int *code)
{
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate, NULL);
	struct ibv_cq *q;

	if (slot == NULL) {
		*code = ENOMEM;
		return;
	}
	q = (struct ibv_cq *)verbsgen_gate_object(gate);
	if (q == NULL) {
		*code = VERBSGEN_GATE_CLOSED;
	} else {
		*code = q->context->ops.req_notify_cq(q, solicited);
		if (*code != 0)
			*code = verbsgen_dpath_errno(*code);
	}
	verbsgen_gate_leave(slot);
}
*/
import "C"

import (
	"math"
	"syscall"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/abi" // declarations of verbs_abi.h
	"github.com/verbsgen/verbsgen/runtime/gate"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// PostSend posts the first n requests of the batch to the send queue of a queue pair (gate of a struct ibv_qp *) by one call:
// ibv_post_send(3). n is 0 to b.Len().
//
// errno is 0 when all were posted, and bad is -1 then. Otherwise bad is the request that was refused: those before it were
// posted, it and those behind it were not. bad is -1 with an errno when no request is at fault: n out of range (EINVAL) or something
// closed, when nothing was posted, or a provider that did not tell.
func PostSend(qp *gate.Gate, b *SendBatch, n int) (bad int, errno syscall.Errno) {
	return PostSendFrom(qp, b, 0, n)
}

// PostSendFrom is PostSend for n requests from number first on: those that are left when the queue was full (ENOMEM). bad
// counts from the beginning of the batch.
func PostSendFrom(qp *gate.Gate, b *SendBatch, first, n int) (bad int, errno syscall.Errno) {
	const size = unsafe.Sizeof(SendWR{})
	if !qp.IsOpen() {
		return -1, verr.ErrnoClosed
	}
	base := uintptr(b.gate.Object()) // it may be gone at once: C looks again
	if base == 0 {
		return -1, verr.ErrnoBatchClosed
	}
	if uint(first) > uint(b.count) || uint(n) > uint(b.count-first) {
		return -1, syscall.EINVAL
	}
	if n == 0 {
		return -1, 0
	}
	var out C.struct_verbsgen_dpath_posted
	begin := base + uintptr(first)*size
	C.verbsgen_dpath_post_send((*C.uintptr_t)(qp.Word()), (*C.uintptr_t)(b.gate.Word()), C.uintptr_t(begin),
		C.uintptr_t(begin+uintptr(n-1)*size), &out)
	if out.code == 0 {
		return -1, 0
	}
	return index(uintptr(out.bad), begin, size, first, n), syscall.Errno(out.code)
}

// PostRecv posts the first n requests of the batch to the receive queue of a queue pair: ibv_post_recv(3). Answers are
// those of PostSend.
func PostRecv(qp *gate.Gate, b *RecvBatch, n int) (bad int, errno syscall.Errno) {
	return PostRecvFrom(qp, b, 0, n)
}

// PostRecvFrom is PostRecv for n requests from number first on. bad counts from the beginning of the batch.
func PostRecvFrom(qp *gate.Gate, b *RecvBatch, first, n int) (bad int, errno syscall.Errno) {
	const size = unsafe.Sizeof(RecvWR{})
	if !qp.IsOpen() {
		return -1, verr.ErrnoClosed
	}
	base := uintptr(b.gate.Object()) // it may be gone at once: C looks again
	if base == 0 {
		return -1, verr.ErrnoBatchClosed
	}
	if uint(first) > uint(b.count) || uint(n) > uint(b.count-first) {
		return -1, syscall.EINVAL
	}
	if n == 0 {
		return -1, 0
	}
	var out C.struct_verbsgen_dpath_posted
	begin := base + uintptr(first)*size
	C.verbsgen_dpath_post_recv((*C.uintptr_t)(qp.Word()), (*C.uintptr_t)(b.gate.Word()), C.uintptr_t(begin),
		C.uintptr_t(begin+uintptr(n-1)*size), &out)
	if out.code == 0 {
		return -1, 0
	}
	return index(uintptr(out.bad), begin, size, first, n), syscall.Errno(out.code)
}

// index finds the request at address bad among the n of that size at begin, the first of which is number first: -1 when it
// is none of them.
func index(bad, begin, size uintptr, first, n int) int {
	off := bad - begin // wraps when bad lies before
	if off%size != 0 || off/size >= uintptr(n) {
		return -1
	}
	return first + int(off/size)
}

// PollCQ takes up to len(wcs) completions off a completion queue (gate of a struct ibv_cq *) into wcs: ibv_poll_cq(3). n is how many,
// 0 when there are none. wcs may lie on the stack. ibv_poll_cq gives no errno, so errno is EIO for a queue that cannot be
// polled any more.
func PollCQ(cq *gate.Gate, wcs []WC) (n int, errno syscall.Errno) {
	return PollSpin(cq, wcs, 1)
}

// PollSpin is PollCQ, repeated in C up to tries times until there is a completion. Below 1, tries counts as 1. It holds
// its thread meanwhile, but not the processor that Go runs on (other goroutines go on), so keep tries below
// some thousands: a context cannot end it.
func PollSpin(cq *gate.Gate, wcs []WC, tries int) (n int, errno syscall.Errno) {
	if !cq.IsOpen() {
		return 0, verr.ErrnoClosed
	}
	size := min(len(wcs), math.MaxInt32)
	if size == 0 {
		return 0, 0
	}
	written(wcs)
	var got C.int
	C.verbsgen_dpath_poll((*C.uintptr_t)(cq.Word()), (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(wcs))), C.int(size),
		C.long(tries), &got)
	if uint(got) > uint(size) {
		return 0, unpolled(got)
	}
	return int(got), 0
}

// unpolled is the errno of a number that is no number of completions: one of ours, or a provider's.
func unpolled(got C.int) syscall.Errno {
	switch got {
	case -C.VERBSGEN_GATE_CLOSED:
		return verr.ErrnoClosed
	case -C.VERBSGEN_GATE_NO_MEMORY:
		return syscall.ENOMEM
	}
	return syscall.EIO
}

// ReqNotify asks for one event on the completion channel of the queue when its next completion arrives, or with
// solicitedOnly its next solicited or failed one: ibv_req_notify_cq(3). Poll again after it: completions that came before
// give no event.
func ReqNotify(cq *gate.Gate, solicitedOnly bool) syscall.Errno {
	if !cq.IsOpen() {
		return verr.ErrnoClosed
	}
	var solicited, code C.int
	if solicitedOnly {
		solicited = 1
	}
	C.verbsgen_dpath_notify((*C.uintptr_t)(cq.Word()), solicited, &code)
	return syscall.Errno(code)
}
