//go:build !amd64

package dmcopy

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"
)

// Available is false where no assembly was written and tried: the provider's own routine is used there. The functions
// below keep the contract all the same (no locked exchanges outside x86), they are only slow.
const Available = false

func store4(dst, src unsafe.Pointer, n uintptr) {
	host := unsafe.Slice((*byte)(src), n)
	for ; len(host) > 0; host = host[Granule:] {
		Store(dst, binary.NativeEndian.Uint32(host))
		dst = unsafe.Add(dst, Granule)
	}
}

func load4(dst, src unsafe.Pointer, n uintptr) {
	host := unsafe.Slice((*byte)(dst), n)
	for ; len(host) > 0; host = host[Granule:] {
		binary.NativeEndian.PutUint32(host, Load(src))
		src = unsafe.Add(src, Granule)
	}
}

// Store makes one 4-byte store to the mapping.
func Store(dst unsafe.Pointer, v uint32) { atomic.StoreUint32((*uint32)(dst), v) }

// Load makes one 4-byte load from the mapping.
func Load(src unsafe.Pointer) uint32 { return atomic.LoadUint32((*uint32)(src)) }

// Flush has nothing to order: the stores above are ordered already.
func Flush() {}
