package mem

import (
	"bytes"
	"errors"
	"math"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// TestForeign copies to and from memory of others, in range and out of it, and finds it closed after its end.
func TestForeign(t *testing.T) {
	var f Foreign
	if _, err := f.ReadAt(make([]byte, 1), 0); !errors.Is(err, os.ErrClosed) || f.Bytes() != nil || f.Addr() != 0 {
		t.Errorf("the zero value: %v", err)
	}
	own := make([]byte, 8)
	f.Open(unsafe.Pointer(&own[0]), 8)
	if n, err := f.WriteAt([]byte("abcd"), 4); n != 4 || err != nil || !bytes.Equal(own, []byte("\x00\x00\x00\x00abcd")) {
		t.Errorf("WriteAt: %d, %v, %q", n, err, own)
	}
	got := make([]byte, 2)
	if n, err := f.ReadAt(got, 5); n != 2 || err != nil || string(got) != "bc" {
		t.Errorf("ReadAt: %d, %v, %q", n, err, got)
	}
	if f.Len() != 8 || len(f.Bytes()) != 8 || f.Addr() != uintptr(unsafe.Pointer(&own[0])) {
		t.Errorf("%d bytes at %#x", f.Len(), f.Addr())
	}
	for _, off := range []int64{-1, 7, 9, math.MaxInt64, math.MinInt64} {
		if n, err := f.ReadAt(got, off); n != 0 || !errors.Is(err, syscall.EFAULT) {
			t.Errorf("ReadAt of 2 bytes at %d: %d, %v", off, n, err)
		}
		if n, err := f.WriteAt(got, off); n != 0 || !errors.Is(err, syscall.EFAULT) {
			t.Errorf("WriteAt of 2 bytes at %d: %d, %v", off, n, err)
		}
	}
	if err := f.Free(func() error { return syscall.EIO }); err != syscall.EIO || len(f.Bytes()) != 8 {
		t.Errorf("after an end that failed: %v, %d bytes", err, len(f.Bytes()))
	}
	if err := f.Free(func() error { return nil }); err != nil || f.Bytes() != nil {
		t.Errorf("Free: %v, %d bytes", err, len(f.Bytes()))
	}
	if _, err := f.WriteAt(got, 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("WriteAt after Free: %v", err)
	}
}
