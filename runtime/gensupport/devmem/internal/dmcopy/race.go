//go:build race

package dmcopy

import (
	"runtime"
	"unsafe"
)

// Race reports whether the race detector is there.
const Race = true

// HostRead tells the race detector, which sees neither assembly nor C, that p is read.
func HostRead(p []byte) {
	if len(p) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(unsafe.SliceData(unkept(p))), len(p))
	}
}

// HostWritten tells the race detector that p is written.
func HostWritten(p []byte) {
	if len(p) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(unsafe.SliceData(unkept(p))), len(p))
	}
}
