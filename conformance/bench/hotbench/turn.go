//go:build linux && cgo

package hotbench

/*
#include "hot.h"
*/
import "C"

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// Write is what the WRITEs of Post have.
type Write struct {
	Addr, Remote       uint64
	LKey, RKey, Length uint32
	Flags              verbs.SendFlags // beside SIGNALED
}

func (w Write) c() C.struct_hb_write {
	return C.struct_hb_write{addr: C.uint64_t(w.Addr), remote: C.uint64_t(w.Remote), lkey: C.uint32_t(w.LKey), rkey: C.uint32_t(w.RKey),
		length: C.uint32_t(w.Length), flags: C.uint32_t(w.Flags)}
}

// Post posts n WRITEs to a queue pair (struct ibv_qp *) in C by one call, times over, and returns how long that took; below 0 if it
// failed. The requests are built before, or with anew for each call.
func Post(qp unsafe.Pointer, w Write, n, times int, anew bool) time.Duration {
	c, build := w.c(), C.int(0)
	if anew {
		build = 1
	}
	return time.Duration(C.hb_turn_post((*C.struct_ibv_qp)(qp), &c, C.int(n), C.int(times), build))
}

// Recv posts n receives as Post posts WRITEs, built before.
func Recv(qp unsafe.Pointer, w Write, n, times int) time.Duration {
	c := w.c()
	return time.Duration(C.hb_turn_recv((*C.struct_ibv_qp)(qp), &c, C.int(n), C.int(times)))
}

// Poll polls at most n completions from a queue (struct ibv_cq *) in C by one call, times over, and returns how many, and how long that
// took.
func Poll(cq unsafe.Pointer, n, times int) (int, time.Duration) {
	var got C.int
	took := C.hb_turn_poll((*C.struct_ibv_cq)(cq), C.int(n), C.int(times), &got)
	return int(got), time.Duration(took)
}

// Trip posts n requests of one kind (WRITE, READ, or FETCH_ADD of 1) in C by one call, and polls until all are complete, times over.
func Trip(qp, cq unsafe.Pointer, w Write, opcode verbs.WROpcode, n, times int) error {
	c := w.c()
	if code := C.hb_trip((*C.struct_ibv_qp)(qp), (*C.struct_ibv_cq)(cq), &c, uint32(opcode), C.int(n), C.long(times)); code != 0 {
		return fmt.Errorf("the loop in C failed: %s", []string{"", "post", "poll", "a request"}[code])
	}
	return nil
}
