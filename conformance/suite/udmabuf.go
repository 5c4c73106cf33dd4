//go:build linux

package suite

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// udmabufCreate has the layout of struct udmabuf_create in linux/udmabuf.h.
type udmabufCreate struct {
	memfd, flags uint32
	offset, size uint64
}

// udmabufCreateCmd is UDMABUF_CREATE: _IOW('u', 0x42, struct udmabuf_create).
const udmabufCreateCmd = 1<<30 | unsafe.Sizeof(udmabufCreate{})<<16 | 'u'<<8 | 0x42

// udmabuf makes a dma-buf of the memory of a memfd. A kernel without is errors.ErrUnsupported.
func udmabuf(memfd int, size uint64) (int, error) {
	if _, err := unix.FcntlInt(uintptr(memfd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK); err != nil {
		return -1, fmt.Errorf("sealing a memfd: %w", err)
	}
	ctl, err := unix.Open("/dev/udmabuf", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("no dma-buf can be made (%w): /dev/udmabuf: %v", errors.ErrUnsupported, err)
	}
	defer unix.Close(ctl)
	arg := udmabufCreate{memfd: uint32(memfd), flags: 1, size: size} // flag 1: close on exec
	fd, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(ctl), udmabufCreateCmd, uintptr(unsafe.Pointer(&arg)))
	if errno != 0 {
		return -1, fmt.Errorf("no dma-buf can be made (%w): UDMABUF_CREATE: %v", errors.ErrUnsupported, errno)
	}
	return int(fd), nil
}
