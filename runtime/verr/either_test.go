package verr

import (
	"syscall"
	"testing"
)

// TestErrnoEither takes an errno of either sign, and one beside -1.
func TestErrnoEither(t *testing.T) {
	for _, c := range []struct {
		n    int
		err  error
		want syscall.Errno
	}{{0, nil, 0}, {0, syscall.EAGAIN, 0}, {22, nil, syscall.EINVAL}, {-113, syscall.EIO, syscall.EHOSTUNREACH},
		{-1, syscall.ENODEV, syscall.ENODEV}, {-1, nil, syscall.EIO}} {
		if got := ErrnoEither(c.n, c.err); got != c.want {
			t.Errorf("%d beside %v: %v, want %v", c.n, c.err, got, c.want)
		}
	}
}
