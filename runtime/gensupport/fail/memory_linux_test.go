package fail

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestNoDAX registers a mapping of a file that is not on a file system with dax, of whose pages the kernel pins all.
func TestNoDAX(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "file")
	check(t, err)
	defer f.Close()
	var st unix.Statx_t
	if err := unix.Statx(int(f.Fd()), "", unix.AT_EMPTY_PATH, 0, &st); err != nil || st.Attributes_mask&unix.STATX_ATTR_DAX == 0 ||
		st.Attributes&unix.STATX_ATTR_DAX != 0 {
		t.Skipf("%v, attributes %x of %x", err, st.Attributes, st.Attributes_mask)
	}
	check(t, f.Truncate(4096))
	b, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ, unix.MAP_SHARED)
	check(t, err)
	defer unix.Munmap(b)
	addr := uint64(uintptr(unsafe.Pointer(&b[0])))
	if got := MemoryHints(nil, "", syscall.EOPNOTSUPP, addr, 4096, 0); got != nil {
		t.Errorf("%q", got)
	}
}
