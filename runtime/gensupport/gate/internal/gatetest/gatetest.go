//go:build linux && cgo

// Package gatetest is calls in C for the tests of gate.
package gatetest

/*
#include "gatetest.h"
*/
import "C"

import (
	"sync/atomic"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/gensupport/gate" // gate.h is in another folder
)

// Call is a call that stays inside a gate.
type Call struct {
	inside, leave atomic.Int32
}

// Run makes the call, and returns the object it got, 0 for a closed gate.
func (c *Call) Run(word unsafe.Pointer) uintptr {
	s := (*C.struct_gatetest_stay)(unsafe.Pointer(c))
	return uintptr(C.gatetest_stay((*C.uintptr_t)(word), s))
}

// Inside reports whether the call has begun; Leave ends it.
func (c *Call) Inside() bool { return c.inside.Load() != 0 }
func (c *Call) Leave()       { c.leave.Store(1) }

// Touch makes a call that ends at once.
func Touch(word unsafe.Pointer) uintptr { return uintptr(C.gatetest_touch((*C.uintptr_t)(word))) }

// InsideAfterFork reports whether a child of fork(2) sees a call that another thread is in: 0 when it does not.
func InsideAfterFork(word unsafe.Pointer) int {
	return int(C.gatetest_inside_after_fork((*C.uintptr_t)(word)))
}

// Litmus lets a thread use an object while another closes it, rounds times, and counts how often it was destroyed during
// its use.
func Litmus(rounds int) (wrong int) {
	done := make(chan struct{})
	go func() {
		C.gatetest_closer(C.int64_t(rounds))
		close(done)
	}()
	wrong = int(C.gatetest_user(C.int64_t(rounds)))
	<-done
	return wrong
}
