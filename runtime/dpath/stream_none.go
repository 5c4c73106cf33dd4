//go:build !linux || !cgo

package dpath

import (
	"syscall"
	"unsafe"
)

// Begin is ENOSYS.
func (Range[W]) Begin(a *Stream) unsafe.Pointer {
	if a == nil {
		return nil
	}
	a.code, a.bad = int32(syscall.ENOSYS), -1
	return nil
}

// End does nothing.
func (Range[W]) End(*Stream) {}
