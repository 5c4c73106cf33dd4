package fail

import (
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Results of a post of a request that binds a memory window which cannot be bound so. Once.Errno returns the errors.
const (
	ErrnoWindowClosed syscall.Errno = 0x10006 + iota // the window or the region was closed
	ErrnoWindowDevice                                // the window or the region is of another device than the queue pair
)

// unbindable returns the error for one of them, nil for any other errno.
func unbindable(verb string, errno syscall.Errno) error {
	switch errno {
	case ErrnoWindowClosed:
		return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Err: os.ErrClosed,
			Msg: "the request binds an MW to an MR, and one of them is closed; give it some that are open, by MW.Bind"}
	case ErrnoWindowDevice:
		return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true,
			Msg: "the request binds an MW to an MR, and one of them and the queue pair belong to two devices, or openings of a device; use " +
				"objects of one device"}
	}
	return lacking(verb, errno)
}
