package fail

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Errors that generated code makes in hundreds of places are made out of line, which keeps it small and quick to compile.

// maxNamed is how many open objects a Busy error names before it only counts the rest.
const maxNamed = 8

// Refuse returns the error of a call that was not made because it breaks rules; nil when v is empty. Assign the result
// only to a *Error; where an error is needed, use Violations.Err.
func Refuse(verb string, v ...verr.Violation) *verr.Error {
	if len(v) == 0 {
		return nil
	}
	return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Violations: v, Refused: true}
}

// Invalid returns the error of a call that was not made because of an argument; msg says which, and what to pass. verb may be empty.
//
//go:noinline
func Invalid(verb, msg string) error {
	return &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true, Msg: msg}
}

// Failed returns the error of a call that was made and failed with errno; an errno of 0 means that the call gave none.
// hints, which may be nil, returns possible causes. It is called here, so that a call that succeeds does not pay for
// it.
//
//go:noinline
func Failed(verb string, errno syscall.Errno, hints func() []string) error {
	e := &verr.Error{Verb: verb, Errno: errno}
	if hints != nil {
		e.Hints = hints()
	}
	hint := ""
	switch errno {
	case syscall.EMFILE:
		hint = noFilesHint()
	case syscall.ENOMEM:
		hint = MapHint(0)
	case syscall.EAGAIN:
		hint = noThreadHint()
	}
	if hint != "" {
		e.Hints = append(e.Hints, hint)
	}
	return e
}

// Missing returns the error of a verb whose symbol the loaded library lacks. since is the first rdma-core release with
// the symbol, empty where that is unknown; lib names the library, and may be empty. The error is errors.ErrUnsupported.
//
//go:noinline
func Missing(verb, symbol, since, lib string) error {
	if lib == "" {
		lib = "the loaded library"
	}
	msg := lib + " has no symbol " + symbol
	if since == "" {
		msg += "; load a newer or complete library"
	} else {
		msg += fmt.Sprintf(", which came with rdma-core %s; install rdma-core %s or newer", since, since)
	}
	return &verr.Error{Verb: verb, Msg: msg, Err: errors.ErrUnsupported}
}

// Closed returns the error of a use after Close; what names the object. The error is os.ErrClosed.
func Closed(verb, what string) error {
	return &verr.Error{Verb: verb, Msg: what + " is closed", Err: os.ErrClosed}
}

// Cause is a text that may explain an errno of a verb.
type Cause struct {
	Errno syscall.Errno
	Text  string
}

// Causes returns the texts that may explain errno, for Failed.
func Causes(errno syscall.Errno, of ...Cause) (hints []string) {
	for _, c := range of {
		if c.Errno == errno {
			hints = append(hints, c.Text)
		}
	}
	return hints
}

// NeverOpened returns the error of a use of a zero value, which no function made; what names it. The error is os.ErrClosed.
//
//go:noinline
func NeverOpened(verb, what string) error {
	return &verr.Error{Verb: verb, Msg: what + " was never opened", Err: os.ErrClosed}
}

// Busy returns the error of a Close that was refused because children are open. what names the object, open names the
// open children, in the order in which to close them. It wraps syscall.EBUSY.
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
	return &verr.Error{Verb: verb, Errno: syscall.EBUSY, Msg: msg}
}

// NilHandle returns the error of a call on, or with, a nil handle of type kind.
//
//go:noinline
func NilHandle(verb, kind string) error {
	return Invalid(verb, kind+" is nil; pass one that is open")
}

// Copied returns the error of a call on, or with, a copy of a handle of type kind.
//
//go:noinline
func Copied(verb, kind string) error {
	return Invalid(verb, kind+" is a copied handle; use the pointer to the original")
}

// NilValue returns the error of a call with a nil argument that is not a handle. fix says how to get a value.
//
//go:noinline
func NilValue(verb, what, fix string) error {
	return Invalid(verb, what+" is nil; "+fix)
}

// NoView returns the error of an object that is not one of the provider whose functions a view of it would have.
func NoView(verb, view string) error {
	return &verr.Error{Verb: verb, Errno: syscall.EOPNOTSUPP, Refused: true, Msg: "the object is of another provider, and has no " + view}
}

// Endless returns the error of a chain of structs that leads back to one of its own.
func Endless(what string) error {
	return Invalid("", what+" leads back to itself; end the chain with nil")
}

// TooShort returns the error of bytes that are fewer than C reads.
func TooShort(verb, what string, least int) error {
	return Invalid(verb, what+" has fewer than "+strconv.Itoa(least)+" bytes; pass them all")
}

// ZeroByte returns the error of a text with a zero byte, where C would take its end to be.
func ZeroByte(verb, what string) error {
	return Invalid(verb, what+" has a zero byte, which ends a text in C; leave it out")
}

// OutOfRange returns the error of a number that does not fit into a C int; what names the parameter. verb may be empty.
//
//go:noinline
func OutOfRange(verb, what string, v int) error {
	return Invalid(verb, what+" "+strconv.Itoa(v)+": a C int has 32 bits; pass a smaller value")
}

// NotYet returns the error of an object that has no value in a field yet; kind names the object.
func NotYet(verb, field, kind string) error {
	return Invalid(verb, "the "+kind+" has no "+field+" yet; bind it to an address or resolve one first")
}

// TooLong returns the error of bytes that are more than a parameter of C can count; what names the parameter. verb may be empty.
func TooLong(verb, what string, n, most int) error {
	return Invalid(verb, what+" has "+strconv.Itoa(n)+" bytes, and at most "+strconv.Itoa(most)+" can be passed; pass fewer")
}

// TooGreat returns the error of a value that a field of C cannot hold; what names the field. verb may be empty.
//
//go:noinline
func TooGreat(verb, what string, v, most uint64) error {
	return Invalid(verb, what+" "+strconv.FormatUint(v, 10)+": C can hold at most "+strconv.FormatUint(most, 10)+"; pass a smaller value")
}

// NoMTU returns the error of a value that is not the code of an MTU, most likely since it is a number of bytes; what names the field.
//
//go:noinline
func NoMTU(verb, what string, v uint64) error {
	return Invalid(verb, what+" "+strconv.FormatUint(v, 10)+": an MTU is a code from 1 to 5, not a number of bytes; use MTUOf or a constant, "+
		"such as MTU1024")
}

// Step returns the error of a change of state that is one of several; to is the state. A nil error stays nil.
func Step(to string, err error) error {
	var e *verr.Error
	if !errors.As(err, &e) || e != err {
		return err
	}
	of := *e
	of.Msg = "to " + to
	if e.Msg != "" {
		of.Msg += ": " + e.Msg
	}
	return &of
}

// Memory returns the error of a verb that could not pin or hold the caller's memory; err is the cause.
func Memory(verb string, err error) error {
	return &verr.Error{Verb: verb, Refused: true, Err: err}
}
