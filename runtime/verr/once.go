package verr

import (
	"sync/atomic"
	"syscall"
)

// Results of calls of the data path instead of an errno when something that they use was closed. Linux has no errno as large.
const (
	ErrnoClosed      syscall.Errno = 0x10000 + iota // the object that the verb is called on; Once.Errno returns its error
	ErrnoBatchClosed                                // the batch of work requests, which returns the error
)

// Once makes the errors of a verb of the data path: one for each errno, at its first use, so that a call that fails
// again allocates nothing.
type Once struct {
	Verb   string
	Kind   string // of the handles that the verb is used on
	errs   [256]atomic.Pointer[Error]
	closed atomic.Pointer[error]
}

// Errno returns the error of a call that failed with errno, or found the object closed (ErrnoClosed).
func (o *Once) Errno(errno syscall.Errno) error {
	switch {
	case errno == ErrnoClosed:
		return o.Closed()
	case uint64(errno) >= uint64(len(o.errs)):
		return Failed(o.Verb, errno, nil)
	}
	if e := o.errs[errno].Load(); e != nil {
		return e
	}
	e := &Error{Verb: o.Verb, Errno: errno}
	o.errs[errno].Store(e)
	return e
}

// Closed returns the error of a use after Close.
func (o *Once) Closed() error {
	if e := o.closed.Load(); e != nil {
		return *e
	}
	e := Closed(o.Verb, o.Kind)
	o.closed.Store(&e)
	return e
}
