//go:build linux && !asan

package dmcopy

// The address sanitizer puts on the heap what else lies on the stack, so this is not for it.

import "testing"

func TestNoAllocations(t *testing.T) {
	at := over(island(t, 8192, false))
	n := testing.AllocsPerRun(100, func() {
		var b [8192]byte
		Write(at, b[:], 0, false)
		Read(at, b[:], 0, ReadChunk, true)
		WriteAt(at, b[:64], 0)
		ReadAt(nil, b[:64], 0)
		Put32(at, 8192, 1)
		Get64(at, 8192)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
