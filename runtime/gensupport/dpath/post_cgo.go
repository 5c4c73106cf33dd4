//go:build linux && cgo

package dpath

// This file is unsafe because it calls C and hands it memory. What keeps it sound: requests go as uintptr_t, so that no
// Go pointer check has to look at them; completions go as uint8_t *, so the
// compiler sees and keeps them; and noescape with nocallback lets those lie on the stack. Providers' posts and
// polls are C and never reach Go. A gate keeps the C object from being freed during a call; the batch keeps its
// requests, which are Go memory, alive. It could go if Go could call C without a crossing.
//
// It is the only file of the package that imports C, as one more adds .2 s to each build that is not cached.

/*
#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include "../gate/gate.h"
#include "../verbs_abi.h"

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
#cgo noescape verbsgen_dpath_state
#cgo nocallback verbsgen_dpath_state
#cgo noescape verbsgen_dpath_poll
#cgo nocallback verbsgen_dpath_poll
#cgo noescape verbsgen_dpath_notify
#cgo nocallback verbsgen_dpath_notify
#cgo noescape verbsgen_dpath_post_and_poll
#cgo nocallback verbsgen_dpath_post_and_poll
#cgo noescape verbsgen_dpath_get_async
#cgo nocallback verbsgen_dpath_get_async
#cgo noescape verbsgen_dpath_ack_async
#cgo nocallback verbsgen_dpath_ack_async
#cgo noescape verbsgen_dpath_get_event
#cgo nocallback verbsgen_dpath_get_event
#cgo nocallback verbsgen_dpath_ack_event

#include "events.h"
#include "post.h"
*/
import "C"

