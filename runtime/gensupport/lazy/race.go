//go:build race

package lazy

import (
	"runtime"
	"unsafe"
)

// Written informs the race detector, which does not see C, that C writes a list. The address is hidden from the compiler, so that it
// does not conclude that the list must lie on the heap: the detector does not keep it.
func Written[T any](list []T) {
	addr := uintptr(unsafe.Pointer(unsafe.SliceData(list)))
	runtime.RaceWriteRange(*(*unsafe.Pointer)(unsafe.Pointer(&addr)), len(list)*int(unsafe.Sizeof(*new(T))))
}
