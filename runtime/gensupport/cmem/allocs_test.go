//go:build linux && cgo

package cmem

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/internal/ctest"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// mlx5CQ is driver 3, resource 7.
const mlx5CQ = 3<<32 | 7

// calls are the two sides of an allocator: that of C and that of Go.
type calls struct {
	ctest.Funcs
	*allocEntry
}

// registered registers an allocator for the length of the test. Free may be nil.
func registered(t *testing.T, e *allocEntry) calls {
	t.Helper()
	if e.free == nil {
		e.free = func(addr uintptr, _ AllocResource) { t.Errorf("Free(%#x) is called", addr) }
	}
	alloc, free, err := e.register()
	check(t, err)
	t.Cleanup(e.release)
	return calls{ctest.Funcs{Ctx: e.id, Alloc: alloc, Free: free}, e}
}

// pool is an allocator over buffers, as a user would write it.
type pool struct {
	mu   sync.Mutex
	bufs map[uintptr]*mem.Buffer
}

func (p *pool) alloc(size, align uint64, _ AllocResource) (uintptr, error) {
	b, err := mem.New(size)
	if err != nil {
		return 0, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bufs == nil {
		p.bufs = map[uintptr]*mem.Buffer{}
	}
	p.bufs[b.Addr()] = b
	return b.Addr(), nil
}

func (p *pool) free(addr uintptr, _ AllocResource) {
	p.mu.Lock()
	b := p.bufs[addr]
	delete(p.bufs, addr)
	p.mu.Unlock()
	if b == nil || b.Close() != nil {
		panic("free of what is not there")
	}
}

func TestAllocFree(t *testing.T) {
	var p pool
	var seen []string
	f := registered(t, &allocEntry{
		alloc: func(size, align uint64, resource AllocResource) (uintptr, error) {
			seen = append(seen, fmt.Sprint("alloc ", size, align, uint64(resource)))
			return p.alloc(size, align, resource)
		},
		free: func(addr uintptr, resource AllocResource) {
			seen = append(seen, fmt.Sprint("free ", uint64(resource)))
			p.free(addr, resource)
		},
	})
	here, errno := f.DoAlloc(5000, 64, mlx5CQ)
	if here == 0 || errno != syscall.EXDEV {
		t.Fatalf("alloc = %#x, errno %v (it was EXDEV before)", here, errno)
	}
	there, errno := f.AllocInThread(100, 0, 1)
	if there == 0 || there == here || errno != syscall.EXDEV {
		t.Fatalf("alloc from another thread = %#x, errno %v", there, errno)
	}
	if n := len(f.blocks); n != 2 {
		t.Errorf("%d blocks are in use", n)
	}
	if errno := f.FreeInThread(here, mlx5CQ); errno != syscall.EXDEV {
		t.Errorf("free changed errno to %v", errno)
	}
	check(t, f.lastError())
	f.DoFree(here, 1) // not its own any more
	err := f.lastError()
	if want := fmt.Sprintf("allocator told to free %#x (driver 0, resource 1): it never gave that; ignored", here); err == nil ||
		err.Error() != want {
		t.Errorf("LastError = %v, want %s", err, want)
	}
	if f.lastError() != nil {
		t.Error("an error is told twice")
	}
	if want := fmt.Sprint([]string{"alloc 5000 64 12884901895", "alloc 100 0 1", "free 12884901895"}); fmt.Sprint(seen) != want {
		t.Errorf("calls %v, want %v", seen, want)
	}
	if n := len(f.blocks); n != 1 {
		t.Errorf("%d blocks are in use", n)
	}
	f.release()
	if addr, errno := f.DoAlloc(1, 1, 0); addr != 0 || errno != syscall.EINVAL {
		t.Errorf("alloc after Release = %#x, %v", addr, errno)
	}
	f.DoFree(there, 1)
	if len(p.bufs) != 1 || lookupAlloc(f.Ctx) != nil || f.lastError() != nil {
		t.Error("a released allocator lives on")
	}
	p.free(there, 1)
}

var global [4096]byte

// TestRefused pins what becomes of every answer that no device may get.
func TestRefused(t *testing.T) {
	heap := make([]byte, 1<<16)
	pin, err := mem.PinBytes(heap)
	check(t, err)
	defer pin.Unpin()
	variable, err := mem.PinBytes(global[:])
	check(t, err)
	defer variable.Unpin()
	buf, err := mem.New(8192)
	check(t, err)
	defer buf.Close()
	answer := func(addr uintptr, err error) func(uint64, uint64, AllocResource) (uintptr, error) {
		return func(uint64, uint64, AllocResource) (uintptr, error) { return addr, err }
	}
	const asked = "allocator asked for 100 bytes aligned to 64 (driver 3, resource 7): it "
	tests := []struct {
		name   string
		alloc  func(uint64, uint64, AllocResource) (uintptr, error)
		errno  syscall.Errno
		want   string
		is     error
		panics bool
	}{
		{"nothing", answer(0, nil), syscall.ENOMEM, asked + "answered address 0; answer an error, or ErrUseDefault", nil, false},
		{"odd address", answer(buf.Addr()+8, nil), syscall.ENOMEM,
			asked + fmt.Sprintf("answered %#x, which is no multiple of 64", buf.Addr()+8), nil, false},
		{"end of memory", answer(^uintptr(63), nil), syscall.ENOMEM,
			asked + fmt.Sprintf("answered %#x, from where 100 bytes do not fit into the address space", ^uintptr(63)), nil, false},
		{"Go heap", answer(pin.Addr()+128, nil), syscall.ENOMEM,
			asked + fmt.Sprintf("answered %#x, which is memory of Go; answer the address of a mem.Buffer", pin.Addr()+128), nil, false},
		{"Go variable", answer((variable.Addr()+63)&^63, nil), syscall.ENOMEM,
			asked + fmt.Sprintf("answered %#x, which is memory of Go; answer the address of a mem.Buffer", (variable.Addr()+63)&^63), nil, false},
		{"error", answer(0, io.ErrShortBuffer), syscall.ENOMEM, asked[:len(asked)-3] + "short buffer", io.ErrShortBuffer, false},
		{"error with errno", answer(buf.Addr(), fmt.Errorf("full: %w", syscall.EAGAIN)), syscall.EAGAIN,
			asked[:len(asked)-3] + "full: resource temporarily unavailable", syscall.EAGAIN, false},
		{"panic", func(uint64, uint64, AllocResource) (uintptr, error) { panic("boom") }, syscall.ENOMEM, asked + "panicked: boom", nil, true},
		{"panic with errno", func(uint64, uint64, AllocResource) (uintptr, error) { panic(syscall.EIO) }, syscall.EIO,
			asked + "panicked: input/output error", syscall.EIO, true},
		{"nil dereference", func(uint64, uint64, AllocResource) (uintptr, error) { var p *uintptr; return *p, nil }, syscall.ENOMEM,
			asked + "panicked: runtime error: invalid memory address or nil pointer dereference", nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := registered(t, &allocEntry{alloc: tt.alloc})
			for _, call := range []func(size, align, resource uint64) (uintptr, syscall.Errno){f.DoAlloc, f.AllocInThread} {
				addr, errno := call(100, 64, mlx5CQ)
				if addr != 0 || errno != tt.errno {
					t.Errorf("alloc = %#x, errno %v; want NULL, %v", addr, errno, tt.errno)
				}
				err := f.lastError()
				if err == nil || err.Error() != tt.want {
					t.Errorf("LastError:\n got %v\nwant %s", err, tt.want)
				}
				if tt.is != nil && !errors.Is(err, tt.is) {
					t.Errorf("%v is not %v", err, tt.is)
				}
				if p := (*PanicError)(nil); errors.As(err, &p) != tt.panics {
					t.Errorf("PanicError in %v: %v", err, p)
				} else if tt.panics && !strings.Contains(string(p.Stack), "allocs_test.go") {
					t.Errorf("the stack does not lead to the callback:\n%s", p.Stack)
				}
			}
			if n := len(f.blocks); n != 0 {
				t.Errorf("%d refused answers are counted as given", n)
			}
		})
	}
}

