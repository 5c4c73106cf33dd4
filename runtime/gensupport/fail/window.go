package fail

import (
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// unbindable returns the error of a request whose memory window cannot be bound so, nil for any other errno.
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
