//go:build linux && cgo

package ctest

/*
#include "alloc.h"
*/
import "C"

import "syscall"

// Funcs is what a provider knows of the allocator of a parent domain. It calls it as a provider does: from C, by address, and from threads
// of C.
type Funcs struct{ Ctx, Alloc, Free uintptr }

func (f Funcs) call(size, align, resource uint64) C.struct_ctest_call {
	return C.struct_ctest_call{
		ctx: C.uintptr_t(f.Ctx), alloc: C.uintptr_t(f.Alloc), free: C.uintptr_t(f.Free),
		size: C.size_t(size), align: C.size_t(align), resource: C.uint64_t(resource),
	}
}

// DoAlloc calls alloc with errno EXDEV and gives the answer and the errno after it.
func (f Funcs) DoAlloc(size, align, resource uint64) (uintptr, syscall.Errno) {
	c := f.call(size, align, resource)
	C.ctest_alloc(&c)
	return uintptr(c.addr), syscall.Errno(c.err)
}

// DoFree calls free with errno EXDEV and gives the errno after it.
func (f Funcs) DoFree(addr uintptr, resource uint64) syscall.Errno {
	c := f.call(0, 0, resource)
	c.addr = C.uintptr_t(addr)
	C.ctest_free(&c)
	return syscall.Errno(c.err)
}

// AllocInThread is DoAlloc from a new thread of C.
func (f Funcs) AllocInThread(size, align, resource uint64) (uintptr, syscall.Errno) {
	c := f.call(size, align, resource)
	if err := C.ctest_in_thread(&c, 0); err != 0 {
		return 0, syscall.Errno(err)
	}
	return uintptr(c.addr), syscall.Errno(c.err)
}

// FreeInThread is DoFree from a new thread of C.
func (f Funcs) FreeInThread(addr uintptr, resource uint64) syscall.Errno {
	c := f.call(0, 0, resource)
	c.addr = C.uintptr_t(addr)
	if err := C.ctest_in_thread(&c, 1); err != 0 {
		return syscall.Errno(err)
	}
	return syscall.Errno(c.err)
}

// Storm has many threads (16 at most) allocate, check for zeros, write and free, and gives how often something was wrong.
func (f Funcs) Storm(size, align uint64, threads, rounds int) int {
	c := f.call(size, align, 0)
	return int(C.ctest_storm(&c, C.int(threads), C.int(rounds)))
}
