//go:build linux && cgo

package hotbench

/*
#cgo LDFLAGS: -lpthread
#include "hot.h"
*/
import "C"

import (
	"errors"
	"time"
	"unsafe"
)

// PollTogether polls an empty completion queue (struct ibv_cq *) from threads of C, n times in all, and returns the processor time of the
// process.
func PollTogether(cq unsafe.Pointer, threads, n int) (time.Duration, error) {
	return spent(C.hb_poll_together((*C.struct_ibv_cq)(cq), C.int(threads), C.long(n)))
}

// DomainsTogether allocates protection domains of a device (struct ibv_context *) and frees each at once, as PollTogether polls. The
// addresses are those of ibv_alloc_pd and ibv_dealloc_pd.
func DomainsTogether(ctx unsafe.Pointer, alloc, dealloc uintptr, threads, n int) (time.Duration, error) {
	return spent(C.hb_pd_together((*C.struct_ibv_context)(ctx), C.uintptr_t(alloc), C.uintptr_t(dealloc), C.int(threads), C.long(n)))
}

func spent(ns C.int64_t) (time.Duration, error) {
	if ns < 0 {
		return 0, errors.New("a call in C failed, or a thread could not be started")
	}
	return time.Duration(ns), nil
}
