package fail

import (
	"os"
	"sync/atomic"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Results of calls of the data path instead of an errno; Linux has none as large. Once.Errno returns their errors, and dpath.Refused
// those of a batch. gate.h and dpath/post.h repeat the numbers that C returns.
const (
	ErrnoClosed      syscall.Errno = 0x10000 + iota // the object that the verb is called on was closed
	ErrnoBatchClosed                                // the batch of work requests was closed
	ErrnoNoMemory                                   // there is no memory to begin a call on this thread

	// of a post of a datagram whose address cannot be used
	ErrnoAddressClosed // its address handle was closed
	ErrnoNoAddress     // it has none
	ErrnoOtherDevice   // its address handle is of another device than the queue pair

	// of a post of a request that binds a memory window which cannot be bound so
	ErrnoWindowClosed // the window or the region was closed
	ErrnoWindowDevice // the window or the region is of another device than the queue pair

	ErrnoBatchShared // another goroutine posts the batch; EBUSY would not do, as a device may return it
	ErrnoBatchAdds   // a view adds to the batch, which only a stream of commands posts
	ErrnoCopied      // the object is a copy of a handle
	ErrnoNeverOpened // the object is a zero value, which nothing opened
	ErrnoOverrun     // the completion queue has failed, and is empty

	// of an object that has nothing for the call to use: providers do not look, and many read through NULL
	ErrnoNoSendQueue
	ErrnoNoQueues
	ErrnoNoChannel
	ErrnoNoPath   // the provider divides by the path MTU, which it learns on the way to RTR
	ErrnoNotAlone // another goroutine uses a queue of the same thread domain
	ErrnoDirect   // Go reads and writes the queue in place of the library, and has nothing for this call
	ErrnoForeign  // such a queue has a completion that Go cannot read
	ErrnoInUse    // another goroutine uses the queue, which Go reads and writes for one of them
)

// unusable are the errors of objects and requests that the call cannot use.
var unusable = map[syscall.Errno]verr.Error{
	ErrnoNoMemory:      {Errno: syscall.ENOMEM, Msg: "no memory to begin the first such call of a thread"},
	ErrnoAddressClosed: refused("the AH of the request is closed; give it one that is open, by AH.Address", os.ErrClosed),
	ErrnoNoAddress: refused("the request has no address, which each on a UD queue pair needs; give it one that is open, by AH.Address; "+
		"a DCI has one from direct.QP.ToDCT", nil),
	ErrnoOtherDevice: refused("the AH of the request and the queue pair belong to two devices, or openings of a device; use objects of one "+
		"device", nil),
	ErrnoWindowClosed: refused("the request binds an MW to an MR, and one of them is closed; give it some that are open, by MW.Bind",
		os.ErrClosed),
	ErrnoWindowDevice: refused("the request binds an MW to an MR, and one of them and the queue pair belong to two devices, or openings of "+
		"a device; use objects of one device", nil),
	ErrnoNoSendQueue: refused("this QP has no send queue; post to one that was made with a completion queue for sends", nil),
	ErrnoNoQueues: refused("this QP has no queues of its own, as it was made with a table of work queues, or as a DCT; post receives to the "+
		"work queues or to the shared receive queue", nil),
	ErrnoNoChannel: refused("this CQ has no completion channel, and the provider of its device looks for one; create the queue with a "+
		"channel", nil),
	ErrnoNoPath: refused("this QP was never in state RTR, so its provider does not know the path MTU, by which posts divide; bring it to "+
		"RTS first", nil),
	ErrnoNotAlone: {Errno: syscall.EBUSY, Msg: "another goroutine uses a queue of the same thread domain at this moment, " +
		"and the library does not lock them; give each goroutine a thread domain, or make the queues without one"},
	ErrnoInUse: {Errno: syscall.EBUSY, Msg: "another goroutine uses the queue at this moment, or began a request and " +
		"did not ring for it; a queue of package direct is for one goroutine, unless it was taken with Shared"},
	ErrnoForeign: {Errno: syscall.EIO, Msg: "the next completion is of a queue pair that package direct has not taken, or " +
		"is compressed; take all queue pairs of the queue, and make it without CQEComp"},
	ErrnoDirect: refused("the queue belongs to package direct, which knows posts of batches, PollInto, Wait and ReqNotify; the library must "+
		"not use it", nil),
}

func refused(msg string, err error) verr.Error {
	return verr.Error{Errno: syscall.EINVAL, Refused: true, Msg: msg, Err: err}
}

// The errors of a Once behind those of errnos.
const (
	ofNil = 256 + iota
	ofClosed
	ofOverrun
	ofFull
	ofFullStream // by ENOSPC
	ofQuiet
	ofQuietStream
	errorsOfOnce
)

// Once makes the errors of a verb of the data path: one for each errno, at its first use, so that a call that fails
// again allocates nothing.
type Once struct {
	Verb string
	Kind string // of the handles that the verb is used on
	made [errorsOfOnce]atomic.Pointer[error]
}

// get returns the error at i of made. The first time it makes it.
func (o *Once) get(i int, make func(*Once) error) error {
	if o == nil {
		o = new(Once)
	}
	if e := o.made[i].Load(); e != nil {
		return *e
	}
	e := make(o)
	o.made[i].Store(&e)
	return e
}

// Errno returns the error of a call that failed with errno, or found the object closed (ErrnoClosed).
func (o *Once) Errno(errno syscall.Errno) error {
	if o == nil {
		o = new(Once)
	}
	switch {
	case errno < ofNil:
		return o.get(int(errno), func(o *Once) error { return &verr.Error{Verb: o.Verb, Errno: errno} })
	case errno == ErrnoClosed:
		return o.Closed()
	case errno == ErrnoCopied:
		return Copied(o.Verb, o.Kind)
	case errno == ErrnoNeverOpened:
		return NeverOpened(o.Verb, o.Kind)
	case errno == ErrnoOverrun:
		return o.Overrun()
	}
	if e, ok := unusable[errno]; ok {
		e.Verb = o.Verb
		return &e
	}
	return Failed(o.Verb, errno, nil)
}

// Nil returns the error of a call on a nil handle.
func (o *Once) Nil() error {
	return o.get(ofNil, func(o *Once) error { return NilHandle(o.Verb, o.Kind) })
}

// Closed returns the error of a use after Close.
func (o *Once) Closed() error {
	return o.get(ofClosed, func(o *Once) error { return Closed(o.Verb, o.Kind) })
}

// Full returns the error of a post to a full queue: it is ErrQueueFull and syscall.ENOMEM, or syscall.ENOSPC, which is the errno of some
// streams.
func (o *Once) Full(errno syscall.Errno) error {
	return o.noRoom(ofFull, errno, "take completions from its completion queue, then post the rest")
}

// FullQuiet is Full for requests none of which is signaled: if those in the queue are not either, no completion makes room.
func (o *Once) FullQuiet(errno syscall.Errno) error {
	return o.noRoom(ofQuiet, errno, "none of these requests is signaled, and most devices make room only by a completion: set SendSignaled "+
		"on at least one request in each MaxSendWR, take its completion, then post the rest")
}

func (o *Once) noRoom(i int, errno syscall.Errno, fix string) error {
	if errno == syscall.ENOSPC {
		i++ // that of streams
	} else {
		errno = syscall.ENOMEM
	}
	return o.get(i, func(o *Once) error {
		return &verr.Error{Verb: o.Verb, Errno: errno, Err: verr.ErrQueueFull,
			Msg: "the queue is full (" + verr.ErrnoName(errno) + "); " + fix}
	})
}

// Overrun returns the error of a poll of an empty completion queue that has failed: it is ErrOverrun and syscall.EIO.
func (o *Once) Overrun() error {
	return o.get(ofOverrun, func(o *Once) error {
		return &verr.Error{Verb: o.Verb, Errno: syscall.EIO, Err: verr.ErrOverrun,
			Msg: "the " + o.Kind + " failed (event CQ_ERR), and completions " +
				"are lost, most likely since it was full; make a larger one, and new queue pairs for it"}
	})
}
