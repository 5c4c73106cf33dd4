package dpath

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// state is who uses a batch: a post, by a number that no other running post has, or nobody (0), and whether it is closed.
//
// post is a plain variable, because an atomic exchange costs some 10 ns per post, and this 1 ns. A post that finds the batch
// free writes its number, and checks afterwards whether the number is still there. Of two posts that overlap in C, at least
// one notices: between the write and the check the call into C changes the goroutine's state by a compare-and-swap, which
// makes the write visible (always on amd64; elsewhere almost always). The race detector sees the accesses and reports them.
//
// closed is apart from post so that a Close by another goroutine is neither lost nor a race. It needs no wait: a post that
// is running keeps the memory of the batch alive.
type state struct {
	post   uintptr
	closed atomic.Bool
}

const (
	sendVerb = "ibv_post_send"
	recvVerb = "ibv_post_recv"
	opsVerb  = "ibv_post_srq_ops"
)

func (s *state) free() bool { return s.post == 0 && !s.closed.Load() }

// close closes a batch that has requests.
func (s *state) close(verb, what string, requests int) error {
	if requests == 0 || s.closed.Swap(true) {
		return verr.Closed(verb, "the "+what)
	}
	return nil
}

// end is called after the post with number turn and reports whether another goroutine used the batch meanwhile.
func (s *state) end(turn uintptr) (shared bool) {
	shared = s.post != turn
	s.post = 0
	return shared
}

// refused returns the errno of a batch, or a range of one, that cannot be posted.
func (s *state) refused() syscall.Errno {
	switch {
	case s.closed.Load():
		return verr.ErrnoBatchClosed
	case s.post != 0:
		return syscall.EBUSY
	}
	return syscall.EINVAL
}

// panics is called when a request is asked for that cannot be given. The compiler sees that it never returns, so that WR can be inlined.
func (b *SendBatch) panics() {
	if b == nil {
		panic("dpath: the SendBatch is nil; make one with NewSendBatch")
	}
	b.all.state.panics("SendBatch")
}

// panics is called when a request is asked for that cannot be given.
func (b *RecvBatch) panics() {
	if b == nil {
		panic("dpath: the RecvBatch is nil; make one with NewRecvBatch")
	}
	b.all.state.panics("RecvBatch")
}

func (s *state) panics(what string) {
	if s.closed.Load() {
		panic("dpath: the " + what + " is closed: its requests cannot be used any more")
	}
	panic("dpath: a request of a " + what + " was taken while another goroutine posts it; a batch belongs to one goroutine at a time")
}

func (r *requests[W]) refused(first, n int, errno syscall.Errno) error {
	verb, what := r.names()
	if r == nil {
		return nilBatch(verb, what)
	}
	return refused(verb, what, len(r.wrs), first, n, errno)
}

func refused(verb, what string, size, first, n int, errno syscall.Errno) error {
	switch {
	case errno == verr.ErrnoBatchClosed:
		return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: "the " + what + " is closed", Err: os.ErrClosed}
	case errno == syscall.EBUSY:
		return sharedBatch(verb, what)
	case errno == syscall.EINVAL && (first < 0 || n < 0 || first > size || n > size-first):
		return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true,
			Msg: fmt.Sprintf("%d requests from number %d on: the %s has only %d; post fewer, or make a larger batch", n, first, what, size)}
	}
	return nil
}

func nilBatch(verb, what string) error {
	return verr.NilValue(verb, what, "make one with dpath.New"+what)
}

func sharedBatch(verb, what string) error {
	return &verr.Error{Verb: verb, Errno: syscall.EBUSY,
		Msg: "another goroutine used the " + what + " while it was posted, so that it is not known what was posted; a batch belongs to " +
			"one goroutine at a time"}
}
