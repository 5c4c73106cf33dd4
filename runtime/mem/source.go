package mem

import (
	"container/list"
	"fmt"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Source is host memory that a caller passes to a verb: a slice, a pin, a buffer or an address. The zero value is no memory.
type Source struct {
	kind  sourceKind
	bytes []byte
	pin   *Pin
	buf   *Buffer
	addr  uintptr
	len   uint64
}

type sourceKind uint8

const (
	noSource sourceKind = iota
	sourceBytes
	sourcePin
	sourceBuffer
	sourceAddr
)

// FromBytes is the memory of a slice. Take pins it.
func FromBytes(b []byte) Source { return Source{kind: sourceBytes, bytes: b} }

// FromPin is the memory of a slice that is pinned already. Take keeps it pinned until Release, also after Unpin.
func FromPin(p *Pin) Source { return Source{kind: sourcePin, pin: p} }

// FromBuffer is the memory of a buffer. Take prevents its Close.
func FromBuffer(b *Buffer) Source { return Source{kind: sourceBuffer, buf: b} }

// FromAddr is length bytes at an address, which the caller keeps mapped. It must not be memory of Go's heap (see RefuseGoHeap).
func FromAddr(addr uintptr, length uint64) Source {
	return Source{kind: sourceAddr, addr: addr, len: length}
}

// Held is memory that stays where it is until Release is called.
type Held struct {
	Addr    uintptr
	Len     uint64
	Release func() // never nil

	buf    *Buffer       // of a buffer: where it is retained
	holder *list.Element // and the name of who retains it
}

// Rename changes the name of who holds the memory, where the error of a Close shows it: often it is known only when the memory is
// in use.
func (h Held) Rename(who fmt.Stringer) {
	if h.holder == nil {
		return
	}
	name := who.String()
	h.buf.mu.Lock()
	defer h.buf.mu.Unlock()
	h.holder.Value = name
}

// Take pins or retains the memory on behalf of who (see Buffer.Retain). Without memory it returns a Held of address 0
// and length 0. Errors are those of PinBytes, Retain and RefuseGoHeap, os.ErrClosed for a Pin that was unpinned, and an error for a
// nil pin or buffer.
func (s Source) Take(who string) (Held, error) {
	switch s.kind {
	case sourceBytes:
		pin, err := pinBytes(s.bytes, 0)
		if err != nil {
			return Held{}, err
		}
		return Held{Addr: pin.Addr(), Len: pin.Len(), Release: pin.Unpin}, nil
	case sourcePin:
		return s.pin.take()
	case sourceBuffer:
		if s.buf == nil {
			return Held{}, verr.NilValue("", "buffer", "make one with mem.New")
		}
		holder, err := s.buf.retain(who)
		if err != nil {
			return Held{}, err
		}
		return Held{s.buf.Addr(), s.buf.Len(), s.buf.releaser(holder), s.buf, holder}, nil
	case sourceAddr:
		if err := RefuseGoHeap(s.addr, s.len); err != nil {
			return Held{}, err
		}
	}
	return Held{Addr: s.addr, Len: s.len, Release: func() {}}, nil
}
