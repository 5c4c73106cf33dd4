package devmem

import (
	"os"
	"sync/atomic"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// direction is what differs between errors of writing and of reading: made once, returned many times.
type direction struct {
	verb     string
	detached *verr.Error
	never    error
	none     error // of a nil DM
	copied   error
	negative *verr.Error
	beyond   *verr.Error
	unknown  *verr.Error
	odd      *verr.Error
	outside  *verr.Error // of a piece that its slice does not have
	refused  *verr.Error // by the provider, of an odd range
	noErrno  *verr.Error
	answered [lastErrno + 1]atomic.Pointer[verr.Error] // by errno of the provider, made when it first comes up
}

const lastErrno = 133 // EHWPOISON, the highest that Linux has

var (
	writing = newDirection("ibv_memcpy_to_dm")
	reading = newDirection("ibv_memcpy_from_dm")
)

func newDirection(verb string) *direction {
	fault := func(msg string) *verr.Error { return &verr.Error{Verb: verb, Errno: syscall.EFAULT, Msg: msg} }
	return &direction{
		verb:     verb,
		detached: &verr.Error{Verb: verb, Msg: "the device memory is closed", Err: os.ErrClosed},
		never:    fail.NeverOpened(verb, "the device memory"),
		none:     fail.NilHandle(verb, "DM"),
		copied:   fail.Copied(verb, "DM"),
		negative: fault("the offset is negative"),
		beyond:   fault("the range goes beyond the end of the device memory"),
		unknown:  fault("the end of the range is no offset any more"),
		odd: &verr.Error{Verb: verb, Errno: syscall.EINVAL,
			Msg: "offset and length must be multiples of 4 bytes"},
		outside: &verr.Error{Verb: verb, Errno: syscall.EINVAL, Refused: true,
			Msg: "a piece goes beyond the slice: At and Len must lie within it"},
		refused: &verr.Error{Verb: verb, Errno: syscall.EINVAL, Msg: notMade,
			Hints: []string{"most devices copy only where offset and length are multiples of 4 bytes"}},
		noErrno: &verr.Error{Verb: verb, Errno: syscall.EIO,
			Msg: "the provider answered a number that is no errno"},
	}
}

const notMade = "the provider did not make the copy"

// failed returns the error for a code that the provider's callback returned for a copy of n bytes at off, or that was returned instead
// of a call.
func (d *direction) failed(code int, off uint64, n int) error {
	switch code {
	case int(fail.ErrnoClosed):
		return d.detached
	case int(fail.ErrnoCopied):
		return d.copied
	case int(fail.ErrnoNeverOpened):
		return d.never
	}
	if code < 1 || code > lastErrno {
		return d.noErrno
	}
	if code == int(syscall.EINVAL) && (off|uint64(n))%granule != 0 {
		return d.refused
	}
	if e := d.answered[code].Load(); e != nil {
		return e
	}
	e := &verr.Error{Verb: d.verb, Errno: syscall.Errno(code), Msg: notMade}
	if d.answered[code].CompareAndSwap(nil, e) {
		return e
	}
	return d.answered[code].Load()
}

// refusal holds the errors of a device memory that cannot be copied to or from, one for each direction.
type refusal struct{ write, read *verr.Error }

func newRefusal(reason string) *refusal {
	refuse := func(verb string) *verr.Error {
		return &verr.Error{Verb: verb, Errno: syscall.EOPNOTSUPP, Msg: reason}
	}
	return &refusal{write: refuse(writing.verb), read: refuse(reading.verb)}
}
