// Package ungated has the direct copy of package devmem as it would be if Close did not wait for copies: it checks the range in Go, and
// not in the assembly. A benchmark compares the two. It must not be used elsewhere, since a copy beside a Close is a fault.
package ungated

// Why unsafe: the memory is a provider's mapping, which lives longer than a Memory.

import (
	"errors"
	"unsafe"
)

// Memory is a mapping that nobody closes.
type Memory struct {
	base   unsafe.Pointer
	length uint64
}

// Over returns a Memory over b.
func Over(b []byte) *Memory { return &Memory{unsafe.Pointer(unsafe.SliceData(b)), uint64(len(b))} }

const (
	granule   = 4
	chunk     = 4096
	badOffset = 1<<63 | (granule - 1)
)

// WriteAt copies p, of at most 4096 bytes, to the mapping from byte off on.
func (m *Memory) WriteAt(p []byte, off int64) (n int, err error) {
	o, size := uint64(off), uint64(len(p))
	if (size-granule)&^(chunk-granule) == 0 && o&badOffset == 0 && o < m.length && o+size <= m.length {
		store4(unsafe.Add(m.base, o), unsafe.Pointer(unsafe.SliceData(p)), uintptr(size))
		return len(p), nil
	}
	return m.refuse()
}

var errRange = errors.New("odd, too long or outside of the memory")

//go:noinline
func (m *Memory) refuse() (int, error) { return 0, errRange }

//go:noescape
func store4(dst, src unsafe.Pointer, n uintptr)
