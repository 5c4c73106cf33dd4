//go:build linux

package bridge

import (
	"fmt"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
	"golang.org/x/sys/unix"
)

// DuplicateFD returns a duplicate of a file descriptor for a library that takes it over, so that the program's own stays the program's.
// The C function verb is given it as its parameter param.
func DuplicateFD(verb, param string, fd int) (int, error) {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		return own, nil
	}
	errno, _ := err.(syscall.Errno)
	problem := "%s %d cannot be duplicated"
	if errno == syscall.EBADF {
		problem = "%s %d is not an open file descriptor"
	}
	return -1, &verr.Error{Verb: verb, Errno: errno, Msg: fmt.Sprintf(problem, param, fd)}
}

// RefusedFD closes a duplicate of fd that a library was given and did not take over. Some errors of a library come after it has closed
// the descriptor: its number may be that of another file by now, which stays open.
func RefusedFD(own, fd int) {
	if sameFile(own, fd) {
		_ = unix.Close(own)
	}
}

// sameFile reports whether two descriptors are of one open file, or of one inode where the kernel does not compare open files.
func sameFile(a, b int) bool {
	const kcmpFile = 0
	self := uintptr(unix.Getpid())
	differ, _, errno := unix.Syscall6(unix.SYS_KCMP, self, self, kcmpFile, uintptr(a), uintptr(b), 0)
	if errno == 0 {
		return differ == 0
	}
	var x, y unix.Stat_t
	return unix.Fstat(a, &x) == nil && unix.Fstat(b, &y) == nil && x.Dev == y.Dev && x.Ino == y.Ino
}
