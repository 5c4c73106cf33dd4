package dpath

// Why unsafe: two fields are read at once. What keeps it sound: they are 8 bytes at a multiple of 8, as newArena places them.

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// use is who uses a batch, as C has it (use.h): at most one post at a time, whichever goroutines make them. It is apart from the batch, so
// that a copy of the batch has the same.
type use struct {
	busy          atomic.Uint32 // a post is running; C writes it
	closed        atomic.Uint32 // not for C. A Close needs no wait: a post that is running keeps the memory of the batch alive
	owner, latest uintptr
	left          uint32
}

const (
	sendVerb = "ibv_post_send"
	recvVerb = "ibv_post_recv"
	opsVerb  = "ibv_post_srq_ops"
)

// free looks at both of the first fields at once.
func (u *use) free() bool { return atomic.LoadUint64((*uint64)(unsafe.Pointer(u))) == 0 }

// end closes the batch.
func (r *requests[W]) end(verb, what string) error {
	if r.use == nil {
		return fail.NeverOpened(verb, "the "+what)
	}
	if r.use.closed.Swap(1) != 0 {
		return fail.Closed(verb, "the "+what)
	}
	return nil
}

// closed reports whether the batch was closed.
func (r *requests[W]) closed() bool { return r.use != nil && r.use.closed.Load() != 0 }

// has reports whether requests can be posted: the batch has them, it is open, and no other goroutine posts it.
func (r *requests[W]) has(first, n int) bool {
	return uint(first) <= uint(len(r.wrs)) && uint(n) <= uint(len(r.wrs)-first) && r.use != nil && r.use.free()
}

// errno returns why the batch did not have a range. The post of another goroutine may have ended meanwhile.
func (r *requests[W]) errno(first, n int) syscall.Errno {
	switch {
	case r.closed():
		return fail.ErrnoBatchClosed
	case uint(first) <= uint(len(r.wrs)) && uint(n) <= uint(len(r.wrs)-first) && r.use != nil:
		return fail.ErrnoBatchShared
	}
	return syscall.EINVAL
}

// panics is called when a request is asked for that cannot be given. The compiler sees that it never returns, so that WR can be inlined.
func (b *SendBatch) panics() {
	if b == nil || b.all.use == nil {
		panic("dpath: the SendBatch is nil or was never made; make one with NewSendBatch")
	}
	b.all.use.panics("SendBatch")
}

// panics is called when a request is asked for that cannot be given.
func (b *RecvBatch) panics() {
	if b == nil || b.all.use == nil {
		panic("dpath: the RecvBatch is nil or was never made; make one with NewRecvBatch")
	}
	b.all.use.panics("RecvBatch")
}

func (u *use) panics(what string) {
	if u.closed.Load() != 0 {
		panic("dpath: the " + what + " is closed: its requests cannot be used any more")
	}
	panic("dpath: a request of a " + what + " was taken while another goroutine posts it; a batch belongs to one goroutine at a time")
}

func (r *requests[W]) refused(first, n int, errno syscall.Errno) error {
	verb, what := r.names()
	switch {
	case r == nil:
		return fail.NilValue(verb, what, "make one with dpath.New"+what)
	case errno == fail.ErrnoBatchAdds:
		return refusedMore(verb, "the SendBatch has a "+r.more.view.Type+", which only a stream of commands posts")
	case errno == syscall.EINVAL && len(r.wrs) == 0:
		return fail.NeverOpened(verb, "the "+what)
	case errno == fail.ErrnoBatchClosed:
		return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: "the " + what + " is closed", Err: os.ErrClosed}
	case errno == fail.ErrnoBatchShared:
		return &verr.Error{Verb: verb, Errno: syscall.EBUSY, Msg: "another goroutine posts the " + what + " at the same time, so nothing was " +
			"posted here; a batch belongs to one goroutine at a time"}
	case errno == syscall.EINVAL && (first < 0 || n < 0 || first > len(r.wrs) || n > len(r.wrs)-first):
		return fail.Invalid(verb, fmt.Sprintf("%d requests from number %d on: the %s has only %d; post fewer, or make a larger batch", n,
			first, what, len(r.wrs)))
	}
	return nil
}
