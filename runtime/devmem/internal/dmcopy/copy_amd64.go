package dmcopy

import "unsafe"

// Available tells that this build has the instructions; without them callers leave the copy to the provider.
const Available = true

// store4 writes n bytes, a multiple of 4, to the mapping at dst in ascending order, each granule by one 4-byte store. src
// may have any alignment.
//
//go:noescape
func store4(dst, src unsafe.Pointer, n uintptr)

// load4 reads n bytes, a multiple of 4, from the mapping at src in ascending order, each granule by one 4-byte load. dst
// may have any alignment.
//
//go:noescape
func load4(dst, src unsafe.Pointer, n uintptr)

// Store makes one 4-byte store to the mapping.
//
//go:noescape
func Store(dst unsafe.Pointer, v uint32)

// Load makes one 4-byte load from the mapping.
//
//go:noescape
func Load(src unsafe.Pointer) uint32

// Flush orders all stores of this processor to a write-combining mapping before anything after it (SFENCE).
func Flush()
