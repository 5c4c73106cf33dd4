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

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Buffer is memory outside Go's heap: zeroed, never moved, and not copied to the children of a fork (MADV_DONTFORK), so
// that a device and the parent keep seeing the same pages. All methods may be called from any number of goroutines.
//
// Use it only by pointer: a copy by value has no memory, like nil and a zero value.
type Buffer struct {
	at     *Buffer // the buffer itself: another address in a copy, which no Close would reach
	length uint64

	mu      sync.Mutex
	base    unsafe.Pointer // nil after Close
	mapped  uintptr        // bytes to unmap
	holders list.List      // names of what retains it, in the order of the calls
}

// New maps length bytes, at least 1; more than 4 GiB are allowed. The caller owns the Buffer and calls Close. Errors:
// EINVAL for a length of 0 or beyond the address space and for a page size that is not a power of two;
// errors.ErrUnsupported on another system than Linux; otherwise the errno of mmap(2) (ENOMEM, with the number of free
// huge pages, when there are too few).
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
	b := &Buffer{length: length, base: base, mapped: mapped}
	b.at = b
	return b, nil
}

// unusable returns the error of a buffer that New did not return. The mutex of a copy by value may be a copy of a locked one.
func (b *Buffer) unusable() error {
	switch {
	case b == nil:
		return fail.NilValue("", "mem.Buffer", "make one with mem.New")
	case b.at == nil:
		return fail.NeverOpened("", "mem.Buffer")
	case b.at != b:
		return fail.Copied("", "mem.Buffer")
	}
	return nil
}

// roundUp rounds length up to a multiple of page, a power of two; false when the result is beyond what a slice can hold.
func roundUp(length, page uint64) (uintptr, bool) {
	const most = uint64(^uint(0) >> 1)
	if length > most-(page-1) {
		return 0, false
	}
	return uintptr((length + page - 1) &^ (page - 1)), true
}

// Bytes returns the whole buffer, nil after Close. The slice must not be used after Close: its memory is gone, and an access ends the
// program by a fault. Its addresses go to no other memory until 1024 more buffers were closed, or 1 TiB of them, or New found no room: so
// an access soon after Close does not change another buffer in silence.
func (b *Buffer) Bytes() []byte {
	if b.unusable() != nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.base == nil {
		return nil
	}
	return unsafe.Slice((*byte)(b.base), b.length)
}

// Slice returns the n bytes from offset off. The range must lie within the buffer (EFAULT). Like the result of Bytes,
// the slice must not be used after Close.
func (b *Buffer) Slice(off, n uint64) ([]byte, error) {
	if err := b.unusable(); err != nil {
		return nil, err
	}
	all := b.Bytes()
	if all == nil {
		return nil, fail.Closed("", b.String())
	}
	if off > b.length || n > b.length-off {
		return nil, &verr.Error{Errno: syscall.EFAULT,
			Msg: fmt.Sprintf("%s: %d bytes at offset %d lie beyond its end", b, n, off)}
	}
	return all[off : off+n : off+n], nil
}

// Addr returns the address of the first byte, 0 after Close. It is a multiple of the page size.
func (b *Buffer) Addr() uintptr {
	if b.unusable() != nil {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return uintptr(b.base)
}

// Len returns the length in bytes that was passed to New.
func (b *Buffer) Len() uint64 {
	if b == nil {
		return 0
	}
	return b.length
}

// String names the buffer for messages.
func (b *Buffer) String() string { return fmt.Sprintf("buffer of %d bytes", b.Len()) }

// Retain prevents Close until Release is called with the same who: the name of the user of the memory, which the error
// of Close shows. It fails with os.ErrClosed on a closed buffer. Each Retain needs its own Release, also with equal
// names.
func (b *Buffer) Retain(who string) error {
	_, err := b.retain(who)
	return err
}

func (b *Buffer) retain(who string) (*list.Element, error) {
	if err := b.unusable(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.base == nil {
		return nil, fail.Closed("", b.String())
	}
	return b.holders.PushBack(who), nil
}

// Release ends the latest Retain with the same who. If there is none, it does nothing.
func (b *Buffer) Release(who string) {
	if b.unusable() != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for e := b.holders.Back(); e != nil; e = e.Prev() {
		if e.Value == who {
			b.holders.Remove(e)
			return
		}
	}
}

// Keep retains the buffer on behalf of who and returns the function that releases it; nil for a closed buffer. Keep takes the same time
// however many users retain the buffer. Later calls of release do nothing.
func (b *Buffer) Keep(who string) (release func()) {
	e, err := b.retain(who)
	if err != nil {
		return nil
	}
	return b.releaser(e)
}

// releaser ends what retain began.
func (b *Buffer) releaser(e *list.Element) func() {
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.holders.Remove(e)
	}
}

// retainedBy returns the names of the users in the order of their calls. Called with mu held.
func (b *Buffer) retainedBy() []string {
	var names []string
	for e := b.holders.Front(); e != nil; e = e.Next() {
		names = append(names, e.Value.(string))
	}
	return names
}

// Close gives the memory back, and keeps its addresses unused for a while: see Bytes. It fails while the buffer is retained (syscall.EBUSY,
// with the names of the users); a second Close returns os.ErrClosed.
func (b *Buffer) Close() error {
	if err := b.unusable(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.base == nil {
		return fail.Closed("", b.String())
	}
	if b.holders.Len() > 0 {
		return fail.Busy("", b.String(), b.retainedBy())
	}
	if err := unmapMemory(b.base, b.mapped); err != nil {
		return err
	}
	b.base = nil
	return nil
}
