//go:build !linux || !cgo

package dpath

import (
	"syscall"
	"unsafe"
)

// Begin is ENOSYS.
func (SendRange) Begin(a *Stream) unsafe.Pointer {
	a.code, a.bad = int32(syscall.ENOSYS), -1
	return nil
}

// End does nothing.
func (SendRange) End(*Stream) {}
