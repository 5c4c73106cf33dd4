package mem

// Why unsafe: the memory is the kernel's answer to mmap, which Go sees as an address only. What keeps it sound: base is
// set once, from mmap, and cleared under the lock by Close, which unmaps it; slices of it are valid until then, which
// the comments of Bytes and Slice say. A slice type over foreign memory in the standard library would replace it.

import (
	"container/list"
	"fmt"
	"sync"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Buffer is memory outside Go's heap: zeroed, never moved, and not copied to the children of a fork (MADV_DONTFORK), so
// that a device and the parent keep seeing the same pages. All methods may be called from any number of goroutines.
type Buffer struct {
	length uint64

	mu      sync.Mutex
	base    unsafe.Pointer // nil after Close
	mapped  uintptr        // bytes to unmap
	holders list.List      // names of what retains it, in the order of the calls
}

// New maps length bytes, at least 1; more than 4 GiB are fine. The caller owns the Buffer and calls Close.
// Errors: EINVAL for a length of 0 or beyond the address space and for a page size that is no power of two, the errno
// of mmap(2) otherwise (ENOMEM when too few huge pages are free, naming how many there are), errors.ErrUnsupported on
// another system than Linux.
func New(length uint64, opts ...Option) (*Buffer, error) {
	var c config
	for _, opt := range opts {
		if opt != nil {
			opt(&c)
		}
	}
	if length == 0 {
		return nil, &verr.Error{Errno: syscall.EINVAL, Msg: "map a buffer of 0 bytes: the length must be at least 1"}
	}
	base, mapped, err := mapMemory(length, c)
	if err != nil {
		return nil, err
	}
	return &Buffer{length: length, base: base, mapped: mapped}, nil
}

// roundUp rounds length up to a multiple of page, a power of two; false when the result is beyond what a slice can hold.
func roundUp(length, page uint64) (uintptr, bool) {
	const most = uint64(^uint(0) >> 1)
	if length > most-(page-1) {
		return 0, false
	}
	return uintptr((length + page - 1) &^ (page - 1)), true
}

// Bytes gives the whole buffer, nil after Close. The slice must not be used after Close: the memory is gone, and touching
// it kills the program.
func (b *Buffer) Bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.base == nil {
		return nil
	}
	return unsafe.Slice((*byte)(b.base), b.length)
}

// Slice gives n bytes from offset off on, under the same terms as Bytes. The range must lie within the buffer (EFAULT).
func (b *Buffer) Slice(off, n uint64) ([]byte, error) {
	all := b.Bytes()
	if all == nil {
		return nil, verr.Closed("", b.String())
	}
	if off > b.length || n > b.length-off {
		return nil, &verr.Error{Errno: syscall.EFAULT,
			Msg: fmt.Sprintf("%s: %d bytes at offset %d lie beyond its end", b, n, off)}
	}
	return all[off : off+n : off+n], nil
}

// Addr gives the address of the first byte, 0 after Close. It is a multiple of the page size.
func (b *Buffer) Addr() uintptr {
	b.mu.Lock()
	defer b.mu.Unlock()
	return uintptr(b.base)
}

// Len gives the length in bytes that New was asked for.
func (b *Buffer) Len() uint64 { return b.length }

// String names the buffer for messages.
func (b *Buffer) String() string { return fmt.Sprintf("buffer of %d bytes", b.length) }

// Retain keeps the buffer from being closed until Release is called with the same who: the name of what uses the memory,
// as Close shows it. It fails with os.ErrClosed on a closed buffer. Equal names count separately.
func (b *Buffer) Retain(who string) error {
	_, err := b.retain(who)
	return err
}

func (b *Buffer) retain(who string) (*list.Element, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.base == nil {
		return nil, verr.Closed("", b.String())
	}
	return b.holders.PushBack(who), nil
}

// Release takes back the latest Retain by who. A who that holds nothing is ignored.
func (b *Buffer) Release(who string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for e := b.holders.Back(); e != nil; e = e.Prev() {
		if e.Value == who {
			b.holders.Remove(e)
			return
		}
	}
}

// Keep is a Retain by who that ends by calling release, however many retain the buffer. Later calls of release do nothing.
// A closed buffer gives nil.
func (b *Buffer) Keep(who string) (release func()) {
	e, err := b.retain(who)
	if err != nil {
		return nil
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.holders.Remove(e)
	}
}

// retainedBy names the holders in the order of their calls. Called with mu held.
func (b *Buffer) retainedBy() []string {
	var names []string
	for e := b.holders.Front(); e != nil; e = e.Next() {
		names = append(names, e.Value.(string))
	}
	return names
}

// Close unmaps the memory. It is refused while the buffer is retained (syscall.EBUSY, naming by whom); a second Close is
// os.ErrClosed.
func (b *Buffer) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.base == nil {
		return verr.Closed("", b.String())
	}
	if b.holders.Len() > 0 {
		return verr.Busy("", b.String(), b.retainedBy())
	}
	if err := unmapMemory(b.base, b.mapped); err != nil {
		return err
	}
	b.base = nil
	return nil
}
