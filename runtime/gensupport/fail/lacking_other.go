//go:build !linux && !windows

package fail

import "syscall"

// Errnos of Linux that package syscall lacks on some of these systems, where no call returns them.
const (
	ErrnoNoData   syscall.Errno = 0x20000 + iota // ENODATA
	ErrnoRemoteIO                                // EREMOTEIO
)
