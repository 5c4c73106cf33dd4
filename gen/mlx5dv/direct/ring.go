//go:build linux && (amd64 || arm64)

package direct

import "unsafe"

// ring writes the index of the send queue to its record, and then the first 8 bytes of the latest request to the register. The requests
// are stored before the record, the record before the register, and the register has left the processor when ring returns.
//
//go:noescape
func ring(rec *uint32, index uint32, reg unsafe.Pointer, first uint64)

// ringWhole is ring with the whole request in the register, in blocks of 64 bytes: BlueFlame.
//
//go:noescape
func ringWhole(rec *uint32, index uint32, reg, from unsafe.Pointer, blocks int)
