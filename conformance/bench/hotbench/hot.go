//go:build linux && cgo

package hotbench

/*
#include "hot.h"
*/
import "C"

import (
	_ "github.com/verbsgen/verbsgen/runtime/gensupport" // declarations of verbs_abi.h
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// Fields is what a program reads of a completion.
type Fields int

const (
	Base  Fields = C.HB_BASE  // what every completion has
	Usual Fields = C.HB_USUAL // with the length and the queue pair
	All   Fields = C.HB_ALL   // with all standard fields, and a time
)

// Options are those of a device whose extended queues do next to nothing: there is always a completion.
func Options() []softverbs.Option {
	return []softverbs.Option{softverbs.Override("create_cq_ex", uintptr(C.hb_create_cq_ex_address()))}
}

// Device is a device with streams that do next to nothing.
type Device struct{ *softverbs.Device }

// Symbol returns the address of a function.
func (d Device) Symbol(name, version string) uintptr {
	at := d.Device.Symbol(name, version)
	if name != "ibv_qp_to_qp_ex" {
		return at
	}
	C.hb_use_ex(C.uintptr_t(at))
	return uintptr(C.hb_qp_to_qp_ex_address())
}

// Pair is the extended queue pair whose functions were looked for last.
type Pair struct{ c *C.struct_ibv_qp_ex }

// NewestPair returns it.
func NewestPair() Pair {
	C.hb_fill()
	return Pair{C.hb_qp()}
}

// Stream posts n WRITEs, whose values it reads from memory, times over, in C.
func (p Pair) Stream(n, times int) { C.hb_loop_stream(p.c, C.int(n), C.long(times)) }

// Written returns the sum of the remote addresses that were posted last in each stream.
func Written() uint64 { return uint64(C.hb_written()) }

// Use has the queues be made by ibv_create_cq of a device with Options.
func Use(dev *softverbs.Device) { C.hb_use(C.uintptr_t(dev.Symbol("ibv_create_cq", "IBVERBS_1.1"))) }

// Queue is the extended completion queue that was made last.
type Queue struct{ c *C.struct_ibv_cq_ex }

// Newest returns it.
func Newest() Queue { return Queue{C.hb_cq()} }

// Read reads n completions, times over, in C.
func (q Queue) Read(f Fields, n, times int) uint64 {
	return uint64(C.hb_loop_read(q.c, uint32(f), C.int(n), C.long(times)))
}

// Without takes the function that reads immediate data from the queue, and the second time the one that goes on.
func (q Queue) Without() { C.hb_without(q.c) }
