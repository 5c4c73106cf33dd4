package mem

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// faults reports whether a read of the byte is a fault.
func faults(p *byte) (yes bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { yes = recover() != nil }()
	_ = *p
	return false
}

// TestClosedBufferFaults accesses closed buffers, while others are made: nothing of these is reached, for a while.
func TestClosedBufferFaults(t *testing.T) {
	const size = 1 << 20
	old := newBuffer(t, size)
	at, base := &old.Bytes()[100], old.Addr()
	check(t, old.Close())
	addr := fmt.Sprintf("%x", base)
	for range closedBuffers - 1 {
		b := newBuffer(t, size)
		if !faults(at) {
			t.Fatal("the addresses of a closed buffer are used again")
		}
		check(t, b.Close())
	}
	if n := len(closed.ranges); n != closedBuffers {
		t.Errorf("the addresses of %d buffers are kept", n)
	}
	b := newBuffer(t, size)
	check(t, b.Close())
	if n := len(closed.ranges); n != closedBuffers {
		t.Errorf("the addresses of %d buffers are kept", n)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil || strings.Contains(string(maps), "\n"+addr+"-") {
		t.Errorf("the oldest is still there: %v", err)
	}
}

// TestClosedBuffersMakeRoom wants buffers where the address space is limited, and that of closed ones is all there is.
func TestClosedBuffersMakeRoom(t *testing.T) {
	times := 0
	b := newBuffer(t, 4096)
	check(t, b.Close())
	_, err := roomy(func() (p unsafe.Pointer, err error) {
		if times++; len(closed.ranges) > 0 {
			err = syscall.ENOMEM
		}
		return p, err
	})
	if err != nil || times != 2 || closed.bytes != 0 {
		t.Errorf("%d calls, %v; %d bytes are kept", times, err, closed.bytes)
	}
}
