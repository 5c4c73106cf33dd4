//go:build !linux || !cgo

package dpath

import (
	"context"
	"errors"
	"syscall"
	"unsafe"
)

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

// NewChannel is errors.ErrUnsupported: no completion channel can exist here.
func NewChannel(unsafe.Pointer, uintptr, uintptr) (*Channel, error) {
	return nil, errors.ErrUnsupported
}

// NewAsync is errors.ErrUnsupported: no device can be open here.
func NewAsync(unsafe.Pointer, uintptr, uintptr) (*Async, error) { return nil, errors.ErrUnsupported }
