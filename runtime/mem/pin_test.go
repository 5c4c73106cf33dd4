package mem

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
	"unsafe"
)

func TestPin(t *testing.T) {
	for _, b := range [][]byte{nil, {}, make([]byte, 0, 10)} {
		_, err := PinBytes(b)
		wantErr(t, err, syscall.EINVAL, "pin an empty slice: it has no memory; give it at least one byte: invalid argument (EINVAL)")
	}
	b := make([]byte, 1000)
	p, err := PinBytes(b[10:20])
	if err != nil {
		t.Fatal(err)
	}
	if p.Addr() != uintptr(unsafe.Pointer(&b[10])) || p.Len() != 10 {
		t.Errorf("%d bytes at %#x, want 10 at %p", p.Len(), p.Addr(), &b[10])
	}
	p.Unpin()
	p.Unpin()
	if p.Addr() != 0 || p.Len() != 0 {
		t.Errorf("after Unpin: %d bytes at %#x", p.Len(), p.Addr())
	}
}

// TestPinKeeps drops the slice and keeps the Pin: the memory stays, as seen through its address.
func TestPinKeeps(t *testing.T) {
	freed := make(chan struct{})
	b := make([]byte, 1<<16)
	b[77] = 7
	runtime.AddCleanup(&b[0], func(c chan struct{}) { close(c) }, freed)
	p, err := PinBytes(b)
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		runtime.GC()
	}
	select {
	case <-freed:
		t.Fatal("pinned memory was collected")
	default:
	}
	addr := p.Addr()
	if got := *(*byte)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&addr)), 77)); got != 7 {
		t.Errorf("the byte at the pinned address is %d", got)
	}
	p.Unpin()
	for range 100 {
		runtime.GC()
		runtime.Gosched()
		select {
		case <-freed:
			return
		default:
		}
	}
	t.Error("memory is kept after Unpin")
}

func TestPinForeign(t *testing.T) {
	b := newBuffer(t, 4096)
	p, err := PinBytes(b.Bytes())
	if err != nil || p.Addr() != b.Addr() || p.Len() != 4096 {
		t.Errorf("PinBytes of a Buffer = %v, %v", p, err)
	}
	p.Unpin()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestPinConcurrent(t *testing.T) {
	b := make([]byte, 4096)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for range 100 {
				p, err := PinBytes(b[g:])
				if err != nil {
					t.Error(err)
					return
				}
				var both sync.WaitGroup
				both.Go(p.Unpin)
				both.Go(func() { p.Addr() })
				p.Unpin()
				both.Wait()
			}
		})
	}
	wg.Wait()
}
