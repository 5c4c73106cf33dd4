//go:build !linux || !cgo

package dpath

import (
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
)

// Begin is ENOSYS.
func Begin[W record](_ Range[W], a *Stream, _ *gate.Gate) unsafe.Pointer {
	a.code, a.bad = int32(syscall.ENOSYS), -1
	return nil
}

// End does nothing.
func End[W record](Range[W], *Stream) {}
