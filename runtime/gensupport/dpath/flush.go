package dpath

import (
	"encoding/binary"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

const (
	opFlush       WROpcode = 14 // IBV_WR_FLUSH
	opAtomicWrite WROpcode = 15 // IBV_WR_ATOMIC_WRITE
)

// PlacementType is a set of places that earlier writes must have reached when a flush completes, enum ibv_placement_type. The generated
// package has the constants.
type PlacementType uint8

// String returns the C names without their prefix, and the value in hex: "GLOBAL (0x1)".
func (v PlacementType) String() string { return fail.FlagText(uint64(v), placementTypeNames) }

// SelectivityLevel is the memory that a flush is for, enum ibv_selectivity_level. The generated package has the constants.
type SelectivityLevel uint8

// String returns the C name without its prefix, or the number if it has no name.
func (v SelectivityLevel) String() string {
	return nameOf("SelectivityLevel", selectivityLevelNames, uint32(v))
}

// Flush begins a flush, which completes when earlier writes to length bytes at the remote address have reached the places of typ; with
// level IBV_FLUSH_MR, writes to all of the region under rkey: IBV_WR_FLUSH. It has no SGEs. Only a stream of commands posts it
// (QP.Stream): struct ibv_send_wr has no members for it.
func (w SendWR) Flush(id, remote uint64, rkey uint32, length uint64, typ PlacementType, level SelectivityLevel) SendWR {
	w.begin(id, opFlush)
	w.remote, w.second, w.swap, w.rkey = remote, length, uint64(level), rkey // members of an atomic
	binary.NativeEndian.PutUint32(w.imm[:], uint32(typ))
	return w
}

// AtomicWrite begins an RDMA WRITE of a number of 8 bytes, none of which is seen without the others. The remote address is a multiple of 8;
// the number has the byte order of the processor: IBV_WR_ATOMIC_WRITE. It has no SGEs. Only a stream of commands posts it (QP.Stream):
// struct ibv_send_wr has no members for it.
func (w SendWR) AtomicWrite(id, remote uint64, rkey uint32, value uint64) SendWR {
	w.begin(id, opAtomicWrite)
	w.remote, w.second, w.rkey = remote, value, rkey // members of an atomic
	return w
}
