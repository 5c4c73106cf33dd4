package validate

import (
	"errors"
	"syscall"
)

// Gone reports whether a call failed with errno because its device was taken away: every call on such a device is EIO, and so is
// ask, a query that changes nothing. A single EIO has other causes.
func Gone[T any](errno syscall.Errno, ask func() (*T, error)) bool {
	if errno != syscall.EIO {
		return false
	}
	_, err := ask()
	return errors.Is(err, syscall.EIO)
}
