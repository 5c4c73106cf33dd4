//go:build race && linux && cgo

package dpath

import (
	"runtime"
	"unsafe"
)

// written tells the race detector, which does not see C, that completions are written. The address is hidden from the
// compiler for a moment, so that it does not conclude that wcs must lie on the heap: the detector does not keep it.
func written(wcs []WC) {
	addr := uintptr(unsafe.Pointer(unsafe.SliceData(wcs)))
	runtime.RaceWriteRange(*(*unsafe.Pointer)(unsafe.Pointer(&addr)), len(wcs)*int(unsafe.Sizeof(WC{})))
}
