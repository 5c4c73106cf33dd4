//go:build linux && cgo

package devmem

import "syscall"

func unmap(begin, length uintptr) syscall.Errno {
	_, _, errno := syscall.Syscall(syscall.SYS_MUNMAP, begin, length, 0)
	return errno
}
