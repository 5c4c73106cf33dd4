package mem

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/internal/goheap"
)

func TestPin(t *testing.T) {
	for _, b := range [][]byte{nil, {}, make([]byte, 0, 10)} {
		_, err := PinBytes(b)
		wantErr(t, err, syscall.EINVAL, "pin an empty slice: it has no memory; give it at least one byte: invalid argument (EINVAL)")
	}
	b := make([]byte, 1000)
	p, err := PinBytes(b[10:20])
	check(t, err)
	if p.Addr() != uintptr(unsafe.Pointer(&b[10])) || p.Len() != 10 {
		t.Errorf("%d bytes at %#x, want 10 at %p", p.Len(), p.Addr(), &b[10])
	}
	p.Unpin()
	p.Unpin()
	if p.Addr() != 0 || p.Len() != 0 {
		t.Errorf("after Unpin: %d bytes at %#x", p.Len(), p.Addr())
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

// TestPinOutlastsUnpin unpins memory that a region keeps: it stays until the region lets go, and goes then.
func TestPinOutlastsUnpin(t *testing.T) {
	freed := make(chan struct{})
	p, addr := pinned(t, freed)
	one, err := take(p, "MR 1")
	check(t, err)
	two, err := take(p, "MR 2")
	if err != nil || two.Addr != addr || two.Len != 1<<16 {
		t.Errorf("held %d bytes at %#x, %v", two.Len, two.Addr, err)
	}
	p.Unpin()
	if p.Addr() != 0 || p.Len() != 0 {
		t.Errorf("after Unpin: %d bytes at %#x", p.Len(), p.Addr())
	}
	if _, err := take(p, "MR 3"); !errors.Is(err, os.ErrClosed) || err.Error() != "the Pin was unpinned" {
		t.Errorf("taken after Unpin: %v", err)
	}
	one.Release()
	one.Release() // lets go of nothing more
	if isFreed(freed, 10) {
		t.Fatal("memory that is kept was collected")
	}
	two.Release()
	if !isFreed(freed, 100) {
		t.Error("memory is kept after the last release")
	}
	if _, err := take((*Pin)(nil), "MR"); err == nil || err.Error() != "pin is nil; make one with mem.PinBytes" {
		t.Errorf("a nil pin: %v", err)
	}
}

// pinned returns a Pin that alone keeps its memory, and has freed closed when that is collected.
func pinned(t *testing.T, freed chan struct{}) (*Pin, uintptr) {
	t.Helper()
	b := make([]byte, 1<<16)
	runtime.AddCleanup(&b[0], func(c chan struct{}) { close(c) }, freed)
	p, err := PinBytes(b)
	check(t, err)
	return p, p.Addr()
}

func isFreed(freed chan struct{}, collections int) bool {
	for range collections {
		runtime.GC()
		runtime.Gosched()
		select {
		case <-freed:
			return true
		default:
		}
	}
	return false
}

// TestPinReleasedBeforeUnpin has a region let go first: the memory stays until Unpin.
func TestPinReleasedBeforeUnpin(t *testing.T) {
	freed := make(chan struct{})
	p, _ := pinned(t, freed)
	held, err := take(p, "MR")
	check(t, err)
	held.Release()
	if isFreed(freed, 10) {
		t.Fatal("pinned memory was collected")
	}
	p.Unpin()
	if !isFreed(freed, 100) {
		t.Error("memory is kept after Unpin")
	}
}

// TestForgotten forgets a Pin: it is reported once, and the memory stays. One that was unpinned, or that has a user, is not forgotten.
func TestForgotten(t *testing.T) {
	got := make(chan error, 10)
	OnForgotten(func(err error) { got <- err })
	defer OnForgotten(nil)
	pin := func() *Pin {
		p, err := PinBytes(make([]byte, 100))
		check(t, err)
		return p
	}
	collect := func(most int) error {
		for range most {
			runtime.GC()
			select {
			case err := <-got:
				return err
			case <-time.After(time.Millisecond):
			}
		}
		return nil
	}
	pin().Unpin()
	held, err := take(pin(), "MR")
	check(t, err)
	check(t, collect(50))
	runtime.KeepAlive(held)
	at := pin().Addr()
	text := fmt.Sprintf("a Pin of 100 bytes at %#x was forgotten: the memory stays pinned for as long as the program runs; keep the Pin, "+
		"and call its Unpin; it was pinned at ", at)
	err = collect(10000) // until it is said, which may take long on a busy machine
	if err == nil || !strings.HasPrefix(err.Error(), text) || !strings.Contains(err.Error(), "pin_test.go:") {
		t.Errorf("got %v\nwant %s...", err, text)
	}
	check(t, collect(50))
	if !goheap.Is(at) {
		t.Errorf("the memory at %#x is gone", at)
	}
	held.Release()
}
