package mem

// Why unsafe: a word of mapped memory as a value of sync/atomic. The word lies within the buffer and is aligned, both checked, and has no
// pointers. A function of sync/atomic that takes a slice would replace it.

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Uint64 returns the 8 bytes from offset off, in the byte order of the host, for atomic operations of this process: the result of a
// FETCH_ADD or a CMP_AND_SWP, a counter that peers change by these, or a flag behind data that a peer WRITEs. A Load that returns what a
// device wrote comes before later reads of this goroutine.
//
// The range must lie within the buffer (EFAULT) and off must be a multiple of 8 (EINVAL). Like the result of Bytes, the word must not be
// used after Close.
//
// A device and a processor are atomic to each other only if the device says so (AtomicCapGlob). Otherwise let only one of them change
// the word.
func (b *Buffer) Uint64(off uint64) (*atomic.Uint64, error) {
	return word[atomic.Uint64](b, off)
}

// Uint32 returns the 4 bytes from offset off, like Uint64.
func (b *Buffer) Uint32(off uint64) (*atomic.Uint32, error) {
	return word[atomic.Uint32](b, off)
}

func word[T atomic.Uint32 | atomic.Uint64](b *Buffer, off uint64) (*T, error) {
	size := uint64(unsafe.Sizeof(*new(T)))
	part, err := b.Slice(off, size)
	if err != nil {
		return nil, err
	}
	if off%size != 0 {
		return nil, &verr.Error{Errno: syscall.EINVAL,
			Msg: fmt.Sprintf("%s: offset %d is not a multiple of %d, as an atomic word needs", b, off, size)}
	}
	return (*T)(unsafe.Pointer(unsafe.SliceData(part))), nil
}
