//go:build linux

package bridge

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func isOpen(fd int) bool {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil
}

func file(t *testing.T) int {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	check(t, err)
	t.Cleanup(func() { f.Close() })
	return int(f.Fd())
}

func duplicate(t *testing.T, fd int) int {
	t.Helper()
	own, err := DuplicateFD("verb", "cmd_fd", fd)
	check(t, err)
	return own
}

// TestRefusedFD gives duplicates to libraries that refuse the call: one leaves the duplicate open, one has closed it, and one has closed
// it and another file has its number.
func TestRefusedFD(t *testing.T) {
	fd, other := file(t), file(t)
	own := duplicate(t, fd)
	if flags, err := unix.FcntlInt(uintptr(own), unix.F_GETFD, 0); own == fd || err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("the duplicate of %d is %d, with flags %#x, %v", fd, own, flags, err)
	}
	if RefusedFD(own, fd); isOpen(own) || !isOpen(fd) {
		t.Errorf("open: the duplicate %t, the original %t", isOpen(own), isOpen(fd))
	}
	RefusedFD(own, fd)
	if !isOpen(fd) {
		t.Error("the original is closed")
	}
	own = duplicate(t, fd)
	check(t, unix.Dup3(other, own, unix.O_CLOEXEC))
	defer unix.Close(own)
	if RefusedFD(own, fd); !isOpen(own) {
		t.Error("the file of another is closed")
	}
}

// TestNotOpen duplicates what is not open.
func TestNotOpen(t *testing.T) {
	const want = "verb: cmd_fd 1000000 is not an open file descriptor: bad file descriptor (EBADF)"
	if _, err := DuplicateFD("verb", "cmd_fd", 1e6); !errors.Is(err, syscall.EBADF) || err.Error() != want {
		t.Errorf("Duplicate: %v", err)
	}
}
