package fail

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// lacking returns the error of a call on an object that has nothing for it to use, nil for any other errno.
func lacking(verb string, errno syscall.Errno) error {
	msg := ""
	switch errno {
	case ErrnoNoSendQueue:
		msg = "this QP has no send queue; post to one that was made with a completion queue for sends"
	case ErrnoNoQueues:
		msg = "this QP has no queues of its own, as it was made with a table of work queues, or as a DCT; post receives to the work queues " +
			"or to the shared receive queue"
	case ErrnoNoChannel:
		msg = "this CQ has no completion channel, and the provider of its device looks for one; create the queue with a channel"
	case ErrnoNoPath:
		msg = "this QP was never in state RTR, so its provider does not know the path MTU, by which posts divide; bring it to RTS first"
	case ErrnoNotAlone:
		return &verr.Error{Verb: verb, Errno: syscall.EBUSY, Msg: "another goroutine uses a queue of the same thread domain at this moment, " +
			"and the library does not lock them; give each goroutine a thread domain, or make the queues without one"}
	case ErrnoInUse:
		return &verr.Error{Verb: verb, Errno: syscall.EBUSY, Msg: "another goroutine uses the queue at this moment, or began a request and " +
			"did not ring for it; a queue of package direct is for one goroutine, unless it was taken with Shared"}
	case ErrnoForeign:
		return &verr.Error{Verb: verb, Errno: syscall.EIO, Msg: "the next completion is of a queue pair that package direct has not taken, or " +
			"is compressed; take all queue pairs of the queue, and make it without CQEComp"}
	case ErrnoDirect:
		msg = "the queue belongs to package direct, which knows posts of batches, PollInto, Wait and ReqNotify; the library must not use it"
	default:
		return nil
	}
	return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: msg}
}
