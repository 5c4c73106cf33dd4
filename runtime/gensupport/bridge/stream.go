package bridge

import (
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Stream is what a stream of commands posts to: the gate of the C object, the object as the functions of the stream take it, and its
// handle.
type Stream struct {
	Gate   *gate.Gate // nil in a stream that was never made
	Object unsafe.Pointer
	Handle *object.Handle
}

// Supported returns the error of a call on a device that the library may not be for: err, or one for a result that is false.
func (u *Uses) Supported(x any, err error) error {
	if yes, is := x.(bool); err == nil && is && !yes {
		return &verr.Error{Verb: u.Verb, Errno: syscall.EOPNOTSUPP, Refused: true, Msg: "the device is of another provider"}
	}
	return err
}

// OfferStream offers the streams of commands of a type.
func OfferStream[S any](of func(*S) Stream) { streams.add((*S)(nil), of) }

// EnterStream begins the use of the handle that a stream posts to, in the place with the C name what.
func EnterStream[S any](u *Uses, what string, s *S) (Stream, error) {
	of, ok := streams.find((*S)(nil))
	switch {
	case !ok:
		return Stream{}, notOffered(u.Verb, (*S)(nil))
	case s == nil:
		return Stream{}, fail.NilValue(u.Verb, nameOf(s), "make one with method Stream of a handle")
	}
	x := of.(func(*S) Stream)(s)
	if x.Gate == nil {
		return Stream{}, fail.NilValue(u.Verb, nameOf(s), "make one with method Stream of a handle")
	}
	return x, u.enter(what, x.Handle)
}
