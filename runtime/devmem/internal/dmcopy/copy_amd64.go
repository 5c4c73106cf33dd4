package dmcopy

import "unsafe"

// Available tells that this build has the instructions; without them callers leave the copy to the provider.
const Available = true

// store4 writes n bytes, a multiple of 4, to the mapping from byte off on in ascending order, each granule by one 4-byte store. src
// may have any alignment. It does nothing when the range does not lie within the span.
//
//go:noescape
func store4(dst *Span, off uint64, src unsafe.Pointer, n uint64) Outcome

// load4 reads n bytes, a multiple of 4, from byte off of the mapping on in ascending order, each granule by one 4-byte load. dst
// may have any alignment. It does nothing when the range does not lie within the span.
//
//go:noescape
func load4(dst unsafe.Pointer, src *Span, off uint64, n uint64) Outcome

// Store makes one 4-byte store to the mapping at byte off, a multiple of Granule, when that is within the span.
//
//go:noescape
func Store(dst *Span, off uint64, v uint32) Outcome

// Load makes one 4-byte load from the mapping, as Store does a store.
//
//go:noescape
func Load(src *Span, off uint64) (v uint32, how Outcome)

// Flush orders all stores of this processor to a write-combining mapping before anything after it (SFENCE).
func Flush()
