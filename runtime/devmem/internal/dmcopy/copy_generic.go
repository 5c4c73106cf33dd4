//go:build !amd64

package dmcopy

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"
)

// Available is false where no assembly was written and tried: the provider's own routine is used there. The functions
// below access the mapping as the assembly does, but can be preempted after they looked at the length: nothing of Go may use
// them where a mapping can be closed.
const Available = false

func store4(dst *Span, off uint64, src unsafe.Pointer, n uint64) Outcome {
	if how := dst.within(off, n); how != Copied {
		return how
	}
	host := unsafe.Slice((*byte)(src), n)
	for ; len(host) > 0; host = host[Granule:] {
		Store(dst, off, binary.NativeEndian.Uint32(host))
		off += Granule
	}
	return Copied
}

func load4(dst unsafe.Pointer, src *Span, off uint64, n uint64) Outcome {
	if how := src.within(off, n); how != Copied {
		return how
	}
	host := unsafe.Slice((*byte)(dst), n)
	for ; len(host) > 0; host = host[Granule:] {
		v, _ := Load(src, off)
		binary.NativeEndian.PutUint32(host, v)
		off += Granule
	}
	return Copied
}

func (s *Span) within(off, n uint64) Outcome {
	switch length := atomic.LoadUint64(&s.length); {
	case off <= length && n <= length-off:
		return Copied
	case length == 0:
		return Closed
	}
	return Beyond
}

// Store makes one 4-byte store to the mapping.
func Store(dst *Span, off uint64, v uint32) Outcome {
	if how := dst.within(off, Granule); how != Copied {
		return how
	}
	atomic.StoreUint32((*uint32)(unsafe.Add(dst.base, off)), v)
	return Copied
}

// Load makes one 4-byte load from the mapping.
func Load(src *Span, off uint64) (v uint32, how Outcome) {
	if how := src.within(off, Granule); how != Copied {
		return 0, how
	}
	return atomic.LoadUint32((*uint32)(unsafe.Add(src.base, off))), Copied
}

// Flush has nothing to order: the stores above are ordered already.
func Flush() {}
