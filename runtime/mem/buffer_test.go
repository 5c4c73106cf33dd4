package mem

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"testing"
	"unsafe"
)

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, err error, is error, text string) {
	t.Helper()
	if !errors.Is(err, is) {
		t.Errorf("error %v is not %v", err, is)
	}
	if err == nil || err.Error() != text {
		t.Errorf("error:\n got %v\nwant %s", err, text)
	}
}

// newBuffer makes a buffer where the system can, and skips the test elsewhere.
func newBuffer(t *testing.T, length uint64, opts ...Option) *Buffer {
	t.Helper()
	b, err := New(length, opts...)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	check(t, err)
	return b
}

func TestBuffer(t *testing.T) {
	b := newBuffer(t, 5000, Populate(), nil)
	bytes := b.Bytes()
	if len(bytes) != 5000 || cap(bytes) != 5000 || b.Len() != 5000 {
		t.Errorf("length %d, capacity %d, Len %d", len(bytes), cap(bytes), b.Len())
	}
	if b.Addr() == 0 || b.Addr()%uintptr(os.Getpagesize()) != 0 || b.Addr() != uintptr(unsafe.Pointer(&bytes[0])) {
		t.Errorf("address %#x, first byte at %p", b.Addr(), &bytes[0])
	}
	for i, c := range bytes {
		if c != 0 {
			t.Fatalf("byte %d is %d", i, c)
		}
	}
	bytes[4999] = 7
	tail, err := b.Slice(4990, 10)
	if err != nil || len(tail) != 10 || cap(tail) != 10 || tail[9] != 7 {
		t.Errorf("Slice = %v, %v", tail, err)
	}
	if end, err := b.Slice(5000, 0); err != nil || len(end) != 0 {
		t.Errorf("Slice at the end = %v, %v", end, err)
	}
	check(t, b.Close())
	if b.Bytes() != nil || b.Addr() != 0 || b.Len() != 5000 {
		t.Errorf("after Close: %d bytes at %#x, Len %d", len(b.Bytes()), b.Addr(), b.Len())
	}
}

func TestErrors(t *testing.T) {
	b := newBuffer(t, 100)
	_, err := New(0)
	wantErr(t, err, syscall.EINVAL, "map a buffer of 0 bytes: the length must be at least 1: invalid argument (EINVAL)")
	for _, length := range []uint64{1 << 63, ^uint64(0), 1<<63 - 2} {
		if b, err := New(length); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("New(%#x) = %v, %v", length, b, err)
		}
	}
	_, err = New(1 << 63)
	wantErr(t, err, syscall.EINVAL, "map a buffer of 9223372036854775808 bytes: more than an address space holds: invalid argument (EINVAL)")
	_, err = New(1 << 62)
	wantErr(t, err, syscall.ENOMEM, "map a buffer of 4611686018427387904 bytes: cannot allocate memory (ENOMEM)")

	_, err = b.Slice(1, 100)
	wantErr(t, err, syscall.EFAULT, "buffer of 100 bytes: 100 bytes at offset 1 lie beyond its end: bad address (EFAULT)")
	for _, r := range [][2]uint64{{101, 0}, {^uint64(0), 2}, {2, ^uint64(0)}} {
		if s, err := b.Slice(r[0], r[1]); !errors.Is(err, syscall.EFAULT) {
			t.Errorf("Slice(%d, %d) = %d bytes, %v", r[0], r[1], len(s), err)
		}
	}
	for _, who := range []string{"MR (lkey 0x1)", "MR (lkey 0x2)", "MR (lkey 0x1)"} {
		check(t, b.Retain(who))
	}
	b.Release("MR (lkey 0x1)")
	b.Release("nobody")
	wantErr(t, b.Close(), syscall.EBUSY, "buffer of 100 bytes still has MR (lkey 0x1), MR (lkey 0x2) open; "+
		"close what is open first: device or resource busy (EBUSY)")
	b.Release("MR (lkey 0x1)")
	b.Release("MR (lkey 0x2)")
	check(t, b.Close())
	wantErr(t, b.Close(), os.ErrClosed, "buffer of 100 bytes is closed")
	wantErr(t, b.Retain("MR"), os.ErrClosed, "buffer of 100 bytes is closed")
	_, err = b.Slice(0, 1)
	wantErr(t, err, os.ErrClosed, "buffer of 100 bytes is closed")
}

// TestOver4G takes more than 32 bits can count, and touches both ends.
func TestOver4G(t *testing.T) {
	if ^uint(0)>>32 == 0 {
		t.Skip("the address space is too small")
	}
	length := uint64(4<<30 + 4097)
	b, err := New(length)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOMEM) {
		t.Skip(err)
	}
	check(t, err)
	bytes := b.Bytes()
	if uint64(len(bytes)) != length {
		t.Fatalf("%d bytes", len(bytes))
	}
	bytes[0], bytes[length-1] = 1, 2
	if tail, err := b.Slice(length-1, 1); err != nil || tail[0] != 2 {
		t.Errorf("the last byte: %v, %v", tail, err)
	}
	check(t, b.Close())
}

// TestBufferConcurrent retains, releases and closes from many goroutines: one Close succeeds, and none while a holder
// that was accepted still holds.
func TestBufferConcurrent(t *testing.T) {
	b := newBuffer(t, 4096)
	var closed int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				if b.Retain("me") != nil {
					continue
				}
				_ = b.Bytes()[0] // faults when the buffer is gone
				b.Release("me")
			}
		})
		wg.Go(func() {
			for range 50 {
				if b.Close() == nil {
					mu.Lock()
					closed++
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if b.Bytes() != nil {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		closed++
	}
	if closed != 1 {
		t.Errorf("%d Close succeeded", closed)
	}
}

// copied copies by value, as c := *f() does, which vet does not report.
func copied[T any](x *T) *T {
	c := *x
	return &c
}

// TestCopies copies a buffer and a pin: the copies have no memory, and end nothing.
func TestCopies(t *testing.T) {
	b, err := New(64)
	check(t, err)
	c := copied(b)
	const refused = "mem.Buffer is a copied handle; use the pointer to the original"
	if c.Bytes() != nil || c.Addr() != 0 {
		t.Errorf("a copy has %d bytes at %#x", len(c.Bytes()), c.Addr())
	}
	if _, err := c.Slice(0, 1); err == nil || err.Error() != refused {
		t.Errorf("Slice: %v", err)
	}
	if err := c.Retain("x"); err == nil || err.Error() != refused {
		t.Errorf("Retain: %v", err)
	}
	if err := c.Close(); err == nil || err.Error() != refused || b.Bytes() == nil {
		t.Errorf("Close: %v; the original has %d bytes", err, len(b.Bytes()))
	}
	check(t, b.Close())
	p, err := PinBytes(make([]byte, 64))
	check(t, err)
	defer p.Unpin()
	q := copied(p)
	q.Unpin()
	if _, err := take(q, "x"); err == nil || err.Error() != "mem.Pin is a copied handle; use the pointer to the original" ||
		q.Addr() != 0 || q.Len() != 0 || p.Len() != 64 {
		t.Errorf("Take: %v; the copy has %d bytes at %#x, the original %d", err, q.Len(), q.Addr(), p.Len())
	}
}
