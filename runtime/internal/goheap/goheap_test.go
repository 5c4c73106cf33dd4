//go:build cgo

package goheap_test

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/internal/ctest"
	"github.com/verbsgen/verbsgen/runtime/internal/goheap"
	"github.com/verbsgen/verbsgen/runtime/internal/hold"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// newBuffer maps a buffer.
func newBuffer(t *testing.T, length uint64, opts ...mem.Option) *mem.Buffer {
	t.Helper()
	buf, err := mem.New(length, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return buf
}

var (
	zeroed   [64]byte
	filled   = [64]byte{1, 2, 3}
	pointers = [4]*int{new(int)}
)

//go:noinline
func onStack(ask func(uintptr) bool) bool {
	var local [64]byte
	return ask(uintptr(unsafe.Pointer(&local[32])))
}

func TestIs(t *testing.T) {
	small, large, huge := new([3]uint32), make([]byte, 100<<10), make([]byte, 64<<20)
	tiny, ptr := new(byte), new(*int)
	pin, err := mem.PinBytes(make([]byte, 100))
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Unpin()
	buf := newBuffer(t, 1<<20, mem.Populate())
	defer buf.Close()
	raw, err := syscall.Mmap(-1, 0, 1<<16, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(raw)
	cSmall, cLarge := ctest.Malloc(24), ctest.Malloc(8<<20)
	defer cSmall.Free()
	defer cLarge.Free()

	at := func(p unsafe.Pointer) uintptr { return uintptr(p) }
	tests := []struct {
		name string
		addr uintptr
		want bool
	}{
		{"small object", at(unsafe.Pointer(small)), true},
		{"inside a small object", at(unsafe.Pointer(&small[1])) + 1, true},
		{"tiny object", at(unsafe.Pointer(tiny)), true},
		{"object with a pointer", at(unsafe.Pointer(ptr)), true},
		{"large object", at(unsafe.Pointer(&large[0])), true},
		{"inside a large object", at(unsafe.Pointer(&large[99<<10])), true},
		{"inside a huge object", at(unsafe.Pointer(&huge[40<<20+3])), true},
		{"end of a huge object", at(unsafe.Pointer(&huge[len(huge)-1])), true},
		{"pinned memory", pin.Addr(), true},
		{"zeroed variable", at(unsafe.Pointer(&zeroed[5])), true},
		{"filled variable", at(unsafe.Pointer(&filled)), true},
		{"variable with pointers", at(unsafe.Pointer(&pointers[1])), true},
		{"object of no size", at(unsafe.Pointer(new(struct{}))), true},
		{"Buffer", buf.Addr(), false},
		{"inside a Buffer", buf.Addr() + 70000, false},
		{"memory of mmap", at(unsafe.Pointer(&raw[100])), false},
		{"memory of malloc", cSmall.Addr(), false},
		{"large memory of malloc", cLarge.Addr() + 5<<20, false},
		{"variable of C", ctest.Variable(), false},
		{"stack of C", ctest.Stack(), false},
		{"function of C", ctest.Function(), false},
		{"no address", 0, false},
		{"first page", 1, false},
		{"far away", ^uintptr(0), false},
		{"no canonical address", 1 << 60, false},
	}
	for range 2 {
		for _, tt := range tests {
			if got := goheap.Is(tt.addr); got != tt.want {
				t.Errorf("%s at %#x: %v", tt.name, tt.addr, got)
			}
		}
		runtime.GC()
	}
	if !onStack(goheap.Is) {
		t.Error("an address on a goroutine's stack is taken for foreign")
	}
	runtime.KeepAlive([]any{small, large, huge, tiny, ptr})
}

// TestRefuse refuses addresses of the heap and of stacks, pinned or not, and no others.
func TestRefuse(t *testing.T) {
	b := make([]byte, 1<<16)
	pin, err := mem.PinBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	defer pin.Unpin()
	buf := newBuffer(t, 1<<16)
	defer buf.Close()
	c := ctest.Malloc(100)
	defer c.Free()
	for _, r := range []struct {
		name    string
		addr    uintptr
		length  uint64
		refused bool
	}{
		{"heap", pin.Addr() + 100, 100, true},
		{"heap, no bytes", pin.Addr(), 0, true},
		{"heap, beyond the address space", pin.Addr(), 1<<64 - 1, true},
		{"from elsewhere into the heap", 4096, uint64(pin.Addr() - 4095), true},
		{"buffer", buf.Addr(), 1 << 16, false},
		{"malloc", c.Addr(), 100, false},
		{"variable of a package", uintptr(unsafe.Pointer(&filled)), 64, false},
		{"no address", 0, 4096, false},
		{"the address space", 0, 1<<64 - 1, false},
	} {
		err := goheap.Refuse(r.addr, r.length)
		if r.refused != errors.Is(err, syscall.EINVAL) || !r.refused && err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
		_, err = hold.Take(mem.Addr(r.addr, r.length), "MR")
		if r.refused != errors.Is(err, syscall.EINVAL) || !r.refused && err != nil {
			t.Errorf("%s, taken: %v", r.name, err)
		}
	}
	if !onStack(func(addr uintptr) bool { return goheap.Refuse(addr, 1) != nil }) {
		t.Error("an address on a goroutine's stack is accepted")
	}
	err = goheap.Refuse(pin.Addr(), 100)
	if want := fmt.Sprintf("100 bytes at %#x lie in Go's heap or on a stack, where the collector "+
		"may free or move them while a device uses them; pass the slice, or pin it by mem.PinBytes and pass the Pin",
		pin.Addr()); !errors.Is(err, syscall.EINVAL) || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}

// TestPinIsKnown asks cgo, which refuses Go memory in C's hands unless it is pinned.
func TestPinIsKnown(t *testing.T) {
	b := make([]byte, 100)
	if ctest.Accepts(&b[0]) {
		t.Skip("cgo's checks are off (GODEBUG=cgocheck=0)")
	}
	p, err := mem.PinBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	if !ctest.Accepts(&b[0]) {
		t.Error("the memory is not pinned")
	}
	held, err := hold.Take(p, "MR")
	if err != nil {
		t.Fatal(err)
	}
	held.Release()
	if !ctest.Accepts(&b[0]) {
		t.Error("the memory is not pinned any more, before Unpin")
	}
	p.Unpin()
	if ctest.Accepts(&b[0]) {
		t.Error("the memory is still pinned after Unpin")
	}
}

// TestIsFreed asks about memory that the collector has taken back: nothing stops the program, and the answer stays.
func TestIsFreed(t *testing.T) {
	var addrs []uintptr
	for range 50 {
		b := make([]byte, 256<<10)
		addrs = append(addrs, uintptr(unsafe.Pointer(&b[100<<10])))
	}
	runtime.GC()
	debug.FreeOSMemory()
	for _, addr := range addrs {
		if !goheap.Is(addr) {
			t.Errorf("freed Go memory at %#x is taken for foreign", addr)
		}
	}
}

// TestIsBusy asks from many goroutines while the collector runs.
func TestIsBusy(t *testing.T) {
	buf := newBuffer(t, 4096)
	defer buf.Close()
	stop := make(chan struct{})
	var gc, wg sync.WaitGroup
	gc.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	for range 4 {
		wg.Go(func() {
			for range 300 {
				b := make([]byte, 40<<10)
				mine := uintptr(unsafe.Pointer(&b[1000]))
				if !goheap.Is(mine) || goheap.Is(buf.Addr()) {
					t.Error("wrong answer")
				}
				runtime.KeepAlive(b)
			}
		})
	}
	wg.Wait()
	close(stop)
	gc.Wait()
}
