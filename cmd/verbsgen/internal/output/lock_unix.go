//go:build unix && !solaris && !aix

package output

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks an open folder, or says false where another process has it locked. It is true as well where the file
// system has no locks on folders, such as some network file systems.
func tryLock(f *os.File, write bool) bool {
	how := syscall.LOCK_SH
	if write {
		how = syscall.LOCK_EX
	}
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	return !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR)
}
