//go:build linux || windows

package fail

import "syscall"

// Errnos that package syscall lacks on some systems, for code that is built there too.
const (
	ErrnoNoData   = syscall.ENODATA
	ErrnoRemoteIO = syscall.EREMOTEIO
)
