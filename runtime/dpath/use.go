package dpath

import (
	"fmt"
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// state is who uses a batch: nobody, nobody any more, or a post, by a number that no other post at work has. It is a plain
// variable, for an atomic exchange costs some 10 ns a post, and this 1: a post that finds the batch free writes its number, and
// looks afterwards whether the number is still there. Of two posts that overlap in C, one at least finds out: between the write and
// that look the crossing into C changes the goroutine's state by a compare-and-swap, behind which the write cannot lag
// (on amd64; elsewhere all but never). The race detector sees the accesses and reports them.
type state uintptr

const (
	free   state = 0
	closed state = 1
)

const (
	sendVerb = "ibv_post_send"
	recvVerb = "ibv_post_recv"
)

// close moves a batch that has requests from free to closed.
func (s *state) close(verb, what string, requests int) error {
	switch {
	case *s == closed || requests == 0:
		return verr.Closed(verb, "the "+what)
	case *s != free:
		return verr.Busy(verb, "the "+what, []string{"a post of another goroutine"})
	}
	*s = closed
	return nil
}

// end is after a post of that number, and tells whether another goroutine used the batch meanwhile.
func (s *state) end(turn state) (shared bool) {
	if *s == turn {
		*s = free
		return false
	}
	if *s != closed {
		*s = free
	}
	return true
}

// refused is the errno of a batch, or a part of one, that cannot be posted.
func (s state) refused() syscall.Errno {
	if s > closed {
		return syscall.EBUSY
	}
	return syscall.EINVAL
}

// panics is called when a request is asked for that cannot be given.
func (b *SendBatch) panics() {
	if b == nil {
		panic("dpath: the SendBatch is nil; make one with NewSendBatch")
	}
	b.state.panics("SendBatch")
}

// panics is called when a request is asked for that cannot be given.
func (b *RecvBatch) panics() {
	if b == nil {
		panic("dpath: the RecvBatch is nil; make one with NewRecvBatch")
	}
	b.state.panics("RecvBatch")
}

func (s state) panics(what string) {
	if s == closed {
		panic("dpath: the " + what + " is closed: its requests cannot be used any more")
	}
	panic("dpath: a request of a " + what + " was taken while another goroutine posts it; a batch belongs to one goroutine at a time")
}

// Refused gives the error of a post of n requests from number first on that answered errno and named no request, when the batch
// is the reason: it is nil or closed (os.ErrClosed), has fewer requests (EINVAL), or was used by another goroutine meanwhile
// (EBUSY). Otherwise it is nil.
func (b *SendBatch) Refused(first, n int, errno syscall.Errno) error {
	if b == nil {
		return nilBatch(sendVerb, "SendBatch")
	}
	return refused(sendVerb, "SendBatch", b.state, len(b.wrs), first, n, errno)
}

// Refused is as SendBatch.Refused.
func (b *RecvBatch) Refused(first, n int, errno syscall.Errno) error {
	if b == nil {
		return nilBatch(recvVerb, "RecvBatch")
	}
	return refused(recvVerb, "RecvBatch", b.state, len(b.wrs), first, n, errno)
}

func refused(verb, what string, s state, size, first, n int, errno syscall.Errno) error {
	switch {
	case s == closed:
		return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: "the " + what + " is closed", Err: os.ErrClosed}
	case errno == syscall.EBUSY:
		return sharedBatch(verb, what)
	case first < 0 || n < 0 || first > size || n > size-first:
		return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true,
			Msg: fmt.Sprintf("%d requests from number %d on of a %s of %d", n, first, what, size)}
	}
	return nil
}

func nilBatch(verb, what string) error {
	return verr.NilValue(verb, what, "make one with dpath.New"+what)
}

func sharedBatch(verb, what string) error {
	return &verr.Error{Verb: verb, Errno: syscall.EBUSY,
		Msg: "another goroutine used the " + what + " while it was posted, so that it is not known what was posted; a batch belongs to one goroutine at a time"}
}
