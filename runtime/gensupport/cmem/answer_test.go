package cmem

import (
	"errors"
	"syscall"
	"testing"
	"unsafe"
)

// TestEitherErrno takes an errno of either sign, and one beside -1.
func TestEitherErrno(t *testing.T) {
	for _, c := range []struct {
		n    int
		err  error
		want syscall.Errno
	}{{0, nil, 0}, {0, syscall.EAGAIN, 0}, {22, nil, syscall.EINVAL}, {-113, syscall.EIO, syscall.EHOSTUNREACH},
		{-1, syscall.ENODEV, syscall.ENODEV}, {-1, nil, syscall.EIO}} {
		if got := EitherErrno(c.n, c.err); got != c.want {
			t.Errorf("%d beside %v: %v, want %v", c.n, c.err, got, c.want)
		}
	}
}

// TestAnswers sorts answers that are an object or a number, and those that are none.
func TestAnswers(t *testing.T) {
	var x int
	another := errors.New("another")
	if p, errno := OrErrno(unsafe.Pointer(&x), syscall.EIO); p != unsafe.Pointer(&x) || errno != 0 {
		t.Errorf("an object: %v, %v", p, errno)
	}
	if p, errno := OrErrno(nil, syscall.ENOMEM); p != nil || errno != syscall.ENOMEM {
		t.Errorf("NULL: %v, %v", p, errno)
	}
	if p, errno := OrErrno(nil, another); p != nil || errno != 0 {
		t.Errorf("NULL without errno: %v, %v", p, errno)
	}
	if n, errno := IntOrErrno(7, syscall.EIO); n != 7 || errno != 0 {
		t.Errorf("7: %d, %v", n, errno)
	}
	if n, errno := IntOrErrno(-1, syscall.EIO); n != -1 || errno != syscall.EIO {
		t.Errorf("-1: %d, %v", n, errno)
	}
	if n, errno := IntOrNegated(7); n != 7 || errno != 0 {
		t.Errorf("7: %d, %v", n, errno)
	}
	if n, errno := IntOrNegated(-22); n != -22 || errno != syscall.EINVAL {
		t.Errorf("-22: %d, %v", n, errno)
	}
}
