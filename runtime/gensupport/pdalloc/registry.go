//go:build linux && cgo

package pdalloc

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/internal/goheap"
	"github.com/verbsgen/verbsgen/runtime/internal/reach"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// useDefault is IBV_ALLOCATOR_USE_DEFAULT, (void *)-1.
const useDefault = ^uintptr(0)

// entry is one registered allocator.
type entry struct {
	funcs Funcs

	mu     sync.Mutex
	blocks map[uintptr]struct{} // given by Alloc and not yet taken back
	last   error
}

var (
	mu      sync.RWMutex
	entries = map[uintptr]*entry{}
	nextCtx uintptr
)

// register keeps f under a new number, never 0 and never used again.
func register(f Funcs) (uintptr, error) {
	if f.Alloc == nil || f.Free == nil {
		return 0, &verr.Error{Errno: syscall.EINVAL, Msg: "an allocator needs both Alloc and Free"}
	}
	mu.Lock()
	defer mu.Unlock()
	nextCtx++
	entries[nextCtx] = &entry{funcs: f, blocks: map[uintptr]struct{}{}}
	return nextCtx, nil
}

func lookup(ctx uintptr) *entry {
	mu.RLock()
	defer mu.RUnlock()
	return entries[ctx]
}

// Release unregisters an allocator; call it when its parent domain is deallocated. leaked is the number of blocks that
// were never freed. Later requests of the provider fail, and what it frees later is ignored. So is an unknown ctx.
func Release(ctx uintptr) (leaked int) {
	mu.Lock()
	e := entries[ctx]
	delete(entries, ctx)
	mu.Unlock()
	return e.outstanding()
}

// Outstanding returns the number of blocks of an allocator that are in use.
func Outstanding(ctx uintptr) int { return lookup(ctx).outstanding() }

func (e *entry) outstanding() int {
	if e == nil {
		return 0
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.blocks)
}

// LastError returns the latest error of a callback and forgets it; nil if there was none since the last call. A verb
// that failed on a parent domain adds it to its error. A verb may call it at its beginning to forget older errors.
func LastError(ctx uintptr) error {
	e := lookup(ctx)
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	err := e.last
	e.last = nil
	return err
}

func (e *entry) keep(err error) {
	e.mu.Lock()
	e.last = err
	e.mu.Unlock()
}

// alloc returns one request of a provider: an address, useDefault, or 0 and an errno.
func alloc(ctx uintptr, size, align, resource uint64) (uintptr, syscall.Errno) {
	e := lookup(ctx)
	if e == nil {
		return 0, syscall.EINVAL
	}
	addr, def, err := e.ask(size, align, resource)
	if err == nil && def {
		return useDefault, 0
	}
	if err == nil {
		err = e.take(addr, size, align)
	}
	if err == nil {
		return addr, 0
	}
	e.keep(fmt.Errorf("allocator asked for %d bytes aligned to %d (%s): %w", size, align, Resource(resource), err))
	var errno syscall.Errno
	if errors.As(err, &errno) && errno != 0 {
		return 0, errno
	}
	return 0, syscall.ENOMEM
}

func (e *entry) ask(size, align, resource uint64) (addr uintptr, def bool, err error) {
	panicked := apart(func() { addr, def, err = e.funcs.Alloc(size, align, resource) })
	if panicked != nil {
		return 0, false, fmt.Errorf("it %w", panicked)
	}
	return addr, def, err
}

// take checks the answer of Alloc and notes the block.
func (e *entry) take(addr uintptr, size, align uint64) error {
	if addr == 0 {
		return errors.New("it answered address 0; answer an error, or useDefault")
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

// free takes back one block of a provider.
func free(ctx, addr uintptr, resource uint64) {
	e := lookup(ctx)
	if e == nil {
		return
	}
	// The block is forgotten before Free runs: once it has, Alloc may give the address again.
	e.mu.Lock()
	_, ours := e.blocks[addr]
	delete(e.blocks, addr)
	e.mu.Unlock()
	if !ours {
		e.keep(fmt.Errorf("allocator told to free %#x (%s): it never gave that; ignored", addr, Resource(resource)))
		return
	}
	if panicked := apart(func() { e.funcs.Free(addr, resource) }); panicked != nil {
		e.keep(fmt.Errorf("allocator told to free %#x (%s): it %w", addr, Resource(resource), panicked))
	}
}
