//go:build linux && cgo

package devmem

// This file is unsafe as attach_cgo.go is: it hands numbers to C. What keeps it sound: the gate holds the mapping for the access.

/*
#include <stdint.h>
#include <errno.h>
#include "fence.h"
#include "gate.h"

#cgo noescape verbsgen_devmem_access
#cgo nocallback verbsgen_devmem_access

// One load or store of 4 or 8 bytes. The fence has it leave the buffers of a mapping that combines writes.
static void verbsgen_devmem_access(const uintptr_t *gate, uint64_t off, int width, int write, uint64_t *v, int *code)
{
	struct verbsgen_gate_slot *slot = verbsgen_gate_enter(gate);
	volatile void *at;

	if (slot == NULL) {
		*code = ENOMEM;
		return;
	}
	at = (volatile void *)verbsgen_gate_object(gate);
	*code = at != NULL ? 0 : VERBSGEN_GATE_CLOSED;
	if (at != NULL) {
		at = (volatile char *)at + off;
		if (!write)
			*v = width == 8 ? *(volatile uint64_t *)at : *(volatile uint32_t *)at;
		else if (width == 8)
			*(volatile uint64_t *)at = *v;
		else
			*(volatile uint32_t *)at = (uint32_t)*v;
		verbsgen_devmem_fence();
	}
	verbsgen_gate_leave(slot);
}
*/
import "C"

import (
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

func mappedAccess(of *gate.Gate, off uint64, width int, write bool, v *uint64) syscall.Errno {
	var code, store C.int
	if write {
		store = 1
	}
	C.verbsgen_devmem_access((*C.uintptr_t)(of.Word()), C.uint64_t(off), C.int(width), store, (*C.uint64_t)(v), &code)
	return syscall.Errno(code)
}

func unmap(begin, length uintptr) syscall.Errno {
	_, _, errno := syscall.Syscall(syscall.SYS_MUNMAP, begin, length, 0)
	return errno
}
