//go:build linux && cgo

package dptest

/*
#include <stdlib.h>
#include "provider.h"
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// Excluded is what Exclude saw.
type Excluded struct {
	Wrong   int // times that both threads used the batch
	Used    int // uses that began, of both threads
	Counted int // uses that a counter without a lock counted
}

// Exclude has two threads use a batch at once, in rounds. In half of them it belongs to one of the threads, in the others to nobody.
// use is the memory of its use, of size bytes.
func Exclude(use unsafe.Pointer, size uintptr, rounds int) Excluded {
	x := (*C.struct_dp_exclude)(C.calloc(1, C.sizeof_struct_dp_exclude))
	defer C.free(unsafe.Pointer(x))
	x.use, x.size = C.uintptr_t(uintptr(use)), C.size_t(size)
	done := make(chan struct{})
	go func() {
		C.dp_exclude(x, 1, C.int64_t(rounds))
		close(done)
	}()
	C.dp_exclude(x, 0, C.int64_t(rounds))
	<-done
	runtime.KeepAlive(use)
	return Excluded{
		Wrong:   int(x.at[0].wrong + x.at[1].wrong),
		Used:    int(x.at[0].used + x.at[1].used),
		Counted: int(x.count),
	}
}
