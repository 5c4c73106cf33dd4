package output

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/verbsgen/verbsgen/spec/regular"
)

// FileAt reports where a file that replaces the one at a path is to be written: where a link leads to. It refuses to replace
// anything but a regular file. The error is a *fs.PathError.
func FileAt(at string) (string, error) {
	info, err := os.Stat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(at); err == nil {
			return "", &fs.PathError{Op: "write", Path: at, Err: errors.New("it is a symbolic link to a file that is not there")}
		}
		return at, nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", &fs.PathError{Op: "write", Path: at, Err: errors.New("it is a " + regular.Kind(info.Mode()) + ", not a regular file")}
	}
	return filepath.EvalSymlinks(at)
}
