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

// enter makes the folder where it is missing and locks it for writing. undoDir takes back the making.
func enter(dir string) (undoDir, unlock func(), err error) {
	for {
		undoDir, err := makeDir(dir)
		if err != nil {
			return nil, nil, err
		}
		unlock, err := lock(dir, true)
		switch {
		case errors.Is(err, errMoved):
			continue
		case err != nil:
			undoDir()
			return nil, nil, err
		}
		return undoDir, unlock, nil
	}
}

// errMoved says that another folder, or none, stands under the name since it was opened: a run that made the folder
// failed, and took it back.
var errMoved = errors.New("output: the folder was removed meanwhile")

// lock keeps other runs of verbsgen out of a folder, but for readers beside readers, until unlock is called. The lock is
// the kernel's, on the folder itself: it leaves no file, and ends with the process. Where the file system has no such
// locks there is none.
func lock(dir string, write bool) (unlock func(), err error) {
	if info, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, errMoved
	} else if err != nil {
		return nil, writeError(dir, err)
	} else if !info.IsDir() {
		return nil, writeError(dir, syscall.ENOTDIR)
	}
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errMoved
	} else if err != nil {
		return nil, writeError(dir, err)
	}
	for end := time.Now().Add(lockPatience); !tryLock(f, write); time.Sleep(lockPause) {
		if time.Now().After(end) {
			f.Close()
			return nil, writeError(dir, errors.New("another run has been writing here for "+lockPatience.String()))
		}
	}
	mine, err := f.Stat()
	if err == nil {
		var there fs.FileInfo
		if there, err = os.Stat(dir); err == nil && os.SameFile(mine, there) {
			return func() { f.Close() }, nil
		}
	}
	f.Close()
	return nil, errMoved
}

// makeDir makes the folder, and those above it, and gives what takes back the making.
func makeDir(dir string) (undo func(), err error) {
	var missing, made []string
	for d := filepath.Clean(dir); ; d = filepath.Dir(d) {
		info, err := os.Lstat(d)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			if _, err := os.Stat(d); errors.Is(err, fs.ErrNotExist) {
				return nil, writeError(d, errors.New("it is a symbolic link to a folder that is not there"))
			}
		}
		if !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			break
		}
		missing = append(missing, d)
	}
	undo = func() {
		for i := len(made) - 1; i >= 0; i-- {
			_ = os.Remove(made[i]) // refused by the system when something is in it: then it stays
		}
	}
	for i := len(missing) - 1; i >= 0; i-- {
		err := os.Mkdir(missing[i], 0o777)
		if errors.Is(err, fs.ErrExist) { // another run made it at the same time, or it is none: opening it will tell
			continue
		}
		if err != nil {
			undo()
			return nil, writeError(dir, err)
		}
		made = append(made, missing[i])
	}
	return undo, nil
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
