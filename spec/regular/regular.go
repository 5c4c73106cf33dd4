// Package regular reads files that somebody else chose: only regular ones, and only up to a size.
//
// A named pipe or a device among them could block for ever or fill the memory. It knows nothing of what files hold.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Open opens a regular file, or a link to one, for reading. It never waits for the other end of a pipe. The error is a
// *fs.PathError.
func Open(name string) (*os.File, error) {
	if info, err := os.Stat(name); err != nil { // before opening: a device may act on being opened
		return nil, err
	} else if err := check(name, info.Mode()); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat() // again: the name may stand for another file by now
	if err == nil {
		err = check(name, info.Mode())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// check refuses what is no regular file.
func check(name string, mode fs.FileMode) error {
	var err error
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		err = syscall.EISDIR
	default:
		err = errors.New("it is a " + Kind(mode) + ", and only regular files are read")
	}
	return &fs.PathError{Op: "open", Path: name, Err: err}
}

// Kind names the kind of a file that is not regular.
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// Read reads a regular file of at most limit bytes. The error is a *fs.PathError.
func Read(name string, limit int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return All(f, name, limit)
}

// ReadFS is Read for a file of fsys, whose Open is not to wait.
func ReadFS(fsys fs.FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = check(name, info.Mode())
	}
	if err != nil {
		return nil, err
	}
	return All(f, name, limit)
}

// All reads r to its end, of which name says where it comes from. More than limit bytes are an error, a *fs.PathError.
func All(r io.Reader, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("it is larger than " + size(limit))}
	}
	return data, nil
}

// size writes a number of bytes in the largest unit that divides it.
func size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// DirFS is os.DirFS for a folder of which Open opens only regular files, and the folder itself.
func DirFS(dir string) fs.FS { return dirFS(dir) }

type dirFS string

func (d dirFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if name == "." {
		return os.Open(string(d))
	}
	return Open(filepath.Join(string(d), filepath.FromSlash(name)))
}
