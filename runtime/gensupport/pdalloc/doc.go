// Package pdalloc lets a program write the memory allocator of a parent domain in Go. It has the two C functions that providers
// call, one pair for the whole program, and forwards their calls to the Go functions that are registered.
//
// It owns everything between C and a callback: C gets a number as context and never a Go pointer, a panic does not leave Go, an
// address that no device may use is refused, and free is called only for what alloc returned. It must not know parent domains, verbs or
// generated code.
//
// Without cgo, or on another system than Linux, Register returns an error that is errors.ErrUnsupported.
package pdalloc

import "fmt"

// Funcs is an allocator. Its functions are called while a verb that needs the memory waits: from any thread, several at
// a time, each in a goroutine of its own. They must not call verbs on the same parent domain or its objects.
type Funcs struct {
	// Alloc returns the address of size bytes for the provider: zeroed, at a multiple of align (0 and 1 mean no
	// alignment), outside Go's heap, and not copied on fork. A mem.Buffer is all of this. The memory belongs to the
	// provider until Free. If useDefault is set, the provider allocates the memory itself and Free is not called. An
	// err refuses the request: it becomes part of the verb's error, and the provider gets its errno, or ENOMEM if it
	// has none. resource is a [Resource].
	Alloc func(size, align uint64, resource uint64) (addr uintptr, useDefault bool, err error)

	// Free is called exactly once for each address that Alloc returned. It is not called for an address that was
	// refused.
	Free func(addr uintptr, resource uint64)
}

// Resource says what memory is for: the number of the driver that asks, and a code of that driver.
type Resource uint64

// DriverID returns the number of the driver, a value of the kernel's enum rdma_driver_id.
func (r Resource) DriverID() uint32 { return uint32(r >> 32) }

// Code returns the driver's own code for the kind of object.
func (r Resource) Code() uint32 { return uint32(r) }

// String has both numbers.
func (r Resource) String() string {
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
