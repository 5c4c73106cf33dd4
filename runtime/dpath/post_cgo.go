//go:build linux && cgo

package dpath

// This file is unsafe because it calls C and hands it memory. What keeps it sound: objects of C and requests go as
// uintptr_t, for they are no Go memory and no Go pointer check has to look at them; completions go as uint8_t *, so the
// compiler sees and keeps them; and noescape with nocallback lets those lie on the stack. Providers' posts and
// polls are C and never reach Go. It could go if Go could call C without a crossing.

/*
#cgo CFLAGS: -I${SRCDIR}/../abi
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
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
	int code;      // 0 or an errno
};

// A positive answer is an errno. Providers exist that answer -1 and set errno, and that answer an errno with a minus.
static int verbsgen_dpath_errno(int code)
{
	if (code == -1)
		return errno > 0 ? errno : EIO;
	return code < 0 ? -code : code;
}

// The chain is cut behind last while it is posted.
static void verbsgen_dpath_post_send(uintptr_t qp, uintptr_t first, uintptr_t last, struct verbsgen_dpath_posted *out)
{
	struct ibv_qp *q = (struct ibv_qp *)qp;
	struct ibv_send_wr *end = (struct ibv_send_wr *)last, *rest = end->next, *bad = NULL;
	int code;

	end->next = NULL;
	code = q->context->ops.post_send(q, (struct ibv_send_wr *)first, &bad);
	end->next = rest;
	if (code != 0) {
		out->code = verbsgen_dpath_errno(code);
		out->bad = (uintptr_t)bad;
	}
}

static void verbsgen_dpath_post_recv(uintptr_t qp, uintptr_t first, uintptr_t last, struct verbsgen_dpath_posted *out)
{
	struct ibv_qp *q = (struct ibv_qp *)qp;
	struct ibv_recv_wr *end = (struct ibv_recv_wr *)last, *rest = end->next, *bad = NULL;
	int code;

	end->next = NULL;
	code = q->context->ops.post_recv(q, (struct ibv_recv_wr *)first, &bad);
	end->next = rest;
	if (code != 0) {
		out->code = verbsgen_dpath_errno(code);
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

// Polls up to tries times, until there is something.
static void verbsgen_dpath_poll(uintptr_t cq, uint8_t *wcs, int n, long tries, int *got)
{
	struct ibv_cq *q = (struct ibv_cq *)cq;
	struct ibv_wc *wc = (struct ibv_wc *)wcs;
	int (*poll)(struct ibv_cq *, int, struct ibv_wc *) = q->context->ops.poll_cq;
	int found = poll(q, n, wc);

	for (; __builtin_expect(found == 0, 1) && tries > 1; tries--)
		found = poll(q, n, wc);
	verbsgen_dpath_order(wc, found < n ? found : n);
	*got = found;
}

static void verbsgen_dpath_notify(uintptr_t cq, int solicited, int *code)
{
	struct ibv_cq *q = (struct ibv_cq *)cq;

	*code = q->context->ops.req_notify_cq(q, solicited);
	if (*code != 0)
		*code = verbsgen_dpath_errno(*code);
}
*/
import "C"

import (
	"math"
	"syscall"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/abi" // declarations of verbs_abi.h
)

// PostSend posts the first n requests of the batch to the send queue of a queue pair (struct ibv_qp *) in one call:
// ibv_post_send(3). n is 0 to b.Len().
//
// errno is 0 when all were posted, and bad is -1 then. Otherwise bad is the request that was refused: those before it were
// posted, it and those behind it were not. bad is -1 with an errno when no request is at fault: n out of range or no queue pair
// (EINVAL, nothing was posted), a batch that another goroutine used meanwhile (EBUSY; what was posted is not known), or a
// provider that did not tell. SendBatch.Refused gives the error of the first two.
func PostSend(qp unsafe.Pointer, b *SendBatch, n int) (bad int, errno syscall.Errno) {
	return PostSendFrom(qp, b, 0, n)
}

