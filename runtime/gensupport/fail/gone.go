package fail

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Gone reports whether a call failed with errno because its device was removed: every call on such a device is EIO, and so is
// probe, a query that changes nothing. A single EIO has other causes.
func Gone(errno syscall.Errno, probe func() syscall.Errno) bool {
	return errno == syscall.EIO && probe() == syscall.EIO
}

// Removed returns the error of a call on a device: err, with verr.ErrDeviceRemoved in place of rules and hints if the call failed
// because the device was removed. An EIO that has a cause already stays as it is.
//
//go:noinline
func Removed(err error, probe func() syscall.Errno) error {
	e, ok := err.(*verr.Error) // errors.As would allocate
	if !ok || e.Err != nil || !Gone(e.Errno, probe) {
		return err
	}
	return &verr.Error{Verb: e.Verb, Errno: e.Errno, Msg: e.Msg, Err: verr.ErrDeviceRemoved}
}
