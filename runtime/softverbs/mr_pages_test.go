//go:build linux && cgo

package softverbs_test

import (
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestRegMRTruncated registers memory of a file that was made shorter: what lies behind its end is refused, however long the region is.
func TestRegMRTruncated(t *testing.T) {
	b := open(t)
	_, probe := rw(t, pageSize)
	if err := unix.Madvise(probe, unix.MADV_POPULATE_WRITE); err != nil {
		t.Skipf("this kernel does not fault pages in on request: %v", err)
	}
	for _, half := range []uint64{pageSize, 1 << 20} {
		fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC)
		b.ok(err)
		defer unix.Close(fd)
		b.ok(unix.Ftruncate(fd, int64(2*half)))
		addr, memory := rw(t, 3*half) // a file, and other memory behind it
		_, err = unix.MmapPtr(fd, 0, unsafe.Pointer(unsafe.SliceData(memory)), uintptr(2*half), unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_SHARED|unix.MAP_FIXED)
		b.ok(err)
		register := func(from, length uint64, access uint32, want syscall.Errno) {
			t.Helper()
			mr, err := b.lib.RegMR(b.pd, addr+uintptr(from), length, access)
			b.want(want, err)
			if err == nil {
				b.dereg(mr)
			}
		}
		register(0, 3*half, localWrite, 0)
		b.ok(unix.Ftruncate(fd, int64(half)))
		for _, access := range []uint32{localWrite, 0} {
			register(0, half, access, 0)
			register(0, half+1, access, syscall.EFAULT)
			register(0, 3*half, access, syscall.EFAULT)
			register(half, half, access, syscall.EFAULT)
			register(2*half, half, access, 0)
		}
	}
}

// resident counts the pages of memory that are there.
func resident(t *testing.T, memory []byte) int {
	t.Helper()
	pages := make([]byte, uint64(len(memory))/pageSize)
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(unsafe.SliceData(memory))), uintptr(len(memory)),
		uintptr(unsafe.Pointer(unsafe.SliceData(pages)))); errno != 0 {
		t.Fatal(errno)
	}
	n := 0
	for _, p := range pages {
		n += int(p & 1)
	}
	return n
}

// TestRegMRFaultsIn: registration brings in the pages of a small region, as a kernel does that pins them, and does not spend
// the memory of a large one.
func TestRegMRFaultsIn(t *testing.T) {
	b := open(t)
	_, probe := rw(t, pageSize)
	if err := unix.Madvise(probe, unix.MADV_POPULATE_WRITE); err != nil {
		t.Skipf("this kernel does not fault pages in on request: %v", err)
	}
	for _, c := range []struct {
		length uint64
		all    bool
	}{{3 * pageSize, true}, {16 << 20, false}} {
		addr, memory := rw(t, c.length)
		b.dereg(b.must(b.lib.RegMR(b.pd, addr, c.length, localWrite)))
		if n := resident(t, memory); (uint64(n) == c.length/pageSize) != c.all {
			t.Errorf("%d bytes: %d pages are there, want all of them: %v", c.length, n, c.all)
		}
	}
}
