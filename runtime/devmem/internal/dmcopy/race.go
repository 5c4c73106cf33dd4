//go:build race

package dmcopy

import (
	"runtime"
	"unsafe"
)

// HostRead tells the race detector, which sees neither assembly nor C, that p is read.
func HostRead(p []byte) {
	if len(p) > 0 {
		runtime.RaceReadRange(noescape(p), len(p))
	}
}

// HostWritten tells the race detector that p is written.
func HostWritten(p []byte) {
	if len(p) > 0 {
		runtime.RaceWriteRange(noescape(p), len(p))
	}
}

// noescape returns the address of p without the compiler concluding that p must lie on the heap: the two functions above
// do not keep it. The result is a pointer again at once, so that it follows a stack that moves.
func noescape(p []byte) unsafe.Pointer {
	addr := uintptr(unsafe.Pointer(unsafe.SliceData(p)))
	return *(*unsafe.Pointer)(unsafe.Pointer(&addr))
}
