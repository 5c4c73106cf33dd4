//go:build linux || windows

package codes

import "syscall"

// Errnos that package syscall lacks on some systems, for code that is built there too.
const (
	ErrnoNoData   = syscall.ENODATA
	ErrnoRemoteIO = syscall.EREMOTEIO
)
