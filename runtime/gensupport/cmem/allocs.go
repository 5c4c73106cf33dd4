//go:build linux && cgo

package cmem

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/internal/goheap"
	"github.com/verbsgen/verbsgen/runtime/internal/reach"
)

// useDefault is IBV_ALLOCATOR_USE_DEFAULT, (void *)-1.
const useDefault = ^uintptr(0)

// allocs are the allocators by their numbers.
var allocs = struct {
	sync.RWMutex
	entries map[uintptr]*allocEntry
	latest  uintptr
}{entries: map[uintptr]*allocEntry{}}

// enroll gives the allocator a number, never 0 and never used again.
func (e *allocEntry) enroll() {
	allocs.Lock()
	defer allocs.Unlock()
	allocs.latest++
	e.id, e.blocks = allocs.latest, map[uintptr]struct{}{}
	allocs.entries[e.id] = e
}

func lookupAlloc(ctx uintptr) *allocEntry {
	allocs.RLock()
	defer allocs.RUnlock()
	return allocs.entries[ctx]
}

// release unregisters the allocator; call it when its parent domain is deallocated. Later requests of the provider fail, and what it frees
// later is ignored.
func (e *allocEntry) release() {
	allocs.Lock()
	defer allocs.Unlock()
	delete(allocs.entries, e.id)
}

// answerAlloc answers one request of a provider: an address, useDefault, or 0 and an errno.
func answerAlloc(ctx uintptr, size, align uint64, resource AllocResource) (uintptr, syscall.Errno) {
	e := lookupAlloc(ctx)
	if e == nil {
		return 0, syscall.EINVAL
	}
	addr, err := e.ask(size, align, resource)
	if err == nil {
		return addr, 0
	}
	e.keep(fmt.Errorf("allocator asked for %d bytes aligned to %d (%s): %w", size, align, resource, err))
	var errno syscall.Errno
	if errors.As(err, &errno) && errno != 0 {
		return 0, errno
	}
	return 0, syscall.ENOMEM
}

// ask returns an address that the provider may have, or useDefault.
func (e *allocEntry) ask(size, align uint64, resource AllocResource) (addr uintptr, err error) {
	panicked := apart(func() { addr, err = e.alloc(size, align, resource) })
	switch {
	case panicked != nil:
		return 0, fmt.Errorf("it %w", panicked)
	case errors.Is(err, ErrUseDefault):
		return useDefault, nil
	case err != nil:
		return 0, err
	}
	return addr, e.take(addr, size, align)
}

// take checks the answer of Alloc and notes the block.
func (e *allocEntry) take(addr uintptr, size, align uint64) error {
	if addr == 0 {
		return errors.New("it answered address 0; answer an error, or ErrUseDefault")
	}
	if align > 1 && uint64(addr)%align != 0 {
		return fmt.Errorf("it answered %#x, which is no multiple of %d", addr, align)
	}
	last, over := bits.Add64(uint64(addr), max(size, 1)-1, 0)
	if over != 0 || last >= uint64(useDefault) {
		return fmt.Errorf("it answered %#x, from where %d bytes do not fit into the address space", addr, size)
	}
	if goheap.Is(addr) || goheap.Is(uintptr(last)) {
		return fmt.Errorf("it answered %#x, which is memory of Go; answer the address of a mem.Buffer", addr)
	}
	if !reach.Writable(addr, size) {
		return fmt.Errorf("it answered %#x, from where not all of %d bytes can be written; answer the address of a mem.Buffer that is open",
			addr, size)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, twice := e.blocks[addr]; twice {
		return fmt.Errorf("it answered %#x, which the provider still uses", addr)
	}
	e.blocks[addr] = struct{}{}
	return nil
}

// answerFree takes back one block of a provider.
func answerFree(ctx, addr uintptr, resource AllocResource) {
	e := lookupAlloc(ctx)
	if e == nil {
		return
	}
	// The block is forgotten before Free runs: once it has, Alloc may give the address again.
	e.mu.Lock()
	_, ours := e.blocks[addr]
	delete(e.blocks, addr)
	e.mu.Unlock()
	if !ours {
		e.keep(fmt.Errorf("allocator told to free %#x (%s): it never gave that; ignored", addr, resource))
		return
	}
	if panicked := apart(func() { e.free(addr, resource) }); panicked != nil {
		e.keep(fmt.Errorf("allocator told to free %#x (%s): it %w", addr, resource, panicked))
	}
}

// apart runs f in a goroutine of its own and waits: whatever f does to its goroutine, the one below which frames of C
// lie returns to them. It gives nil when f returned.
func apart(f func()) error {
	done := make(chan error)
	go func() {
		var err error = &PanicError{}
		defer func() {
			if v := recover(); v != nil {
				err = &PanicError{Value: v, Stack: debug.Stack()}
			}
			done <- err
		}()
		fail.Callback(f)
		err = nil
	}()
	return <-done
}
