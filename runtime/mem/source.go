package mem

import (
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/internal/goheap"
	"github.com/verbsgen/verbsgen/runtime/internal/hold"
)

// Source is host memory to register: a *Buffer, a *Pin, Bytes or Addr.
type Source interface {
	take(who string) (hold.Held, error)
}

// Bytes is the memory of a slice. The call that takes it pins it until the new object is closed.
func Bytes(b []byte) Source { return sliceSource(b) }

// Addr is length bytes at an address, such as memory of C. The caller keeps it mapped until the new object is closed. Memory of Go's heap
// is refused (syscall.EINVAL): pass Bytes or a Pin.
func Addr(addr uintptr, length uint64) Source { return addrSource{addr, length} }

type sliceSource []byte

type addrSource struct {
	addr   uintptr
	length uint64
}

func init() {
	hold.Take = func(s any, who string) (hold.Held, error) {
		from, _ := s.(Source)
		return take(from, who)
	}
}

// take pins or retains the memory on behalf of who (see Buffer.Retain). Errors are those of PinBytes and Retain, EINVAL for an address in
// Go's heap, os.ErrClosed for a Pin that was unpinned, and an error for a nil source, pin or buffer.
func take(s Source, who string) (hold.Held, error) {
	if s == nil {
		return hold.Held{}, fail.NilValue("", "memory", "pass a mem.Buffer or a mem.Pin, mem.Bytes or mem.Addr")
	}
	return s.take(who)
}

func (s sliceSource) take(string) (hold.Held, error) {
	pin, err := pinBytes(s, 0)
	if err != nil {
		return hold.Held{}, err
	}
	return hold.Held{Addr: pin.Addr(), Len: pin.Len(), Release: pin.Unpin}, nil
}

// take keeps the buffer from being closed.
func (b *Buffer) take(who string) (hold.Held, error) {
	if b == nil {
		return hold.Held{}, fail.NilValue("", "buffer", "make one with mem.New")
	}
	holder, err := b.retain(who)
	if err != nil {
		return hold.Held{}, err
	}
	name := func(who string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		holder.Value = who
	}
	return hold.Held{Addr: b.Addr(), Len: b.Len(), Release: b.releaser(holder), Named: name}, nil
}

func (s addrSource) take(string) (hold.Held, error) {
	if err := goheap.Refuse(s.addr, s.length); err != nil {
		return hold.Held{}, err
	}
	return hold.Held{Addr: s.addr, Len: s.length, Release: func() {}}, nil
}
