//go:build linux && cgo

package direct

/*
#cgo CFLAGS: -I${SRCDIR}/../../../../runtime/abi
#include "direct.h"
*/
import "C"

import "syscall"

// PostSRQRecv posts a receive of one range to the shared receive queue at a C address.
func PostSRQRecv(srq uintptr, id, addr uint64, length, lkey uint32) syscall.Errno {
	return syscall.Errno(C.direct_post_srq_recv(C.uintptr_t(srq), C.uint64_t(id), C.uint64_t(addr), C.uint32_t(length), C.uint32_t(lkey)))
}
