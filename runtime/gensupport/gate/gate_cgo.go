//go:build linux && cgo

package gate

// This file is unsafe because it hands C the address of a word in a Go object. What keeps it sound: the word holds no
// pointer, C keeps its address no longer than a call, and compares it afterwards without following it.

/*
#include "close.h"
*/
import "C"

import (
	"syscall"
	"unsafe"
)

// barrier orders the closing of a gate before the search for calls that are inside.
func barrier() error {
	if errno := C.verbsgen_gate_barrier(); errno != 0 {
		return syscall.Errno(errno)
	}
	return nil
}

// inside reports whether a thread is in a call that uses the object.
func (g *Gate) inside() bool { return C.verbsgen_gate_inside((*C.uintptr_t)(g.Word())) != 0 }

// pass returns the first thread from a given one on that is in a call which uses objects beside that of its gate; nil for none.
func (g *Gate) pass(from unsafe.Pointer) unsafe.Pointer {
	return unsafe.Pointer(C.verbsgen_gate_pass((*C.struct_verbsgen_gate_slot)(from), (*C.uintptr_t)(g.Word())))
}

// fenced reports whether every call has a fence because there is no membarrier(2); slots gives the number of threads that
// were in a call at the same time, at most.
func fenced() bool { return C.verbsgen_gate_fenced() != 0 }
func slots() int   { return int(C.verbsgen_gate_slots()) }
