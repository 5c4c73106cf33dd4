//go:build race && linux && cgo

package dpath

import (
	"runtime"
	"unsafe"
)

// Written tells the race detector, which does not see C, that a list of completions is written. The address is hidden from the
// compiler for a moment, so that it does not conclude that the list must lie on the heap: the detector does not keep it.
func Written[T any](list []T) {
	addr := uintptr(unsafe.Pointer(unsafe.SliceData(list)))
	runtime.RaceWriteRange(*(*unsafe.Pointer)(unsafe.Pointer(&addr)), len(list)*int(unsafe.Sizeof(*new(T))))
}

// reading informs the race detector that C reads requests, their elements and inline data. It does not read room, which Close
// writes. Two posts at once are a race: it has each of them write a word of the batch.
func reading[W record](b *requests[W], first, n int) {
	latest := &b.use.latest
	runtime.RaceWriteRange(unsafe.Pointer(latest), int(unsafe.Sizeof(*latest)))
	wrs := b.wrs[first : first+n]
	for i := range wrs {
		w := unsafe.Pointer(&wrs[i])
		sges, num, room := listOf(&wrs[i])
		read(w, uintptr(unsafe.Pointer(room))-uintptr(w))
		if *num > 0 {
			read(unsafe.Pointer(element(w, sges, 0)), uintptr(*num)*unsafe.Sizeof(SGE{}))
		}
		if w, ok := any(&wrs[i]).(*SendRequest); ok && w.inline != 0 && w.Flags&flagInline != 0 {
			read(w.inlineData(), uintptr(w.inline))
		}
	}
}

func read(p unsafe.Pointer, n uintptr) { runtime.RaceReadRange(p, int(n)) }
