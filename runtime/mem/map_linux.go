package mem

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
	"golang.org/x/sys/unix"
)

// mapMemory maps at least length bytes, zeroed by the kernel, and says how many it mapped.
func mapMemory(length uint64, c config) (unsafe.Pointer, uintptr, error) {
	flags := unix.MAP_PRIVATE | unix.MAP_ANONYMOUS
	page := uint64(os.Getpagesize())
	if c.huge {
		size, err := hugeSize(c.hugeSize)
		if err != nil {
			return nil, 0, err
		}
		page = size
		flags |= unix.MAP_HUGETLB | bits.TrailingZeros64(size)<<unix.MAP_HUGE_SHIFT
	}
	if c.populate {
		flags |= unix.MAP_POPULATE
	}
	mapped, ok := roundUp(length, page)
	if !ok {
		return nil, 0, &verr.Error{Errno: syscall.EINVAL,
			Msg: fmt.Sprintf("map a buffer of %d bytes: more than an address space holds", length)}
	}
	base, err := roomy(func() (unsafe.Pointer, error) {
		return unix.MmapPtr(-1, 0, nil, mapped, unix.PROT_READ|unix.PROT_WRITE, flags)
	})
	if err != nil {
		msg, hint := fmt.Sprintf("map a buffer of %d bytes", length), ""
		if c.huge {
			msg += ": " + hugeState(sysHuge, page, uint64(mapped)/page)
		} else if errors.Is(err, syscall.ENOMEM) {
			hint = fail.MapHint(uint64(mapped))
		}
		return nil, 0, failed(msg, err, hint)
	}
	if err := unix.Madvise(unsafe.Slice((*byte)(base), mapped), unix.MADV_DONTFORK); err != nil {
		return nil, 0, errors.Join(failed("keep the buffer from forks (MADV_DONTFORK)", err, fail.MapHint(0)), unmap(addresses{base, mapped}))
	}
	return base, mapped, nil
}

// failed makes the error of a system call, with what may explain it.
func failed(msg string, err error, hint string) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		e := &verr.Error{Errno: errno, Msg: msg}
		if hint != "" {
			e.Hints = []string{hint}
		}
		return e
	}
	return &verr.Error{Msg: msg, Err: err}
}
