//go:build !linux || !cgo

package direct

import (
	"errors"
	"fmt"
	"syscall"
)

// Context is never made here.
type Context struct {
	Saw func(verb string, e syscall.Errno) // never called
}

// Open says that there is no way to C.
func Open(Symbols, string) (*Context, error) {
	return nil, fmt.Errorf("calling without the bindings needs cgo and Linux: %w", errors.ErrUnsupported)
}

// Close does nothing.
func (c *Context) Close() error { return nil }

// The calls answer ENOSYS.

func (c *Context) RegMR(uintptr, uint64, uint64, uint32) syscall.Errno { return syscall.ENOSYS }
func (c *Context) RegDMABufMR(uint64, uint64, uint64, int, uint32) syscall.Errno {
	return syscall.ENOSYS
}
func (c *Context) RegMREx(Init) syscall.Errno                                { return syscall.ENOSYS }
func (c *Context) DM(uint64, uint32, uint64, uint64, uint32) syscall.Errno   { return syscall.ENOSYS }
func (c *Context) CQ(int, int) syscall.Errno                                 { return syscall.ENOSYS }
func (c *Context) GIDTable() syscall.Errno                                   { return syscall.ENOSYS }
func (c *Context) MW(int) syscall.Errno                                      { return syscall.ENOSYS }
func (c *Context) ImportDevice(int) syscall.Errno                            { return syscall.ENOSYS }
func (c *Context) Rereg(uintptr, int, uintptr, uint64, uint32) syscall.Errno { return syscall.ENOSYS }
func (c *Context) Advise(uintptr, uint32, uint32, uint32) syscall.Errno      { return syscall.ENOSYS }
func (c *Context) Device() ([]Field, syscall.Errno)                          { return nil, syscall.ENOSYS }
func (c *Context) Port(uint8) ([]Field, syscall.Errno)                       { return nil, syscall.ENOSYS }

// Busy makes nothing.
func (c *Context) Busy(uintptr) Busy { return Busy{Made: syscall.ENOSYS} }

// PatternDevice is 0.
func PatternDevice() uintptr { return 0 }

// PatternPort is 0.
func PatternPort() uintptr { return 0 }
