package cmem

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// ErrUseDefault is the answer of an Allocator that leaves the request to the provider, which then does not call Free.
var ErrUseDefault = errors.New("use the provider's own allocator")

// Allocator is a memory allocator of a parent domain, written in Go. Its requests name the handle, of type *H, that the memory is for: nil
// while it is still being made.
//
// Its functions are called while a verb that needs the memory waits: from any thread, several at a time, each in a goroutine of its own.
// They must not call verbs on the same parent domain or its objects.
type Allocator[H any] struct {
	// Alloc returns the address of size bytes for the provider: zeroed, at a multiple of align (0 and 1 mean no
	// alignment), outside Go's heap, and not copied on fork. A mem.Buffer is all of this. The memory belongs to the
	// provider until Free. An error refuses the request: it becomes part of the verb's error, and the provider gets its errno, or
	// ENOMEM if it has none.
	Alloc func(h *H, size, align uint64, resource AllocResource) (addr uintptr, err error)

	// Free is called exactly once for each address that Alloc returned. It is not called for an address that was
	// refused.
	Free func(h *H, addr uintptr, resource AllocResource)
}

// AllocCalls connects an Allocator with the C callbacks of one handle. A nil *AllocCalls is that of a handle
// without an allocator.
type AllocCalls[H any] struct {
	h     atomic.Pointer[H]
	entry allocEntry
}

// allocEntry is an Allocator whose handle is known.
type allocEntry struct {
	id    uintptr
	alloc func(size, align uint64, resource AllocResource) (addr uintptr, err error)
	free  func(addr uintptr, resource AllocResource)

	mu     sync.Mutex
	blocks map[uintptr]struct{} // given by alloc and not yet taken back
	last   error
}

func (e *allocEntry) keep(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last = err
}

// lastError returns the latest error of a callback and forgets it; nil if there was none since the last call.
func (e *allocEntry) lastError() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	err := e.last
	e.last = nil
	return err
}

// NewAllocCalls registers an allocator. alloc and free are the addresses of the C functions that call it, and context is the
// argument that they need. The caller calls Release. Without cgo, or on another system than Linux, the error is errors.ErrUnsupported.
func NewAllocCalls[H any](with Allocator[H]) (calls *AllocCalls[H], alloc, free, context uintptr, err error) {
	c := new(AllocCalls[H])
	c.entry.alloc = func(size, align uint64, resource AllocResource) (uintptr, error) {
		return with.Alloc(c.h.Load(), size, align, resource)
	}
	c.entry.free = func(addr uintptr, resource AllocResource) { with.Free(c.h.Load(), addr, resource) }
	if alloc, free, err = c.entry.register(); err != nil {
		return nil, 0, 0, 0, err
	}
	return c, alloc, free, c.entry.id, nil
}

// Bind sets the handle that later requests are for.
func (c *AllocCalls[H]) Bind(h *H) {
	if c != nil {
		c.h.Store(h)
	}
}

// Release unregisters the callbacks. Call it when no C object can call them any more.
func (c *AllocCalls[H]) Release() {
	if c != nil {
		c.entry.release()
	}
}

// Begin forgets the errors of the allocator in earlier verbs.
func (c *AllocCalls[H]) Begin() {
	if c != nil {
		_ = c.entry.lastError()
	}
}

// Failed returns the error of a verb that may have called the allocator, together with the error of the allocator.
func (c *AllocCalls[H]) Failed(verb string, errno syscall.Errno, hints func() []string) error {
	err := fail.Failed(verb, errno, hints)
	if e, ok := err.(*verr.Error); ok && c != nil {
		e.Err = c.entry.lastError()
	}
	return err
}

// AllocResource says what memory is for: the number of the driver that asks, and a code of that driver.
type AllocResource uint64

// DriverID returns the number of the driver, a value of the kernel's enum rdma_driver_id.
func (r AllocResource) DriverID() uint32 { return uint32(r >> 32) }

// Code returns the driver's own code for the kind of object.
func (r AllocResource) Code() uint32 { return uint32(r) }

// String has both numbers.
func (r AllocResource) String() string {
	return fmt.Sprintf("driver %d, resource %d", r.DriverID(), r.Code())
}

// PanicError is the error of a callback that panicked, or that ended its goroutine with runtime.Goexit, as t.FailNow
// does.
type PanicError struct {
	Value any    // what panic was given; nil after Goexit
	Stack []byte // of the goroutine at the panic; nil after Goexit
}

// Error has the value of the panic.
func (e *PanicError) Error() string {
	if e.Stack == nil {
		return "ended its goroutine (runtime.Goexit)"
	}
	return fmt.Sprintf("panicked: %v", e.Value)
}

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
