// Package lazy is what generated readers share: they read fields of completions through functions in a C object, each field only
// if the object was asked for it when it was made. A function of a field that nobody asked for may be NULL.
//
// It owns the record of what was asked for and the errors of readers. It must not know verbs or generated packages.
package lazy

import (
	"math"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Asked is what an object was asked for when it was made. The zero value is that of an object which has no functions to read with.
type Asked struct {
	fields uint64
	can    bool
}

// Of returns an Asked for an object that was asked for fields.
func Of(fields uint64) Asked { return Asked{fields, true} }

// Fields returns what was asked for.
func (a Asked) Fields() uint64 { return a.fields }

// Fields is a set of fields, or of requests.
type Fields interface {
	~uint32 | ~uint64
	String() string
}

// Check returns an error when fields cannot be read of an object. kind names the object, and known are the fields that its readers know.
func Check[F Fields](a Asked, verb, kind string, fields, known F) error {
	switch missing := fields &^ F(a.fields); {
	case fields&^known != 0:
		return refused(verb, syscall.EINVAL, "a reader cannot read "+(fields&^known).String())
	case !a.can:
		return refused(verb, syscall.EOPNOTSUPP,
			"this "+kind+" was made without being asked for anything; make it by the extended verb, and ask there")
	case missing != 0:
		return refused(verb, syscall.EINVAL,
			"this "+kind+" was not asked for "+missing.String()+" when it was made; ask for it there, or read less")
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

// Lacks returns an error when the provider lacks a function that a reader of some fields calls.
func Lacks[F Fields](a Answer, verb, kind string, _ F) error {
	switch {
	case a.Code == int32(fail.ErrnoClosed):
		return fail.Closed(verb, kind)
	case a.Code != 0:
		return fail.Failed(verb, syscall.Errno(a.Code), nil)
	case a.Lacking == math.MaxUint64:
		return refused(verb, syscall.EOPNOTSUPP, "the provider has no functions to read a "+kind+" with")
	case a.Lacking != 0:
		return refused(verb, syscall.EOPNOTSUPP, "the provider has no function to read "+F(a.Lacking).String()+" with")
	}
	return nil
}

func refused(verb string, errno syscall.Errno, msg string) error {
	return &verr.Error{Verb: verb, Errno: errno, Refused: true, Msg: msg}
}
