package cmem

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
	f.Lend(uintptr(unsafe.Pointer(&own[0])), 8)
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
	if err := f.End("v", "Buf", 0, func() error { return syscall.EIO }); err != syscall.EIO || len(f.Bytes()) != 8 {
		t.Errorf("after an end that failed: %v, %d bytes", err, len(f.Bytes()))
	}
	if err := f.End("v", "Buf", 0, func() error { return nil }); err != nil || f.Bytes() != nil {
		t.Errorf("End: %v, %d bytes", err, len(f.Bytes()))
	}
	if _, err := f.WriteAt(got, 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("WriteAt after End: %v", err)
	}
}

// TestForeignCopy uses a copy, made while the memory is in use: it has none, and waits for nobody.
func TestForeignCopy(t *testing.T) {
	fs := make([]Foreign, 2)
	own := make([]byte, 8)
	fs[0].Open(unsafe.Pointer(&own[0]), 8)
	fs[0].mu.Lock()
	copy(fs[1:], fs[:1]) // as c := *buf does
	fs[0].mu.Unlock()
	c := &fs[1]
	if err := c.End("v", "Buf", 0, func() error { panic("it frees memory of the original") }); err == nil || len(fs[0].Bytes()) != 8 {
		t.Errorf("End: %v, %d bytes of the original", err, len(fs[0].Bytes()))
	}
	if _, err := c.WriteAt([]byte{1}, 0); err == nil ||
		err.Error() != "the owner of the memory is a copied handle; use the pointer to the original" {
		t.Errorf("WriteAt: %v", err)
	}
	if _, err := c.ReadAt([]byte{1}, 0); !errors.Is(err, syscall.EINVAL) || c.Bytes() != nil || c.Addr() != 0 || c.Len() != 0 {
		t.Errorf("ReadAt: %v; %d bytes at %#x", err, len(c.Bytes()), c.Addr())
	}
}