// PostSendFrom is PostSend for n requests from number first on, such as those that are left when the queue was full
// (ENOMEM). bad counts from the beginning of the batch.
func PostSendFrom(qp unsafe.Pointer, b *SendBatch, first, n int) (bad int, errno syscall.Errno) {
	if b == nil {
		return -1, syscall.EINVAL
	}
	if b.state != free || qp == nil || uint(first) > uint(len(b.wrs)) || uint(n) > uint(len(b.wrs)-first) {
		return -1, b.state.refused()
	}
	if n == 0 {
		return -1, 0
	}
	var out C.struct_verbsgen_dpath_posted
	begin, end := &b.wrs[first], &b.wrs[first+n-1]
	turn := state(uintptr(unsafe.Pointer(&out))) // no other call has its answer there
	b.state = turn
	sending(b.wrs[first : first+n])
	C.verbsgen_dpath_post_send(C.uintptr_t(uintptr(qp)), C.uintptr_t(uintptr(unsafe.Pointer(begin))),
		C.uintptr_t(uintptr(unsafe.Pointer(end))), &out)
	if b.state.end(turn) {
		b.link() // two posts that cut the chain at once may have left it cut
		return -1, syscall.EBUSY
	}
	if out.code == 0 {
		return -1, 0
	}
	return index(uintptr(out.bad), uintptr(unsafe.Pointer(begin)), unsafe.Sizeof(*begin), first, n), syscall.Errno(out.code)
}

// PostRecv posts the first n requests of the batch to the receive queue of a queue pair: ibv_post_recv(3). The results
// are those of PostSend.
func PostRecv(qp unsafe.Pointer, b *RecvBatch, n int) (bad int, errno syscall.Errno) {
	return PostRecvFrom(qp, b, 0, n)
}

// PostRecvFrom is PostRecv for n requests from number first on. bad counts from the beginning of the batch.
func PostRecvFrom(qp unsafe.Pointer, b *RecvBatch, first, n int) (bad int, errno syscall.Errno) {
	if b == nil {
		return -1, syscall.EINVAL
	}
	if b.state != free || qp == nil || uint(first) > uint(len(b.wrs)) || uint(n) > uint(len(b.wrs)-first) {
		return -1, b.state.refused()
	}
	if n == 0 {
		return -1, 0
	}
	var out C.struct_verbsgen_dpath_posted
	begin, end := &b.wrs[first], &b.wrs[first+n-1]
	turn := state(uintptr(unsafe.Pointer(&out))) // no other call has its answer there
	b.state = turn
	receiving(b.wrs[first : first+n])
	C.verbsgen_dpath_post_recv(C.uintptr_t(uintptr(qp)), C.uintptr_t(uintptr(unsafe.Pointer(begin))),
		C.uintptr_t(uintptr(unsafe.Pointer(end))), &out)
	if b.state.end(turn) {
		b.link() // two posts that cut the chain at once may have left it cut
		return -1, syscall.EBUSY
	}
	if out.code == 0 {
		return -1, 0
	}
	return index(uintptr(out.bad), uintptr(unsafe.Pointer(begin)), unsafe.Sizeof(*begin), first, n), syscall.Errno(out.code)
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

// PollCQ takes up to len(wcs) completions from a completion queue (struct ibv_cq *) and stores them in wcs:
// ibv_poll_cq(3). It returns their number, 0 if there are none. wcs may lie on the stack. ibv_poll_cq gives no errno:
// errno is EIO for a queue that can no longer be polled, and EINVAL if cq is nil.
func PollCQ(cq unsafe.Pointer, wcs []WC) (n int, errno syscall.Errno) {
	return PollSpin(cq, wcs, 1)
}

// PollSpin repeats PollCQ in C up to tries times, until there is a completion. tries below 1 means 1. Meanwhile it
// holds its thread, but not the processor of Go (other goroutines run). A context cannot end it, so keep tries below a
// few thousand.
func PollSpin(cq unsafe.Pointer, wcs []WC, tries int) (n int, errno syscall.Errno) {
	if cq == nil {
		return 0, syscall.EINVAL
	}
	size := min(len(wcs), math.MaxInt32)
	if size == 0 {
		return 0, 0
	}
	written(wcs)
	var got C.int
	C.verbsgen_dpath_poll(C.uintptr_t(uintptr(cq)), (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(wcs))), C.int(size),
		C.long(tries), &got)
	if uint(got) > uint(size) {
		return 0, syscall.EIO
	}
	return int(got), 0
}

// ReqNotify requests one event on the completion channel of the queue for its next completion, or with solicitedOnly
// for its next solicited or failed one: ibv_req_notify_cq(3). Poll again afterwards: completions that came earlier
// cause no event.
func ReqNotify(cq unsafe.Pointer, solicitedOnly bool) syscall.Errno {
	if cq == nil {
		return syscall.EINVAL
	}
	var solicited, code C.int
	if solicitedOnly {
		solicited = 1
	}
	C.verbsgen_dpath_notify(C.uintptr_t(uintptr(cq)), solicited, &code)
	return syscall.Errno(code)
}
