//go:build !linux || !cgo

package dpath

import (
	"context"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Channel waits for events of completion queues, where verbs are to be had.
type Channel struct{}

var errNoChannel = &verr.Error{Verb: verbNext, Errno: syscall.ENOSYS,
	Msg: "this program was built without cgo or not for Linux"}

// NewChannel is errors.ErrUnsupported: no completion channel can exist here.
func NewChannel(unsafe.Pointer, uintptr, uintptr) (*Channel, error) { return nil, errNoChannel }

// Next is errors.ErrUnsupported.
func (c *Channel) Next(context.Context) (cq unsafe.Pointer, cqContext uintptr, err error) {
	return nil, 0, errNoChannel
}

// Ack does nothing.
func (c *Channel) Ack(unsafe.Pointer, int) {}

// Close is errors.ErrUnsupported.
func (c *Channel) Close() error { return errNoChannel }
