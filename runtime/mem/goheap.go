package mem

// Why unsafe: an address that came from elsewhere is shown to the runtime as a pointer, to ask whether it is Go's. What
// keeps it sound: it is never followed, and it becomes a pointer that the collector can see only after it is known to
// lie outside Go's heap. A function of package runtime that takes an address would replace all of this.

import (
	"runtime"
	"unsafe"
)

// IsGoHeap reports whether addr lies in memory that Go manages: its heap, the stacks of goroutines, or the variables of
// Go packages. Memory of a Buffer, of mmap and of C does not. addr may be any number.
//
// Without cgo, where there is no C memory, an address in an unused part of the heap stops the program, as a Go pointer
// to it would.
func IsGoHeap(addr uintptr) bool {
	if addr == 0 {
		return false
	}
	return inHeapOrStack(addr) || adopted(addr)
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
