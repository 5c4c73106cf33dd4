package mem

import (
	"os"
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/internal/hold"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Pin keeps a slice in its place, so that a device may use its address until Unpin.
//
// The owner keeps the Pin until Unpin. If it does not, the memory stays pinned for as long as the program runs, as a device may still use
// it, and the loss is reported: see OnForgotten. A memory region stores its Pin in its handle, which its parents keep reachable
// until it is closed.
//
// Use it only by pointer: a copy by value has no memory, and its Unpin does nothing.
type Pin struct {
	at *Pin // the pin itself: another address in a copy
	*pinState
}

// pinState is the memory of a Pin. It is reachable for as long as it is pinned, as a runtime.Pinner that the collector finds stops the
// program.
type pinState struct {
	mu     sync.Mutex
	pinner runtime.Pinner
	bytes  []byte  // nil after Unpin
	users  int     // who keeps the memory pinned even after Unpin
	by     uintptr // program counter of the caller of PinBytes
}

// PinBytes pins the memory of b. Memory that is not Go's, such as that of a Buffer, never moves and needs no pin. An
// empty slice has no memory and is refused (EINVAL). The caller calls Unpin.
func PinBytes(b []byte) (*Pin, error) {
	var caller [1]uintptr
	runtime.Callers(2, caller[:])
	return pinBytes(b, caller[0])
}

func pinBytes(b []byte, by uintptr) (*Pin, error) {
	if len(b) == 0 {
		return nil, &verr.Error{Errno: syscall.EINVAL, Msg: "pin an empty slice: it has no memory; give it at least one byte"}
	}
	p := &Pin{pinState: &pinState{bytes: b, by: by}}
	p.at = p
	p.pinner.Pin(unsafe.SliceData(b))
	keep(p)
	return p, nil
}

// isCopy reports whether p is a copy by value. Its mutex may be a copy of a locked one.
func (p *Pin) isCopy() bool { return p.at != p && p.at != nil }

// has reports whether p is a pin of memory: neither nil nor a copy, nor the zero value.
func (p *Pin) has() bool { return p != nil && p.at == p }

// Addr returns the address of the first byte, 0 after Unpin.
func (p *Pin) Addr() uintptr {
	if !p.has() {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return uintptr(unsafe.Pointer(unsafe.SliceData(p.bytes)))
}

// Len returns the length in bytes, 0 after Unpin.
func (p *Pin) Len() uint64 {
	if !p.has() {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return uint64(len(p.bytes))
}

// Unpin ends the pin. Call it when no device can access the memory any more; later calls do nothing. Memory of a region stays
// pinned until the region is closed.
func (p *Pin) Unpin() {
	if !p.has() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bytes = nil
	p.unpinUnused()
	runtime.KeepAlive(p)
}

// take keeps the memory pinned until it is released, whether or not Unpin is called meanwhile.
func (p *Pin) take(string) (hold.Held, error) {
	if p != nil && p.isCopy() {
		return hold.Held{}, fail.Copied("", "mem.Pin")
	}
	if !p.has() {
		return hold.Held{}, fail.NilValue("", "pin", "make one with mem.PinBytes")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes == nil {
		return hold.Held{}, &verr.Error{Msg: "the Pin was unpinned", Err: os.ErrClosed}
	}
	p.users++
	release := sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.users--
		p.unpinUnused()
	})
	return hold.Held{Addr: uintptr(unsafe.Pointer(unsafe.SliceData(p.bytes))), Len: uint64(len(p.bytes)), Release: release}, nil
}

// unpinUnused is called with mu held.
func (p *pinState) unpinUnused() {
	if p.bytes == nil && p.users == 0 {
		p.pinner.Unpin()
		letGo(p)
	}
}
