package dpath

import (
	"math"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Asked is what a queue was asked for when it was made: its readers read fields of completions, or it takes requests, through functions
// in the C object, each only if the queue was asked for it. A function that nobody asked for may be NULL. The zero value is that of a
// queue which has no such functions.
type Asked struct {
	fields uint64
	can    bool
}

// AskedFor returns an Asked for a queue that was asked for fields.
func AskedFor(fields uint64) Asked { return Asked{fields, true} }

// Fields returns what was asked for.
func (a Asked) Fields() uint64 { return a.fields }

// Fields is a set of fields, or of requests.
type Fields interface {
	~uint32 | ~uint64
	String() string
}

// CheckAsked returns an error when fields cannot be read of an object. kind names the object, and known are the fields that its readers
// know.
func CheckAsked[F Fields](a Asked, verb, kind string, fields, known F) error {
	switch missing := fields &^ F(a.fields); {
	case fields&^known != 0:
		return fail.Invalid(verb, "a reader cannot read "+(fields&^known).String())
	case !a.can:
		return notMade(verb, syscall.EOPNOTSUPP,
			"this "+kind+" was made without being asked for anything; make it by the extended verb, and ask there")
	case missing != 0:
		return fail.Invalid(verb, "this "+kind+" was not asked for "+missing.String()+" when it was made; ask for it there, or read less")
	}
	return nil
}

// Answer is what the C side of a reader leaves, in the layout that it knows.
type Answer struct {
	N    int64 // completions read
	Code int32 // an errno, or a result of package gate
	_    int32
	// Lacking are the fields for which the provider has no function; all bits when it lacks one that every reader needs.
	Lacking uint64

	alone *gate.Gate // to let go of
}

// Begin begins a read of the object with the gate, which Read ends. An errno says that it must not be made.
func (a *Answer) Begin(of *gate.Gate) syscall.Errno {
	if of.Lacks()&(gate.Shared|gate.Direct) == 0 {
		return 0
	}
	return a.hold(of)
}

func (a *Answer) hold(of *gate.Gate) syscall.Errno {
	if of.Lacks()&gate.Direct != 0 {
		return fail.ErrnoDirect
	}
	if !of.Hold() {
		return fail.ErrnoNotAlone
	}
	a.alone = of
	return 0
}

// Read returns the number of completions of the object with the gate, and the errno of a reader that could not go on after them.
func (a *Answer) Read(of *gate.Gate) (n int, errno syscall.Errno) {
	if a.alone != nil {
		a.alone.Let()
	}
	if a.N == 0 && a.Code == 0 {
		return 0, of.Failure()
	}
	return int(a.N), syscall.Errno(a.Code)
}

// found is what Lacks judges.
func (a Answer) found() found { return found{a.Code, a.Lacking, "read a", "read"} }

// found is what the C side of a reader or a stream has found out about the functions of a provider.
type found struct {
	code      int32
	lacking   uint64
	use, does string // what the functions are for: "post to this", "post"
}

// Lacks returns an error when a queue has no functions for an Answer or a Stream, or the provider lacks one of those that were looked for.
func Lacks[F Fields](of interface{ found() found }, verb, kind string, _ F) error {
	switch f := of.found(); {
	case f.lacking == math.MaxUint64:
		return notMade(verb, syscall.EOPNOTSUPP, "the provider has no functions to "+f.use+" "+kind+" with")
	case f.code != 0:
		return (&fail.Once{Verb: verb, Kind: kind}).Errno(syscall.Errno(f.code))
	case f.lacking != 0:
		return notMade(verb, syscall.EOPNOTSUPP, "the provider has no function to "+f.does+" "+F(f.lacking).String()+" with")
	}
	return nil
}

// notMade returns the error of a call that was not made.
func notMade(verb string, errno syscall.Errno, msg string) error {
	return &verr.Error{Verb: verb, Errno: errno, Refused: true, Msg: msg}
}
