package fail

import "syscall"

// Errnos of Linux that package syscall lacks on some systems, for code that is built there too.
const (
	ErrnoNoData   syscall.Errno = 61  // ENODATA
	ErrnoRemoteIO syscall.Errno = 121 // EREMOTEIO
)
