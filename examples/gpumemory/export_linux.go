package main

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/runtime/mem"
)

// exported is memory with a descriptor, as a driver exports it. The program sees its bytes, too, which it does not of most GPUs.
type exported struct {
	kind  string
	fd    int
	bytes []byte
}

// part is the part of the memory that is registered.
func (e *exported) part() mem.DMABuf {
	return mem.DMABuf{FD: e.fd, Offset: offset, Length: uint64(len(message))}
}

func (e *exported) Close() error { return errors.Join(unix.Munmap(e.bytes), unix.Close(e.fd)) }

// memfd makes memory that is no dma-buf.
func memfd(size int) (*exported, error) {
	fd, err := unix.MemfdCreate("gpumemory", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	size = (size + os.Getpagesize() - 1) &^ (os.Getpagesize() - 1)
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	bytes, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("mmap: %w", err), unix.Close(fd))
	}
	return &exported{"memfd", fd, bytes}, nil
}

// udmabuf makes a dma-buf of the pages of a memfd, by the driver of that name. The memfd must not shrink.
func udmabuf(size int) (*exported, error) {
	e, err := memfd(size)
	if err != nil {
		return nil, err
	}
	fd, err := ofMemfd(e.fd, len(e.bytes))
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	err = unix.Close(e.fd) // the dma-buf keeps the pages
	e.kind, e.fd = "dma-buf", fd
	return e, err
}

func ofMemfd(memfd, size int) (int, error) {
	if _, err := unix.FcntlInt(uintptr(memfd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK); err != nil {
		return -1, fmt.Errorf("F_SEAL_SHRINK: %w", err)
	}
	driver, err := unix.Open("/dev/udmabuf", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("/dev/udmabuf: %w; load the module udmabuf, or pass -memory memfd on the emulated card", err)
	}
	defer unix.Close(driver)
	arg := struct {
		memfd, flags uint32
		offset, size uint64
	}{uint32(memfd), cloexec, 0, uint64(size)}
	fd, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(driver), create|unsafe.Sizeof(arg)<<16, uintptr(unsafe.Pointer(&arg)))
	if errno != 0 {
		return -1, fmt.Errorf("UDMABUF_CREATE: %w", errno)
	}
	return int(fd), nil
}

const (
	cloexec = 1                     // UDMABUF_FLAGS_CLOEXEC
	create  = 1<<30 | 'u'<<8 | 0x42 // UDMABUF_CREATE, without the size of its argument
)
