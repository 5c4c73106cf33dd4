package mem

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

func TestSourceBytes(t *testing.T) {
	b := make([]byte, 100)
	held, err := take(Bytes(b), "a verb")
	check(t, err)
	if held.Addr != uintptr(unsafe.Pointer(&b[0])) || held.Len != 100 {
		t.Errorf("held %#x, %d bytes; want %p, 100", held.Addr, held.Len, &b[0])
	}
	held.Release()
	if _, err := take(Bytes(nil), "a verb"); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("an empty slice: %v", err)
	}
}

// TestSourceBuffer closes a buffer while and after it is held.
func TestSourceBuffer(t *testing.T) {
	buf, err := New(4096)
	check(t, err)
	held, err := take(buf, "MR (lkey 0x1)")
	check(t, err)
	if held.Addr != buf.Addr() || held.Len != 4096 {
		t.Errorf("held %#x, %d bytes", held.Addr, held.Len)
	}
	if err := buf.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "MR (lkey 0x1)") {
		t.Errorf("Close of a held buffer: %v", err)
	}
	held.Release()
	keep := buf.Keep("another")
	if err := buf.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "another") {
		t.Errorf("Close of a kept buffer: %v", err)
	}
	keep()
	check(t, buf.Close())
	if _, err := take(buf, "late"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed buffer: %v", err)
	}
	if buf.Keep("late") != nil {
		t.Error("a closed buffer is kept")
	}
	if _, err := take((*Buffer)(nil), "x"); err == nil || err.Error() != "buffer is nil; make one with mem.New" {
		t.Errorf("a nil buffer: %v", err)
	}
}

func TestSourceAddrAndNone(t *testing.T) {
	held, err := take(Addr(0x1000, 7), "x")
	if err != nil || held.Addr != 0x1000 || held.Len != 7 {
		t.Errorf("%+v, %v", held, err)
	}
	held.Release()
	if _, err := take(nil, "x"); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "memory is nil; pass a mem.Buffer") {
		t.Errorf("no memory: %v", err)
	}
}
