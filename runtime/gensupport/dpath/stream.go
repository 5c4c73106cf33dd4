package dpath

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Stream is one post of a range as a stream of commands, in the layout that the C side of a generated stream knows.
type Stream struct {
	n       int64   // requests to post; below 0 only to look which functions there are
	bad     int64   // the request that was refused, counted from the first; after End, from that of its batch
	code    int32   // an errno, or a result of package gate
	opcode  uint32  // of that request
	lacking uint64  // what should have been asked for; of a probe, what the provider cannot do
	use     uintptr // of the batch
	more    uintptr // what a view adds: the view, and the commands of each request; or 0
	at      uintptr

	posted int
	uses   []*object.Handle // of what is added
	err    error            // why nothing is posted
	alone  *gate.Gate       // of the queue pair, if End must let go of it
}

// Probe returns a Stream that only looks which functions there are to post to the queue pair of a gate.
func Probe(qp *gate.Gate) Stream {
	switch lacks := qp.Lacks(); {
	case lacks&gate.Direct != 0:
		return Stream{code: int32(fail.ErrnoDirect), bad: -1}
	case lacks&LacksOwn != 0:
		return Stream{code: int32(fail.ErrnoNoQueues), bad: -1}
	case lacks&LacksSend != 0:
		return Stream{code: int32(fail.ErrnoNoSendQueue), bad: -1}
	}
	return Stream{n: -1, bad: -1}
}

// Posted returns how many requests were posted, and the errno of a post that failed.
func (a *Stream) Posted() (n int, errno syscall.Errno) { return a.posted, syscall.Errno(a.code) }

// Unfinished reports whether End must follow the post that Begin began: not all requests of the range were posted, there are none, or a
// view adds to them. Otherwise nothing is left to do. It is inlined.
func Unfinished[W record](r Range[W], a *Stream) bool {
	runtime.KeepAlive(r.batch)
	return a.n <= 0 || a.bad >= 0 || a.code != 0 || a.more != 0 || a.alone != nil
}

// found is what Lacks judges.
func (a Stream) found() found { return found{a.code, a.lacking, "post to this", "post"} }

// NotAsked returns the error of a post with a request that the stream cannot carry, or nil.
func NotAsked[F Fields](a *Stream, verb, kind string, _ F) error {
	switch {
	case a.err != nil:
		if e, ok := a.err.(*verr.Error); ok && e.Verb == "" {
			e.Verb = verb
		}
		return a.err
	case a.bad < 0:
		return nil
	}
	if errno := syscall.Errno(a.code); errno == syscall.ENOMEM { // for a list of its elements
		return &verr.Error{Verb: verb, Errno: errno,
			Msg: fmt.Sprintf("request %d: there is no memory for the list of its inline data; nothing was posted", a.bad)}
	} else if errno >= fail.ErrnoClosed { // its address
		err := (&fail.Once{Verb: verb, Kind: kind}).Errno(errno)
		var e *verr.Error
		if errors.As(err, &e) {
			e.Msg = fmt.Sprintf("request %d: %s; nothing was posted", a.bad, e.Msg)
		}
		return err
	}
	problem := fmt.Sprintf("request %d is a %v, which a stream of commands does not have", a.bad, WROpcode(a.opcode))
	if a.lacking != 0 {
		problem = fmt.Sprintf("request %d is a %v: this %s was not asked for %v when it was made", a.bad, WROpcode(a.opcode), kind, F(a.lacking))
	}
	return fail.Invalid(verb, problem+"; nothing was posted")
}

// Failed returns the error of a post of the range as a stream, of which nothing was posted.
func Failed[W record](r Range[W], errs *fail.Once, errno syscall.Errno) error {
	if err := Refused(r, errno); err != nil {
		return err
	}
	return errs.Errno(errno)
}
