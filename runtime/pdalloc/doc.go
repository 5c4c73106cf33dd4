// Package pdalloc lets the memory allocator of a parent domain be written in Go: it holds the C functions that a
// provider calls, one pair for the whole program, and leads their calls to the Go functions registered.
//
// It owns what crosses between C and a callback: a context is a number and never a Go pointer, a panic stays on the Go
// side, an answer that no device may use is refused, and free runs only for what alloc gave. It must not know parent
// domains, verbs or generated code.
//
// Without cgo, or on another system than Linux, Register answers an error that is errors.ErrUnsupported.
package pdalloc

import "fmt"

// Funcs is an allocator. Both functions are called from any thread, several at a time, each in a goroutine of its own,
// while the verb that needs the memory waits: they must not call verbs on the same parent domain or its objects.
type Funcs struct {
	// Alloc gives the address of size bytes for the provider's own use: zeroed, a multiple of align (0 and 1
	// ask for nothing), outside Go's heap, and not copied on fork; a mem.Buffer fulfils all of it. The memory is the
	// provider's until Free. With useDefault set the provider allocates by itself, and Free is not called. An err
	// refuses the request: it reaches the verb's error, and its errno, or ENOMEM without one, reaches the provider.
	// See [Resource] for resource.
	Alloc func(size, align uint64, resource uint64) (addr uintptr, useDefault bool, err error)

	// Free takes back what Alloc gave, exactly once. It is not called for an answer of Alloc that was refused.
	Free func(addr uintptr, resource uint64)
}

// Resource tells what memory is for: the driver that asks and a code of that driver.
type Resource uint64

// DriverID gives the number of the driver, a value of the kernel's enum rdma_driver_id.
func (r Resource) DriverID() uint32 { return uint32(r >> 32) }

// Code gives the driver's own code for the sort of object.
func (r Resource) Code() uint32 { return uint32(r) }

func (r Resource) String() string {
	return fmt.Sprintf("driver %d, resource %d", r.DriverID(), r.Code())
}

// PanicError is a callback that panicked, or that ended its goroutine by runtime.Goexit, as t.FailNow does.
type PanicError struct {
	Value any    // what panic was given; nil after Goexit
	Stack []byte // of the goroutine at the panic; nil after Goexit
}

func (e *PanicError) Error() string {
	if e.Stack == nil {
		return "ended its goroutine (runtime.Goexit)"
	}
	return fmt.Sprintf("panicked: %v", e.Value)
}

// Unwrap gives the value of the panic when it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
