package mem

// Why unsafe: addresses of memory that is gone are kept, so that no other memory gets them. What keeps it sound: they are never
// followed, and they are unmapped once.

import (
	"errors"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What is kept of closed buffers at most: address space only, of which a process has 128 TiB, and fewer mappings than the kernel allows.
const (
	closedBuffers = 1024
	closedBytes   = 1 << 40
)

// closed are the addresses of closed buffers, the oldest first. Nothing can be reached there.
var closed struct {
	sync.Mutex
	ranges []addresses
	bytes  uint64
}

type addresses struct {
	base   unsafe.Pointer
	length uintptr
}

// unmapMemory unmaps the memory, and keeps its addresses from being used again until many other buffers were closed.
func unmapMemory(base unsafe.Pointer, mapped uintptr) error {
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE | unix.MAP_FIXED
	if _, err := unix.MmapPtr(-1, 0, base, mapped, unix.PROT_NONE, flags); err != nil {
		return unmap(addresses{base, mapped}) // there may be too many mappings
	}
	closed.Lock()
	defer closed.Unlock()
	closed.ranges = append(closed.ranges, addresses{base, mapped})
	closed.bytes += uint64(mapped)
	for len(closed.ranges) > closedBuffers || closed.bytes > closedBytes {
		_ = unmapOldest() // this buffer is closed all the same
	}
	return nil
}

// unmapOldest is called with closed locked.
func unmapOldest() error {
	oldest := closed.ranges[0]
	closed.ranges = closed.ranges[1:]
	closed.bytes -= uint64(oldest.length)
	return unmap(oldest)
}

func unmap(a addresses) error {
	if err := unix.MunmapPtr(a.base, a.length); err != nil {
		return failed("unmap the buffer", err, "")
	}
	return nil
}

// roomy repeats a mmap that found no room, without the addresses of closed buffers: the limit of address space (RLIMIT_AS) counts them.
func roomy(mmap func() (unsafe.Pointer, error)) (unsafe.Pointer, error) {
	base, err := mmap()
	if !errors.Is(err, syscall.ENOMEM) {
		return base, err
	}
	closed.Lock()
	for len(closed.ranges) > 0 {
		if unmapOldest() != nil {
			break
		}
	}
	closed.Unlock()
	return mmap()
}
