package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lockPatience is how long a run waits for another one that writes to the same folder, and lockPause how long between
// two looks.
var (
	lockPatience = time.Minute
	lockPause    = 10 * time.Millisecond
)

// enter makes the folder where it is missing and locks it for writing.
func enter(dir string) (unlock func(), err error) {
	err = os.MkdirAll(filepath.Clean(dir), 0o777)
	if pe := (*fs.PathError)(nil); errors.Is(err, fs.ErrExist) && errors.As(err, &pe) {
		return nil, writeError(pe.Path, errors.New("it is a symbolic link to a folder that is not there"))
	} else if err != nil {
		return nil, writeError(dir, err)
	}
	return lock(dir, true)
}

// lock keeps other runs of verbsgen out of a folder, but for readers beside readers, until unlock is called. The lock is
// the kernel's, on the folder itself: it leaves no file, and ends with the process. Where the file system has no such
// locks there is none.
func lock(dir string, write bool) (unlock func(), err error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY, 0) // a pipe would block
	if err != nil {
		return nil, writeError(dir, err)
	}
	for end := time.Now().Add(lockPatience); !tryLock(f, write); time.Sleep(lockPause) {
		if time.Now().After(end) {
			f.Close()
			return nil, writeError(dir, errors.New("another run has been writing here for "+lockPatience.String()))
		}
	}
	return func() { f.Close() }, nil
}

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
