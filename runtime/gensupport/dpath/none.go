//go:build !linux || !cgo

package dpath

import (
	"context"
	"errors"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// Here no library can be loaded, and no queue can exist: posts and polls are ENOSYS, and waits errors.ErrUnsupported.

func post[W record](int, *gate.Gate, *requests[W], int, int) (bad int, errno syscall.Errno) {
	return -1, syscall.ENOSYS
}

func stateOf(*gate.Gate) int { return -1 }

func addresses() *gate.Gate { return new(gate.Gate) }

func watchWindows() {}

// PollSpin is ENOSYS.
func PollSpin(*gate.Gate, []WC, int) (n int, errno syscall.Errno) { return 0, syscall.ENOSYS }

// PostAndPoll is ENOSYS.
func PostAndPoll(*gate.Gate, SendRange, *gate.Gate, []WC, int) Posted {
	return Posted{PostErrno: syscall.ENOSYS, PollErrno: syscall.ENOSYS}
}

// ReqNotify is ENOSYS.
func ReqNotify(*gate.Gate, bool) syscall.Errno { return syscall.ENOSYS }

// Begin is ENOSYS.
func Begin[W record](_ Range[W], a *Stream, _ *gate.Gate) unsafe.Pointer {
	a.code, a.bad = int32(syscall.ENOSYS), -1
	return nil
}

// End does nothing.
func End[W record](Range[W], *Stream) {}

// Events would wait for events of a library; there are none here.
type Events[E any] struct{}

// NewEvents is errors.ErrUnsupported.
func NewEvents[E any](int, string, string, string, func() (E, syscall.Errno, error)) (*Events[E], error) {
	return nil, errors.ErrUnsupported
}

// Next is errors.ErrUnsupported.
func (*Events[E]) Next(context.Context) (none E, err error) { return none, errors.ErrUnsupported }

// Ack does nothing.
func (*Events[E]) Ack(E) {}

// Close does nothing.
func (*Events[E]) Close() error { return nil }

// NewChannel is errors.ErrUnsupported.
func NewChannel(unsafe.Pointer, uintptr, uintptr) (*Channel, error) {
	return nil, errors.ErrUnsupported
}

// NewAsync is errors.ErrUnsupported.
func NewAsync(unsafe.Pointer, uintptr, uintptr) (*Async, error) { return nil, errors.ErrUnsupported }
