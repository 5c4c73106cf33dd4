//go:build linux && !asan

package dmcopy

// The address sanitizer puts on the heap what else lies on the stack, so this is not for it.

import (
	"testing"
	"unsafe"
)

func TestNoAllocations(t *testing.T) {
	dev := island(t, 8192, false)
	at := unsafe.Pointer(unsafe.SliceData(dev))
	n := testing.AllocsPerRun(100, func() {
		var b [8192]byte
		Write(at, b[:])
		Read(b[:], at, ReadChunk)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
