package pdalloc

import (
	"errors"
	"sync/atomic"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
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

// Calls connects an Allocator with the C callbacks of one handle. A nil *Calls is that of a handle without an
// allocator.
type Calls[H any] struct {
	with Allocator[H]
	h    atomic.Pointer[H]
	id   uintptr
}

// NewCalls registers an allocator. alloc and free are the addresses of the C functions that call it, and context is the
// argument that they need. The caller calls Release. Errors are those of Register.
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

// Bind sets the handle that later requests are for.
func (c *Calls[H]) Bind(h *H) {
	if c != nil {
		c.h.Store(h)
	}
}

// Release unregisters the callbacks. Call it when no C object can call them any more.
func (c *Calls[H]) Release() {
	if c != nil {
		Release(c.id)
	}
}

// Begin forgets the errors of the allocator in earlier verbs.
func (c *Calls[H]) Begin() {
	if c != nil {
		_ = LastError(c.id)
	}
}

// Failed returns the error of a verb that may have called the allocator, together with the error of the allocator.
func (c *Calls[H]) Failed(verb string, errno syscall.Errno, hints func() []string) error {
	err := fail.Failed(verb, errno, hints)
	if e, ok := err.(*verr.Error); ok && c != nil {
		e.Err = LastError(c.id)
	}
	return err
}
