package verr

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func systemName(errno syscall.Errno) string { return unix.ErrnoName(errno) }
