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

// sending informs the race detector that C reads requests, their elements and inline data. It does not read room, which Close
// writes. Two posts are a race because each writes the state of the batch.
func sending(wrs []SendWR) {
	for i := range wrs {
		w := &wrs[i]
		read(unsafe.Pointer(w), unsafe.Offsetof(w.room))
		if w.num > 0 {
			read(unsafe.Pointer(element(unsafe.Pointer(w), w.sges, 0)), uintptr(w.num)*unsafe.Sizeof(SGE{}))
		}
		if w.inline != 0 && w.flags&flagInline != 0 {
			read(w.inlineData(), uintptr(w.inline))
		}
	}
}

// receiving is like sending.
func receiving(wrs []RecvWR) {
	for i := range wrs {
		w := &wrs[i]
		read(unsafe.Pointer(w), unsafe.Offsetof(w.room))
		if w.num > 0 {
			read(unsafe.Pointer(element(unsafe.Pointer(w), w.sges, 0)), uintptr(w.num)*unsafe.Sizeof(SGE{}))
		}
	}
}

func read(p unsafe.Pointer, n uintptr) { runtime.RaceReadRange(p, int(n)) }
