//go:build linux && !asan

package dmcopy

// The address sanitizer puts on the heap what else lies on the stack, so this is not for it.

import "testing"

func TestNoAllocations(t *testing.T) {
	dev := island(t, 8192, false)
	at := over(dev)
	n := testing.AllocsPerRun(100, func() {
		var b [8192]byte
		Write(at, 0, b[:])
		Read(b[:], at, 0, ReadChunk)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
