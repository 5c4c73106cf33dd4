package mem

import "errors"

// Source is host memory that a caller passes to a verb: a slice, a buffer or an address. The zero value is no memory.
type Source struct {
	kind  sourceKind
	bytes []byte
	buf   *Buffer
	addr  uintptr
	len   uint64
}

type sourceKind uint8

const (
	noSource sourceKind = iota
	sourceBytes
	sourceBuffer
	sourceAddr
)

// FromBytes is the memory of a slice. Take pins it.
func FromBytes(b []byte) Source { return Source{kind: sourceBytes, bytes: b} }

// FromBuffer is the memory of a buffer. Take prevents its Close.
func FromBuffer(b *Buffer) Source { return Source{kind: sourceBuffer, buf: b} }

// FromAddr is length bytes at an address, which the caller keeps mapped.
func FromAddr(addr uintptr, length uint64) Source {
	return Source{kind: sourceAddr, addr: addr, len: length}
}

// Held is memory that stays where it is until Release is called.
type Held struct {
	Addr    uintptr
	Len     uint64
	Release func() // never nil
}

// Take pins or retains the memory on behalf of who (see Buffer.Retain). Without memory it returns a Held of address 0
// and length 0. Errors are those of PinBytes and Retain, and an error for a nil buffer.
func (s Source) Take(who string) (Held, error) {
	switch s.kind {
	case sourceBytes:
		pin, err := PinBytes(s.bytes)
		if err != nil {
			return Held{}, err
		}
		return Held{pin.Addr(), pin.Len(), pin.Unpin}, nil
	case sourceBuffer:
		if s.buf == nil {
			return Held{}, errors.New("buffer is nil; make one with mem.New")
		}
		if err := s.buf.Retain(who); err != nil {
			return Held{}, err
		}
		return Held{s.buf.Addr(), s.buf.Len(), func() { s.buf.Release(who) }}, nil
	}
	return Held{s.addr, s.len, func() {}}, nil
}

// Keep retains the buffer on behalf of who and returns the function that releases it; nil for a closed buffer.
func (b *Buffer) Keep(who string) (release func()) {
	if b.Retain(who) != nil {
		return nil
	}
	return func() { b.Release(who) }
}
