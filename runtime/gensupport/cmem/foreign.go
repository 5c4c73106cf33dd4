package cmem

import (
	"fmt"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Foreign is memory that C allocates for a program, and frees when the handle of it is closed, or memory of the program that the handle
// keeps until then. The zero value is closed, like nil. It is a field of a handle, and must not be copied after Open: a copy has no memory.
type Foreign struct {
	at     *Foreign // the memory itself, set by Open: another address in a copy, which no End would close
	mu     sync.RWMutex
	base   unsafe.Pointer // nil when closed
	length uint64
}

// Open lets the program use the memory.
func (f *Foreign) Open(base unsafe.Pointer, length uint64) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at, f.base, f.length = f, base, length
}

// Lend is Open with memory that the program already has, at an address that stays the same.
func (f *Foreign) Lend(addr uintptr, length uint64) {
	f.Open(*(*unsafe.Pointer)(unsafe.Pointer(&addr)), length)
}

// What a copy has, since its own mutex may be a copy of a locked one, and nil.
var noMemory, nilMemory Foreign

// own returns f, noMemory for a copy and nilMemory for nil.
func (f *Foreign) own() *Foreign {
	switch {
	case f == nil:
		return &nilMemory
	case f.at != f && f.at != nil:
		return &noMemory
	}
	return f
}

// Bytes returns all of the memory, nil after Close. The slice must not be used after Close: the library frees the memory, and may use it
// for something else.
func (f *Foreign) Bytes() []byte {
	f = f.own()
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.bytes()
}

func (f *Foreign) bytes() []byte {
	if f.base == nil {
		return nil
	}
	return unsafe.Slice((*byte)(f.base), f.length)
}

// Addr returns the address of the first byte, 0 after Close.
func (f *Foreign) Addr() uintptr {
	f = f.own()
	f.mu.RLock()
	defer f.mu.RUnlock()
	return uintptr(f.base)
}

// Len returns the length in bytes.
func (f *Foreign) Len() uint64 {
	f = f.own()
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.length
}

// WriteAt copies p to offset off: all of it, or none and an error. A range beyond the end is EFAULT.
func (f *Foreign) WriteAt(p []byte, off int64) (int, error) {
	f = f.own()
	f.mu.RLock()
	defer f.mu.RUnlock()
	at, err := f.part(len(p), off)
	return copy(at, p), err
}

// ReadAt copies from offset off to p: all of it, or none and an error. A range beyond the end is EFAULT.
func (f *Foreign) ReadAt(p []byte, off int64) (int, error) {
	f = f.own()
	f.mu.RLock()
	defer f.mu.RUnlock()
	at, err := f.part(len(p), off)
	return copy(p, at), err
}

// part returns n bytes from offset off.
func (f *Foreign) part(n int, off int64) ([]byte, error) {
	switch {
	case f == &noMemory:
		return nil, fail.Copied("", "the owner of the memory")
	case f == &nilMemory:
		return nil, fail.NilHandle("", "the owner of the memory")
	case f.at == nil:
		return nil, fail.NeverOpened("", "the memory")
	case f.base == nil:
		return nil, fail.Closed("", "the memory")
	}
	if off < 0 || uint64(off) > f.length || uint64(n) > f.length-uint64(off) {
		return nil, &verr.Error{Errno: syscall.EFAULT,
			Msg: fmt.Sprintf("%d bytes at offset %d do not lie in memory of %d bytes", n, off, f.length)}
	}
	return f.bytes()[off:][:n], nil
}

// End closes the memory, which waits for copies, and has destroy free it. When that fails, it is open again. A copy fails.
func (f *Foreign) End(verb, kind string, _ time.Duration, destroy func() error) error {
	switch {
	case f == nil || f.at == nil:
		return fail.NeverOpened(verb, kind)
	case f.at != f:
		return fail.Copied(verb, kind)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	base := f.base
	f.base = nil
	err := destroy()
	if err != nil {
		f.base = base
	}
	return err
}
