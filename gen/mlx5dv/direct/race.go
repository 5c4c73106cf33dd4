//go:build race && linux && (amd64 || arm64)

package direct

import (
	"runtime"
	"unsafe"
)

const raceEnabled = true

// handOver tells the race detector that what is written here is read after a completion, and taken that it was.
func handOver(queue unsafe.Pointer) { runtime.RaceReleaseMerge(queue) }
func taken(queue unsafe.Pointer)    { runtime.RaceAcquire(queue) }
