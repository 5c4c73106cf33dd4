//go:build linux

package mem

import (
	"encoding/binary"
	"math"
	"os"
	"sync"
	"syscall"
	"testing"
)

// TestWord changes words from several goroutines, and sees them where the bytes of the buffer are.
func TestWord(t *testing.T) {
	b := newBuffer(t, 24)
	count, err := b.Uint64(8)
	check(t, err)
	flag, err := b.Uint32(20)
	check(t, err)
	var adders sync.WaitGroup
	for range 4 {
		adders.Go(func() {
			for range 100 {
				count.Add(1 << 32)
			}
		})
	}
	adders.Wait()
	flag.Store(7)
	bytes := b.Bytes()
	if n := binary.NativeEndian.Uint64(bytes[8:]); n != 400<<32 || bytes[0] != 0 || binary.NativeEndian.Uint32(bytes[20:]) != 7 {
		t.Errorf("bytes %x", bytes)
	}
}

// TestWordErrors refuses words that are not aligned or not in the buffer.
func TestWordErrors(t *testing.T) {
	b := newBuffer(t, 20)
	const of20, far = "buffer of 20 bytes: ", " lie beyond its end: bad address (EFAULT)"
	const wrong = ": invalid argument (EINVAL)"
	word64 := func(off uint64) error { _, err := b.Uint64(off); return err }
	word32 := func(off uint64) error { _, err := b.Uint32(off); return err }
	wantErr(t, word64(4), syscall.EINVAL, of20+"offset 4 is not a multiple of 8, as an atomic word needs"+wrong)
	wantErr(t, word32(2), syscall.EINVAL, of20+"offset 2 is not a multiple of 4, as an atomic word needs"+wrong)
	wantErr(t, word64(16), syscall.EFAULT, of20+"8 bytes at offset 16"+far)
	wantErr(t, word32(20), syscall.EFAULT, of20+"4 bytes at offset 20"+far)
	wantErr(t, word64(math.MaxUint64-7), syscall.EFAULT, of20+"8 bytes at offset 18446744073709551608"+far)
	check(t, b.Close())
	wantErr(t, word64(8), os.ErrClosed, "buffer of 20 bytes is closed")
	var none *Buffer
	_, err := none.Uint64(0)
	wantErr(t, err, syscall.EINVAL, "mem.Buffer is nil; make one with mem.New")
}
