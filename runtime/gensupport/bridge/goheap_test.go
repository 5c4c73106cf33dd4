//go:build cgo

package bridge

import (
	"errors"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// TestTakeRefusesGoHeap gives a region the address of memory that the collector may free.
func TestTakeRefusesGoHeap(t *testing.T) {
	b := new([64]byte)
	var c Change
	c.Memory(1, mem.Addr(uintptr(unsafe.Pointer(b)), 64))
	_, err := c.Take(verb, "MR")
	if e := new(verr.Error); !errors.As(err, &e) || e.Verb != verb || !e.Refused || !errors.Is(err, syscall.EINVAL) {
		t.Errorf("%v", err)
	}
}
