package verr

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

var errClosed = os.ErrClosed

// maxNamed is how many open objects a Busy error names before it only counts the rest.
const maxNamed = 8

// Refuse is the error of a call that was not made because it breaks rules; nil when v is empty. Assign its result to a
// *Error only: as an error, use [RefuseErr].
func Refuse(verb string, v ...Violation) *Error {
	if len(v) == 0 {
		return nil
	}
	return &Error{Verb: verb, Errno: syscall.EINVAL, Violations: v, Refused: true}
}

// RefuseErr is Refuse as an error, a nil interface when v is empty.
func RefuseErr(verb string, v ...Violation) error {
	if len(v) == 0 {
		return nil
	}
	return Refuse(verb, v...)
}

// Failed is the error of a call that was made and failed with errno. hints, which may be nil, tells what may be the
// cause; it runs here, so that a call that succeeds never pays for it. An errno of 0 is a call that failed without
// giving one.
func Failed(verb string, errno syscall.Errno, hints func() []string) error {
	e := &Error{Verb: verb, Errno: errno}
	if hints != nil {
		e.Hints = hints()
	}
	return e
}

// Missing is the error of a verb whose symbol the loaded library lacks. since is the rdma-core release that brought
// the symbol, lib names the library; both may be empty. It is errors.ErrUnsupported.
func Missing(verb, symbol, since, lib string) error {
	if lib == "" {
		lib = "the loaded library"
	}
	msg := lib + " has no symbol " + symbol
	if since != "" {
		msg += fmt.Sprintf(", which came with rdma-core %s; install rdma-core %s or newer", since, since)
	}
	return &Error{Verb: verb, Msg: msg, Err: errors.ErrUnsupported}
}

// Closed is the error of a use after Close; what names the object. It is os.ErrClosed.
func Closed(verb, what string) error {
	return &Error{Verb: verb, Msg: what + " is closed", Err: errClosed}
}

// Busy is the error of a Close that came too early: what names the object, open what is still open in it, the first
// to be closed first. It is syscall.EBUSY.
func Busy(verb, what string, open []string) error {
	msg := what + " is in use"
	if len(open) > 0 {
		named := open
		if len(named) > maxNamed {
			named = named[:maxNamed]
		}
		msg = what + " still has " + strings.Join(named, ", ")
		if n := len(open) - len(named); n > 0 {
			msg += fmt.Sprintf(" and %d more", n)
		}
		msg += " open; close what is open first"
	}
	return &Error{Verb: verb, Errno: syscall.EBUSY, Msg: msg}
}

// NilHandle is the error of a call on, or with, a nil handle of type kind.
func NilHandle(verb, kind string) error {
	return &Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: kind + " is nil; pass one that is open"}
}

// NilValue is the error of a call with a nil argument that is not a handle. fix says how to get one.
func NilValue(verb, what, fix string) error {
	return &Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: what + " is nil; " + fix}
}

// OutOfRange is the error of a number that does not fit into a C int. verb may be empty.
func OutOfRange(verb, what string, v int) error {
	return &Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: what + " " + strconv.Itoa(v) + ": a C int has 32 bits; pass a smaller value"}
}

// Memory is the error of a verb that could not pin or hold the caller's memory; err is the cause.
func Memory(verb string, err error) error {
	return &Error{Verb: verb, Refused: true, Err: err}
}

// ErrnoOf gives the errno that cgo read after a call, 0 for a call that failed without one.
func ErrnoOf(err error) syscall.Errno {
	e, _ := err.(syscall.Errno)
	return e
}
