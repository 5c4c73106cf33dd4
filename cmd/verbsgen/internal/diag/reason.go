package diag

import (
	"errors"
	"io/fs"
	"os"
)

// Reason is an error of the file system without the paths, which the place of a diagnostic tells.
func Reason(err error) string {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		err = pe.Err
	case errors.As(err, &le):
		err = le.Err
	}
	return err.Error()
}
