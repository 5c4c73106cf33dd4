package cmem

import (
	"runtime"
	"slices"
	"sync"
	"unsafe"
)

// Pins keep memory of Go in its place while C reads it during one call. The zero Pins are ready for use; Unpin ends them. Without it the
// memory stays pinned for as long as the program runs.
//
// C finds the memory by addresses in the struct that it is given, which Go's rules for pointers do not follow.
type Pins struct {
	pinner runtime.Pinner
	placed []unsafe.Pointer // links of chains
}

// Unpin lets go of all memory.
func (p *Pins) Unpin() {
	if p != nil {
		end(&p.pinner)
	}
}

// Link reports whether x is not yet a link of the chain that is being placed. A chain that leads back to itself has no end.
func (p *Pins) Link(x unsafe.Pointer) bool {
	if p == nil || slices.Contains(p.placed, x) {
		return false
	}
	p.placed = append(p.placed, x)
	return true
}

// PinList pins the elements of a list, and returns where they are; 0 for an empty one, and without Pins.
func PinList[T any](p *Pins, list []T) uintptr {
	if p == nil || len(list) == 0 {
		return 0
	}
	pin(&p.pinner, unsafe.SliceData(list))
	return uintptr(unsafe.Pointer(unsafe.SliceData(list)))
}

// PinValue pins a value, and returns where it is; 0 for nil, and without Pins.
func PinValue[T any](p *Pins, x *T) uintptr {
	if p == nil || x == nil {
		return 0
	}
	pin(&p.pinner, x)
	return uintptr(unsafe.Pointer(x))
}

// kept are the pinners of all memory that is pinned.
var kept struct {
	sync.Mutex
	pinners map[runtime.Pinner]struct{}
}

// pin pins what x points to until end. The pinner stays reachable meanwhile: one that the collector finds stops the program.
func pin(p *runtime.Pinner, x any) {
	p.Pin(x)
	kept.Lock()
	defer kept.Unlock()
	if kept.pinners == nil {
		kept.pinners = map[runtime.Pinner]struct{}{}
	}
	kept.pinners[*p] = struct{}{}
}

func end(p *runtime.Pinner) {
	kept.Lock()
	delete(kept.pinners, *p)
	kept.Unlock()
	p.Unpin()
}

// PinData stores the address of b in to, for C code that reads it during a call, and returns what ends the pin. Of an empty slice
// it is 0. If the pin is not ended, the memory stays pinned for as long as the program runs.
func PinData(to *uintptr, b []byte) (unpin func()) {
	if to == nil {
		to = new(uintptr)
	}
	if len(b) == 0 {
		*to = 0
		return func() {}
	}
	var p runtime.Pinner
	pin(&p, unsafe.SliceData(b))
	*to = uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return func() { end(&p) }
}
