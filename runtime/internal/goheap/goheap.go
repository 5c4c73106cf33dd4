// Package goheap knows whether an address is in memory that Go manages.
package goheap

// Why unsafe: an address that came from elsewhere is shown to the runtime as a pointer, to ask whether it is Go's. What
// keeps it sound: it is never followed, and it becomes a pointer that the collector can see only after it is known to
// lie outside Go's heap. A function of package runtime that takes an address would replace all of this.

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Is reports whether addr lies in memory that Go manages: its heap, the stacks of goroutines, or the variables of
// Go packages. Memory of a Buffer, of mmap and of C does not. addr may be any number.
//
// Without cgo, where there is no C memory, an address in an unused part of the heap stops the program, as a Go pointer
// to it would.
func Is(addr uintptr) bool {
	if addr == 0 {
		return false
	}
	return inHeapOrStack(addr) || adopted(addr)
}

// Refuse is the error (EINVAL) of an address that a device must not be given as a number: when the first or the last of length
// bytes lies in Go's heap or on the stack of a goroutine, the collector may free or move what is there while the device
// writes to it. Variables of packages stay where they are, and are no error. Without cgo, where no device is, nothing is.
func Refuse(addr uintptr, length uint64) error {
	last := addr
	if more := uintptr(length) - 1; length > 0 && more <= ^uintptr(0)-addr {
		last += more
	}
	if !(addr != 0 && inHeapOrStack(addr)) && !(last != addr && inHeapOrStack(last)) {
		return nil
	}
	return fail.Invalid("", fmt.Sprintf("%d bytes at %#x lie in Go's heap or on a stack, where the collector may free or move them while "+
		"a device uses them; pass the slice, or pin it by mem.PinBytes and pass the Pin", length, addr))
}

// adopted asks the runtime to watch the object at addr: it knows those on the heap and package variables, and panics for
// everything else.
func adopted(addr uintptr) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	p := *(**byte)(unsafe.Pointer(&addr))
	c := runtime.AddCleanup(p, func(struct{}) {}, struct{}{})
	c.Stop()
	runtime.KeepAlive(p)
	return true
}
