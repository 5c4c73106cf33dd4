package mem

import (
	"runtime"
	"sync"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Pin keeps a slice in its place, so that a device may use its address until Unpin.
//
// The owner must keep the Pin reachable until Unpin: when the garbage collector finds a Pin that was not unpinned it
// stops the program (runtime.Pinner panics), since a device may still use the memory. A memory region stores its Pin in
// its handle, which its parents keep reachable until it is closed.
type Pin struct {
	mu     sync.Mutex
	pinner runtime.Pinner
	bytes  []byte // nil after Unpin
}

// PinBytes pins the memory of b. Memory that is not Go's, such as that of a Buffer, never moves and needs no pin. An
// empty slice has no memory and is refused (EINVAL). The caller calls Unpin.
func PinBytes(b []byte) (*Pin, error) {
	if len(b) == 0 {
		return nil, &verr.Error{Errno: syscall.EINVAL, Msg: "pin an empty slice: it has no memory; give it at least one byte"}
	}
	p := &Pin{bytes: b}
	p.pinner.Pin(unsafe.SliceData(b))
	return p, nil
}

// Addr returns the address of the first byte, 0 after Unpin.
func (p *Pin) Addr() uintptr {
	p.mu.Lock()
	defer p.mu.Unlock()
	return uintptr(unsafe.Pointer(unsafe.SliceData(p.bytes)))
}

// Len returns the length in bytes, 0 after Unpin.
func (p *Pin) Len() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return uint64(len(p.bytes))
}

// Unpin ends the pin. Call it when no device can access the memory any more; later calls do nothing.
func (p *Pin) Unpin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pinner.Unpin()
	p.bytes = nil
}