// TestRefusedEnd answers an address that is not Go's and a size that reaches into memory of Go.
func TestRefusedEnd(t *testing.T) {
	pin, err := mem.PinBytes(make([]byte, 4096))
	check(t, err)
	defer pin.Unpin()
	const low = 1 << 16
	f := registered(t, &allocEntry{alloc: func(uint64, uint64, AllocResource) (uintptr, error) { return low, nil }})
	if addr, errno := f.DoAlloc(uint64(pin.Addr())-low+100, 1, 0); addr != 0 || errno != syscall.ENOMEM {
		t.Errorf("alloc = %#x, %v", addr, errno)
	}
	if err := f.lastError(); err == nil || !strings.Contains(err.Error(), "memory of Go") {
		t.Errorf("LastError = %v", err)
	}
}

func TestTwice(t *testing.T) {
	buf, err := mem.New(4096)
	check(t, err)
	defer buf.Close()
	frees := 0
	f := registered(t, &allocEntry{
		alloc: func(uint64, uint64, AllocResource) (uintptr, error) { return buf.Addr(), nil },
		free:  func(uintptr, AllocResource) { frees++; panic("late") },
	})
	for round := range 2 {
		if addr, _ := f.DoAlloc(10, 1, 0); addr != buf.Addr() {
			t.Fatalf("round %d: alloc = %#x", round, addr)
		}
		if addr, errno := f.DoAlloc(10, 1, 0); addr != 0 || errno != syscall.ENOMEM {
			t.Errorf("round %d: the same block twice = %#x, %v", round, addr, errno)
		}
		want := fmt.Sprintf("allocator asked for 10 bytes aligned to 1 (driver 0, resource 0): it answered %#x, which the provider "+
			"still uses", buf.Addr())
		if err := f.lastError(); err == nil || err.Error() != want {
			t.Errorf("LastError = %v, want %s", err, want)
		}
		if errno := f.FreeInThread(buf.Addr(), 0); errno != syscall.EXDEV || frees != round+1 {
			t.Errorf("round %d: free: errno %v, %d calls", round, errno, frees)
		}
		want = fmt.Sprintf("allocator told to free %#x (driver 0, resource 0): it panicked: late", buf.Addr())
		if err := f.lastError(); err == nil || err.Error() != want {
			t.Errorf("LastError = %v, want %s", err, want)
		}
	}
}

// TestStorm has threads of C use several allocators at once while the collector runs.
func TestStorm(t *testing.T) {
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
	for range 2 {
		var p pool
		var frees atomic.Int64
		f := registered(t, &allocEntry{alloc: p.alloc, free: func(addr uintptr, resource AllocResource) { frees.Add(1); p.free(addr, resource) }})
		wg.Go(func() {
			if bad := f.Storm(3000, 4096, 4, 50); bad != 0 {
				t.Errorf("%d things went wrong: %v", bad, f.lastError())
			}
			if n := len(f.blocks); n != 0 || frees.Load() != 200 {
				t.Errorf("%d blocks leaked, %d freed", n, frees.Load())
			}
		})
	}
	wg.Wait()
	close(stop)
	gc.Wait()
}
