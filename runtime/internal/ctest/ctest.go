//go:build cgo

// Package ctest is C for tests: memory for those of package mem, and calls of allocators for those of package cmem.
package ctest

// Why unsafe: memory of malloc is freed by its pointer, which is kept as C gave it.

/*
#include <stdint.h>
#include <stdlib.h>

static int verbsgen_cmem_global;

static uintptr_t verbsgen_cmem_variable(void) { return (uintptr_t)&verbsgen_cmem_global; }
static void verbsgen_cmem_take(char **p) { (void)p; }
static uintptr_t verbsgen_cmem_stack(void) { volatile char c = 0; return (uintptr_t)&c + (uintptr_t)c; }
*/
import "C"

import "unsafe"

// Block is memory of malloc.
type Block struct{ p unsafe.Pointer }

// Malloc allocates n bytes by malloc(3).
func Malloc(n int) Block { return Block{C.malloc(C.size_t(n))} }

// Addr returns the address of the block.
func (b Block) Addr() uintptr { return uintptr(b.p) }

// Free returns the block back.
func (b Block) Free() { C.free(b.p) }

// Variable returns the address of a variable of C.
func Variable() uintptr { return uintptr(C.verbsgen_cmem_variable()) }

// Stack returns an address that was on the stack of the C code, where nothing is alive any more.
func Stack() uintptr { return uintptr(C.verbsgen_cmem_stack()) }

// Accepts reports whether cgo lets C have memory that holds p: only when p is pinned, or not Go's. Its checks must be on,
// as they are by default (GODEBUG=cgocheck=1).
func Accepts(p *byte) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	slot := new(*C.char)
	*slot = (*C.char)(unsafe.Pointer(p))
	C.verbsgen_cmem_take(slot)
	return true
}

// Function returns the address of C's free.
func Function() uintptr { return uintptr(C.free) }
