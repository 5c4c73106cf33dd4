//go:build linux && cgo

package hotbench

/*
#include "hot.h"
*/
import "C"

import (
	"time"
	"unsafe"
)

// Write is what the WRITEs of Post have.
type Write struct {
	Addr, Remote       uint64
	LKey, RKey, Length uint32
}

// Post posts n WRITEs to a queue pair (struct ibv_qp *) in C, by one call, and returns how long the call took; below 0 if it failed.
func Post(qp unsafe.Pointer, w Write, n int) time.Duration {
	c := C.struct_hb_write{addr: C.uint64_t(w.Addr), remote: C.uint64_t(w.Remote), lkey: C.uint32_t(w.LKey), rkey: C.uint32_t(w.RKey),
		length: C.uint32_t(w.Length)}
	return time.Duration(C.hb_turn_post((*C.struct_ibv_qp)(qp), &c, C.int(n)))
}

// Poll polls at most n completions from a queue (struct ibv_cq *) in C, by one call, and returns how many, and how long the call took.
func Poll(cq unsafe.Pointer, n int) (int, time.Duration) {
	var got C.int
	took := C.hb_turn_poll((*C.struct_ibv_cq)(cq), C.int(n), &got)
	return int(got), time.Duration(took)
}
