package cmem

import (
	"syscall"
	"unsafe"
)

// errnoOf returns the errno that cgo read after a call; 0 when the call failed without one.
func errnoOf(err error) syscall.Errno {
	e, _ := err.(syscall.Errno)
	return e
}

// OrErrno sorts the answer of a C function that returns a pointer, or NULL and leaves the reason in errno.
func OrErrno(p unsafe.Pointer, err error) (unsafe.Pointer, syscall.Errno) {
	if p == nil {
		return nil, errnoOf(err)
	}
	return p, 0
}

// IntOrErrno sorts the answer of a C function that returns a number, or a negative one and leaves the reason in errno.
func IntOrErrno(n int, err error) (int, syscall.Errno) {
	if n < 0 {
		return n, errnoOf(err)
	}
	return n, 0
}

// IntOrNegated sorts the answer of a C function that returns a number, or the negated errno.
func IntOrNegated(n int) (int, syscall.Errno) {
	if n < 0 {
		return n, syscall.Errno(-n)
	}
	return n, 0
}

// EitherErrno returns the errno of a C function whose result is 0, an errno of either sign, or -1 with the errno in err; EIO where there
// is none.
func EitherErrno(n int, err error) syscall.Errno {
	switch e := errnoOf(err); {
	case n >= 0:
		return syscall.Errno(n)
	case n != -1:
		return syscall.Errno(-n)
	case e == 0:
		return syscall.EIO
	default:
		return e
	}
}
