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

// Flush prepares a flush. It completes when earlier writes to length bytes at the remote address have reached the places of typ. With level
// IBV_FLUSH_MR, these are the writes to the whole region of rkey. A flush has no SGEs. Only a QP.Stream posts it, because struct
// ibv_send_wr has no members for it. C: IBV_WR_FLUSH.
func (w SendWR) Flush(id, remote uint64, rkey uint32, length uint64, typ PlacementType, level SelectivityLevel) SendWR {
	w.r.begin(id, opFlush)
	w.r.Remote, w.r.second, w.r.Swap, w.r.Key = remote, length, uint64(level), rkey // members of an atomic
	binary.NativeEndian.PutUint32(w.r.Imm[:], uint32(typ))
	return w
}

// AtomicWrite prepares an RDMA WRITE of 8 bytes that become visible together. The remote address must be a multiple of 8, and value has the
// processor's byte order. The request has no SGEs. Only a QP.Stream posts it, because struct ibv_send_wr has no members for it.
// C: IBV_WR_ATOMIC_WRITE.
func (w SendWR) AtomicWrite(id, remote uint64, rkey uint32, value uint64) SendWR {
	w.r.begin(id, opAtomicWrite)
	w.r.Remote, w.r.second, w.r.Key = remote, value, rkey // members of an atomic
	return w
}