import (
	"math"
	"runtime"
	"syscall"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/gensupport" // declarations of verbs_abi.h
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// post posts n requests from number first on to a queue of a kind in one call, such as ibv_post_send(3).
//
// If all were posted, errno is 0 and bad is -1. Otherwise bad is the number of the request that was refused: the
// requests before it were posted, and the later ones were not. bad is -1 with an errno when no request is at fault: the
// queue or the batch is closed (fail.ErrnoClosed, fail.ErrnoBatchClosed; fail.ErrnoCopied for a copy of the gate), the batch does not have
// the range (EINVAL), there is no memory to begin the call (fail.ErrnoNoMemory), or another goroutine posts the batch
// (fail.ErrnoBatchShared), and nothing was posted; or the provider did not say which. Refused returns the errors of the batch.
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
		return -1, fail.ErrnoBatchAdds
	}
	if n == 0 {
		return -1, 0
	}
	if lacks := queue.Lacks(); lacks != 0 && to&held == 0 {
		if bad, errno := refuse(queue, to, first); errno != 0 {
			return bad, errno
		}
		if lacks&gate.Direct != 0 {
			return postNative(to, queue, b, first, n)
		}
		if lacks&gate.Shared != 0 {
			return postAlone(to, queue, b, first, n)
		}
	}
	if inlines.Load() != 0 {
		if bad, _ := gone(b, first, n); bad >= 0 {
			return bad, syscall.EFAULT
		}
	}
	var out C.struct_verbsgen_dpath_posted
	begin, end := &b.wrs[first], &b.wrs[first+n-1]
	reading(b, first, n)
	word, from, last := (*C.uintptr_t)(queue.Word()), C.uintptr_t(uintptr(unsafe.Pointer(begin))), C.uintptr_t(uintptr(unsafe.Pointer(end)))
	use := C.uintptr_t(uintptr(unsafe.Pointer(b.use)))
	switch to &^ held {
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

// none has one element: only the index 0 compiles.
type none = [1]struct{}

// The errnos of C are those of Go.
var (
	_ = none{}[fail.ErrnoAddressClosed-C.VERBSGEN_DPATH_ADDRESS_CLOSED]
	_ = none{}[fail.ErrnoNoAddress-C.VERBSGEN_DPATH_NO_ADDRESS]
	_ = none{}[fail.ErrnoOtherDevice-C.VERBSGEN_DPATH_OTHER_DEVICE]
	_ = none{}[fail.ErrnoWindowClosed-C.VERBSGEN_DPATH_WINDOW_CLOSED]
	_ = none{}[fail.ErrnoWindowDevice-C.VERBSGEN_DPATH_WINDOW_DEVICE]
	_ = none{}[fail.ErrnoBatchShared-C.VERBSGEN_DPATH_SHARED]
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

// PollSpin takes up to len(wcs) completions from a completion queue (gate of a struct ibv_cq *) and stores them in
// wcs: ibv_poll_cq(3). It returns their number, 0 if there are none. wcs may lie on the stack. ibv_poll_cq gives no
// errno: errno is EIO for a queue that can no longer be polled, fail.ErrnoOverrun for one that has failed and is empty,
// and fail.ErrnoClosed for a closed one.
//
// It polls up to tries times in C, until there is a completion. tries below 1 means 1. Meanwhile it
// holds its thread, but not the processor of Go (other goroutines run). A context cannot end it, so keep tries below a
// few thousand.
func PollSpin(cq *gate.Gate, wcs []WC, tries int) (n int, errno syscall.Errno) {
	return spin(cq, wcs, tries, false)
}

func spin(cq *gate.Gate, wcs []WC, tries int, alone bool) (n int, errno syscall.Errno) {
	if !cq.IsOpen() {
		return 0, cq.Refusal()
	}
	if lacks := cq.Lacks(); lacks != 0 && !alone {
		switch {
		case lacks&gate.Direct != 0:
			return spinNative(cq, wcs, tries)
		case lacks&gate.Shared != 0:
			return spinAlone(cq, wcs, tries)
		}
	}
	size := min(len(wcs), math.MaxInt32)
	if size == 0 {
		return 0, 0
	}
	Written(wcs)
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
		return fail.ErrnoClosed
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
	if size == 0 || r.n == 0 || b == nil || b.more != nil || !b.has(r.first, r.n) || qp.Lacks()|cq.Lacks() != 0 || inlines.Load() != 0 {
		p.Requests, p.PostErrno = PostSendRange(qp, r)
		p.Completions, p.PollErrno = PollSpin(cq, wcs, tries)
		return p
	}
	begin, end := &b.wrs[r.first], &b.wrs[r.first+r.n-1]
	reading(b, r.first, r.n)
	Written(wcs)
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
	if cq.Lacks()&LacksEvents != 0 {
		return fail.ErrnoNoChannel
	}
	if cq.Lacks()&gate.Direct != 0 {
		return native(cq).Notify(solicitedOnly)
	}
	var solicited, code C.int
	if solicitedOnly {
		solicited = 1
	}
	C.verbsgen_dpath_notify((*C.uintptr_t)(cq.Word()), solicited, &code)
	return syscall.Errno(code)
}

// asyncEvent is an event that the library fills in.
type asyncEvent = C.struct_ibv_async_event

func asyncFD(context uintptr) int { return int(C.verbsgen_dpath_async_fd(C.uintptr_t(context))) }

func takeAsync(get, context uintptr, e *asyncEvent) syscall.Errno {
	return syscall.Errno(C.verbsgen_dpath_get_async(C.uintptr_t(get), C.uintptr_t(context), e))
}

func ackAsync(ack uintptr, of AsyncEvent) {
	e := asyncEvent{event_type: C.enum_ibv_event_type(of.Type)}
	C.verbsgen_dpath_set_object(&e, C.uintptr_t(of.Object))
	C.verbsgen_dpath_ack_async(C.uintptr_t(ack), &e)
}

// asAsync returns an event that the library has filled in.
func asAsync(e *asyncEvent) AsyncEvent {
	return AsyncEvent{Type: uint32(e.event_type), Object: uintptr(C.verbsgen_dpath_object(e)), Port: int(C.verbsgen_dpath_port(e))}
}

func channelFD(channel uintptr) int { return int(C.verbsgen_dpath_fd(C.uintptr_t(channel))) }

func takeCQ(get, channel uintptr) (uintptr, syscall.Errno) {
	var cq C.uintptr_t
	errno := syscall.Errno(C.verbsgen_dpath_get_event(C.uintptr_t(get), C.uintptr_t(channel), &cq))
	if errno == 0 {
		took(uintptr(cq))
	}
	return uintptr(cq), errno
}

func ackCQ(ack, cq uintptr) { C.verbsgen_dpath_ack_event(C.uintptr_t(ack), C.uintptr_t(cq)) }

// stateOf returns the state of a queue pair, below 0 for one that was closed.
func stateOf(qp *gate.Gate) int {
	var state C.int
	C.verbsgen_dpath_state((*C.uintptr_t)(qp.Word()), &state)
	return int(state)
}

// held says that the caller of post holds what the queue shares.
const held = 1 << 8

// postAlone is post for one goroutine at a time.
func postAlone[W record](to int, queue *gate.Gate, b *requests[W], first, n int) (bad int, errno syscall.Errno) {
	if !queue.Hold() {
		return -1, fail.ErrnoNotAlone
	}
	defer queue.Let()
	return post(to|held, queue, b, first, n)
}

// spinAlone is PollSpin for one goroutine at a time.
func spinAlone(cq *gate.Gate, wcs []WC, tries int) (n int, errno syscall.Errno) {
	if !cq.Hold() {
		return 0, fail.ErrnoNotAlone
	}
	defer cq.Let()
	return spin(cq, wcs, tries, true)
}

// spinNative is PollSpin for a queue that belongs to Go. It copies, as wcs would be on the heap if it were given away.
func spinNative(cq *gate.Gate, wcs []WC, tries int) (n int, errno syscall.Errno) {
	to := native(cq)
	for n < len(wcs) {
		some, errno := to.Poll(len(wcs) - n)
		if errno != 0 {
			return n, errno
		}
		got := copy(wcs[n:], some)
		to.Polled()
		n += got
		if tries--; got == 0 && (n > 0 || tries < 1) {
			break
		}
	}
	if n == 0 && len(wcs) > 0 {
		errno = cq.Failure()
	}
	return n, errno
}
