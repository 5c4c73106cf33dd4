package validate

import (
	"syscall"
	"testing"
)

func TestGone(t *testing.T) {
	for _, c := range []struct {
		errno  syscall.Errno
		answer error
		gone   bool
	}{
		{syscall.EIO, syscall.EIO, true},
		{syscall.EIO, nil, false},
		{syscall.EIO, syscall.ENOSYS, false},
		{syscall.EBUSY, syscall.EIO, false},
	} {
		if got := Gone(c.errno, func() (*int, error) { return nil, c.answer }); got != c.gone {
			t.Errorf("%v, and the query %v: %t", c.errno, c.answer, got)
		}
	}
}
