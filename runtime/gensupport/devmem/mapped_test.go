//go:build linux && cgo

package devmem

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapped maps memory behind the start of a page, as a provider does.
func mapped(t *testing.T, off uintptr, length uint64) (*Mapped, []byte) {
	t.Helper()
	page, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	m := new(Mapped)
	m.Open("v", unsafe.Pointer(&page[off]), length)
	return m, page[off:]
}

func TestMapped(t *testing.T) {
	m, b := mapped(t, 64, 16)
	if m.Len() != 16 {
		t.Errorf("%d bytes", m.Len())
	}
	if err := errors.Join(m.PutUint32(4, 0x01020304), m.PutUint64(8, 1<<40)); err != nil {
		t.Fatal(err)
	}
	if got := *(*uint32)(unsafe.Pointer(&b[4])); got != 0x01020304 {
		t.Errorf("%#x", got)
	}
	x, err := m.GetUint32(4)
	y, err2 := m.GetUint64(8)
	if x != 0x01020304 || y != 1<<40 || err != nil || err2 != nil {
		t.Errorf("%#x, %#x, %v, %v", x, y, err, err2)
	}
	for off, errno := range map[int64]syscall.Errno{-4: syscall.EFAULT, 16: syscall.EFAULT, 12: syscall.EFAULT, 2: syscall.EINVAL,
		4: syscall.EINVAL, 1 << 62: syscall.EFAULT} {
		if err := m.PutUint64(off, 1); !errors.Is(err, errno) {
			t.Errorf("8 bytes at %d: %v", off, err)
		}
	}
	if err := m.End("v", "M", time.Second, m.Unmap); err != nil {
		t.Fatal(err)
	}
	if _, err := m.GetUint32(0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after End: %v", err)
	}
	for _, m := range []*Mapped{nil, {}} {
		if err := m.PutUint32(0, 1); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("of nothing: %v", err)
		}
	}
}

// TestMappedEnd unmaps while goroutines write: none of them faults.
func TestMappedEnd(t *testing.T) {
	for range 20 {
		m, _ := mapped(t, 0, 64)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for {
					if err := m.PutUint64(0, 1); err != nil {
						if !errors.Is(err, os.ErrClosed) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		if err := m.End("v", "M", 10*time.Second, m.Unmap); err != nil {
			t.Error(err)
		}
		all.Wait()
	}
}
