package pdalloc

import (
	"errors"
	"sync/atomic"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// ErrUseDefault is the answer of an Allocator that leaves the request to the provider.
var ErrUseDefault = errors.New("use the provider's own allocator")

// Allocator is an allocator whose requests name the handle, of type *H, that the memory is for: nil while it is still being
// made. An error of Alloc that is ErrUseDefault lets the provider allocate; the rest is as for Funcs.
type Allocator[H any] struct {
	Alloc func(h *H, size, align uint64, resource Resource) (addr uintptr, err error)
	Free  func(h *H, addr uintptr, resource Resource)
}

// Calls ties an Allocator to the C callbacks of one handle. A nil Calls stands for a handle without an allocator.
type Calls[H any] struct {
	with Allocator[H]
	h    atomic.Pointer[H]
	id   uintptr
}

// NewCalls registers an allocator. alloc and free are the addresses of the C functions that call it, and context is their
// argument.
func NewCalls[H any](with Allocator[H]) (calls *Calls[H], alloc, free, context uintptr, err error) {
	c := &Calls[H]{with: with}
	c.id, alloc, free, err = Register(Funcs{Alloc: c.alloc, Free: c.free})
	if err != nil {
		return nil, 0, 0, 0, err
	}
	return c, alloc, free, c.id, nil
}

// alloc answers a request from C.
func (c *Calls[H]) alloc(size, align, resource uint64) (addr uintptr, useDefault bool, err error) {
	addr, err = c.with.Alloc(c.h.Load(), size, align, Resource(resource))
	if errors.Is(err, ErrUseDefault) {
		return 0, true, nil
	}
	return addr, false, err
}

// free takes memory back from C.
func (c *Calls[H]) free(addr uintptr, resource uint64) {
	c.with.Free(c.h.Load(), addr, Resource(resource))
}

// Bind says which handle later requests are for.
func (c *Calls[H]) Bind(h *H) {
	if c != nil {
		c.h.Store(h)
	}
}

// Release takes the callbacks away, once no C object can call them any more.
func (c *Calls[H]) Release() {
	if c != nil {
		Release(c.id)
	}
}

// Begin forgets what the allocator answered to an earlier verb.
func (c *Calls[H]) Begin() {
	if c != nil {
		_ = LastError(c.id)
	}
}

// Failed is the error of a verb that may have asked the allocator, with the error that the allocator answered.
func (c *Calls[H]) Failed(verb string, errno syscall.Errno, hints func() []string) error {
	err := verr.Failed(verb, errno, hints)
	if e, ok := err.(*verr.Error); ok && c != nil {
		e.Err = LastError(c.id)
	}
	return err
}
