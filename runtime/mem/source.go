package mem

import (
	"container/list"
	"fmt"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Source is host memory to register: a *Buffer, a *Pin, Bytes or Addr.
type Source interface {
	take(who string) (Held, error)
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

// Held is memory that stays where it is until Release is called.
type Held struct {
	Addr    uintptr
	Len     uint64
	Release func() // nil only in the zero value

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

// Take pins or retains the memory on behalf of who (see Buffer.Retain). Errors are those of PinBytes, Retain and RefuseGoHeap,
// os.ErrClosed for a Pin that was unpinned, and an error for a nil source, pin or buffer.
func Take(s Source, who string) (Held, error) {
	if s == nil {
		return Held{}, verr.NilValue("", "memory", "pass a mem.Buffer or a mem.Pin, mem.Bytes or mem.Addr")
	}
	return s.take(who)
}

func (s sliceSource) take(string) (Held, error) {
	pin, err := pinBytes(s, 0)
	if err != nil {
		return Held{}, err
	}
	return Held{Addr: pin.Addr(), Len: pin.Len(), Release: pin.Unpin}, nil
}

// take keeps the buffer from being closed.
func (b *Buffer) take(who string) (Held, error) {
	if b == nil {
		return Held{}, verr.NilValue("", "buffer", "make one with mem.New")
	}
	holder, err := b.retain(who)
	if err != nil {
		return Held{}, err
	}
	return Held{b.Addr(), b.Len(), b.releaser(holder), b, holder}, nil
}

func (s addrSource) take(string) (Held, error) {
	if err := RefuseGoHeap(s.addr, s.length); err != nil {
		return Held{}, err
	}
	return Held{Addr: s.addr, Len: s.length, Release: func() {}}, nil
}
