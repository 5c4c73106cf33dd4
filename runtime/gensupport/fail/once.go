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

// misaddressed returns the error of a datagram whose address cannot be used, nil for any other errno.
func misaddressed(verb string, errno syscall.Errno) error {
	const open = "; give it one that is open, by AH.Address"
	switch errno {
	case ErrnoAddressClosed:
		return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: "the AH of the request is closed" + open, Err: os.ErrClosed}
	case ErrnoNoAddress:
		return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true,
			Msg: "the request has no address, which each on a UD queue pair needs" + open + "; a DCI has one from direct.QP.ToDCT"}
	case ErrnoOtherDevice:
		return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true,
			Msg: "the AH of the request and the queue pair belong to two devices, or openings of a device; use objects of one device"}
	}
	return unbindable(verb, errno)
}

// Once makes the errors of a verb of the data path: one for each errno, at its first use, so that a call that fails
// again allocates nothing.
type Once struct {
	Verb   string
	Kind   string // of the handles that the verb is used on
	errs   [256]atomic.Pointer[verr.Error]
	closed atomic.Pointer[error]
	full   [2]atomic.Pointer[error] // by ENOMEM and ENOSPC
	quiet  [2]atomic.Pointer[error] // of requests that are not signaled
	none   atomic.Pointer[error]
	lost   atomic.Pointer[error]
}

// Errno returns the error of a call that failed with errno, or found the object closed (ErrnoClosed).
func (o *Once) Errno(errno syscall.Errno) error {
	if o == nil {
		o = new(Once)
	}
	switch {
	case errno == ErrnoClosed:
		return o.Closed()
	case errno == ErrnoCopied:
		return Copied(o.Verb, o.Kind)
	case errno == ErrnoNeverOpened:
		return NeverOpened(o.Verb, o.Kind)
	case errno == ErrnoOverrun:
		return o.Overrun()
	case errno == ErrnoNoMemory:
		return &verr.Error{Verb: o.Verb, Errno: syscall.ENOMEM, Msg: "no memory to begin the first such call of a thread"}
	case uint64(errno) >= uint64(len(o.errs)):
		if err := misaddressed(o.Verb, errno); err != nil {
			return err
		}
		return Failed(o.Verb, errno, nil)
	}
	if e := o.errs[errno].Load(); e != nil {
		return e
	}
	e := &verr.Error{Verb: o.Verb, Errno: errno}
	o.errs[errno].Store(e)
	return e
}

// Nil returns the error of a call on a nil handle.
func (o *Once) Nil() error {
	if o == nil {
		o = new(Once)
	}
	if e := o.none.Load(); e != nil {
		return *e
	}
	e := NilHandle(o.Verb, o.Kind)
	o.none.Store(&e)
	return e
}

// Closed returns the error of a use after Close.
func (o *Once) Closed() error {
	if o == nil {
		o = new(Once)
	}
	if e := o.closed.Load(); e != nil {
		return *e
	}
	e := Closed(o.Verb, o.Kind)
	o.closed.Store(&e)
	return e
}

// Full returns the error of a post to a full queue: it is ErrQueueFull and syscall.ENOMEM, or syscall.ENOSPC, which is the errno of some
// streams.
func (o *Once) Full(errno syscall.Errno) error {
	if o == nil {
		o = new(Once)
	}
	return o.noRoom(&o.full, errno, "take completions from its completion queue, then post the rest")
}

// FullQuiet is Full for requests none of which is signaled: if those in the queue are not either, no completion makes room.
func (o *Once) FullQuiet(errno syscall.Errno) error {
	if o == nil {
		o = new(Once)
	}
	return o.noRoom(&o.quiet, errno, "none of these requests is signaled, and most devices make room only by a completion: set SendSignaled "+
		"on at least one request in each MaxSendWR, take its completion, then post the rest")
}

func (o *Once) noRoom(made *[2]atomic.Pointer[error], errno syscall.Errno, fix string) error {
	at := &made[1]
	if errno != syscall.ENOSPC {
		at, errno = &made[0], syscall.ENOMEM
	}
	if e := at.Load(); e != nil {
		return *e
	}
	var e error = &verr.Error{Verb: o.Verb, Errno: errno, Err: verr.ErrQueueFull,
		Msg: "the queue is full (" + verr.ErrnoName(errno) + "); " + fix}
	at.Store(&e)
	return e
}

// Overrun returns the error of a poll of an empty completion queue that has failed: it is ErrOverrun and syscall.EIO.
func (o *Once) Overrun() error {
	if o == nil {
		o = new(Once)
	}
	if e := o.lost.Load(); e != nil {
		return *e
	}
	var e error = &verr.Error{Verb: o.Verb, Errno: syscall.EIO, Err: verr.ErrOverrun,
		Msg: "the " + o.Kind + " failed (event CQ_ERR), and completions " +
			"are lost, most likely since it was full; make a larger one, and new queue pairs for it"}
	o.lost.Store(&e)
	return e
}
