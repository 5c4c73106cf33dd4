//go:build !linux || !cgo

package dpath

import (
	"context"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Async waits for the asynchronous events of a device, where verbs are to be had.
type Async struct{}

var errNoAsync = &verr.Error{Verb: verbAsync, Errno: syscall.ENOSYS,
	Msg: "this program was built without cgo or not for Linux"}

// NewAsync is errors.ErrUnsupported: no device can be open here.
func NewAsync(unsafe.Pointer, uintptr, uintptr) (*Async, error) { return nil, errNoAsync }

// Next is errors.ErrUnsupported.
func (a *Async) Next(context.Context) (AsyncEvent, error) { return AsyncEvent{}, errNoAsync }

// Ack does nothing.
func (a *Async) Ack(AsyncEvent) {}

// Close is errors.ErrUnsupported.
func (a *Async) Close() error { return errNoAsync }
