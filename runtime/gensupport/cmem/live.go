package cmem

import (
	"sync/atomic"
	"unsafe"
)

// User keeps a C object alive from Enter to Exit. Enter fails once the object is closed.
type User interface {
	Enter(verb string) error
	Exit()
}

// Live returns the number at byte offset off of the C object at c, which may change while the object lives. It is 0 once the object
// is closed.
func Live(o User, c unsafe.Pointer, off uintptr) uint32 {
	if o.Enter("") != nil {
		return 0
	}
	defer o.Exit()
	return atomic.LoadUint32((*uint32)(unsafe.Add(c, off)))
}

// SetLive sets such a number. The error is that of Enter.
func SetLive(verb string, o User, c unsafe.Pointer, off uintptr, value uint32) error {
	if err := o.Enter(verb); err != nil {
		return err
	}
	defer o.Exit()
	atomic.StoreUint32((*uint32)(unsafe.Add(c, off)), value)
	return nil
}
