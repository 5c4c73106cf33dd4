//go:build linux && cgo

package direct

/*
#include <stdlib.h>
#include "direct.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"
)

// Context is an open device with a protection domain. It must not be used after Close.
type Context struct {
	Saw     func(verb string, e syscall.Errno) // when set, it is told what each call answered
	src     Symbols
	ctx, pd C.uintptr_t
}

// Open opens the device of the given name.
func Open(src Symbols, name string) (*Context, error) {
	c := &Context{src: src}
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	ctx, err := C.direct_open(c.fn("ibv_get_device_list"), c.fn("ibv_free_device_list"), c.fn("ibv_open_device"), s)
	if ctx == nil {
		return nil, fmt.Errorf("opening %s without the bindings: %w", name, err)
	}
	c.ctx = C.uintptr_t(uintptr(ctx))
	pd, err := C.direct_alloc_pd(c.fn("ibv_alloc_pd"), c.ctx)
	if pd == nil {
		C.direct_close(c.fn("ibv_close_device"), c.ctx)
		return nil, fmt.Errorf("a protection domain without the bindings: %w", err)
	}
	c.pd = C.uintptr_t(uintptr(pd))
	return c, nil
}

// fn returns the address of an exported function; 0 where the library lacks it.
func (c *Context) fn(name string) C.uintptr_t { return C.uintptr_t(c.src.Symbol(name, "")) }

// Close frees everything.
func (c *Context) Close() error {
	pd := orNil(syscall.Errno(C.direct_dealloc_pd(c.fn("ibv_dealloc_pd"), c.pd)))
	return errors.Join(pd, orNil(syscall.Errno(C.direct_close(c.fn("ibv_close_device"), c.ctx))))
}

func orNil(e syscall.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

// errnoOf returns the errno that cgo brought from a failed call; EIO for a call that set none.
func errnoOf(err error) syscall.Errno {
	var e syscall.Errno
	if errors.As(err, &e) && e != 0 {
		return e
	}
	return syscall.EIO
}

// saw passes an errno on and tells it to who wants to know.
func (c *Context) saw(verb string, e syscall.Errno) syscall.Errno {
	if c.Saw != nil {
		c.Saw(verb, e)
	}
	return e
}

// settle deregisters what a call registered and gives the call's errno, 0 for success.
func (c *Context) settle(mr unsafe.Pointer, err error) syscall.Errno {
	if mr == nil {
		return errnoOf(err)
	}
	return syscall.Errno(C.direct_dereg_mr(c.fn("ibv_dereg_mr"), C.uintptr_t(uintptr(mr))))
}

// RegMR registers memory, deregisters it at once and gives the errno.
func (c *Context) RegMR(addr uintptr, length, iova uint64, access uint32) syscall.Errno {
	mr, err := C.direct_reg_mr(c.fn("ibv_reg_mr_iova2"), c.pd, C.uintptr_t(addr), C.uint64_t(length), C.uint64_t(iova), C.uint32_t(access))
	return c.saw("ibv_reg_mr_iova2", c.settle(mr, err))
}

// RegDMABufMR does the same by a descriptor.
func (c *Context) RegDMABufMR(offset, length, iova uint64, fd int, access uint32) syscall.Errno {
	fn := c.fn("ibv_reg_dmabuf_mr")
	if fn == 0 {
		return syscall.EOPNOTSUPP
	}
	mr, err := C.direct_reg_dmabuf_mr(fn, c.pd, C.uint64_t(offset), C.uint64_t(length), C.uint64_t(iova), C.int(fd), C.uint32_t(access))
	return c.saw("ibv_reg_dmabuf_mr", c.settle(mr, err))
}

// CQ makes a completion queue, destroys it at once and gives the errno. What was asked is for the caller to tell.
func (c *Context) CQ(cqe, vector int) syscall.Errno {
	return syscall.Errno(C.direct_cq(c.fn("ibv_create_cq"), c.fn("ibv_destroy_cq"), c.ctx, C.int(cqe), C.int(vector)))
}

// MW makes a memory window, deallocates it at once and returns the errno. What was asked is for the caller to note.
func (c *Context) MW(typ int) syscall.Errno { return syscall.Errno(C.direct_mw(c.pd, C.int(typ))) }

// GIDTable asks for no entry of the GID tables and returns the errno. What was asked is for the caller to note.
func (c *Context) GIDTable() syscall.Errno {
	return syscall.Errno(C.direct_gid_table(c.fn("_ibv_query_gid_table"), c.ctx))
}

// Init is struct ibv_mr_init_attr, with its mask as given.
type Init struct {
	Mask, Length, IOVA, FDOffset uint64
	Access                       uint32
	Addr                         uintptr
	FD                           int
}

// RegMREx does the same by ibv_reg_mr_ex.
func (c *Context) RegMREx(a Init) syscall.Errno {
	fn := c.fn("ibv_reg_mr_ex")
	if fn == 0 {
		return syscall.EOPNOTSUPP
	}
	mr, err := C.direct_reg_mr_ex(fn, c.pd, C.uint64_t(a.Mask), C.uint64_t(a.Length), C.uint32_t(a.Access), C.uint64_t(a.IOVA),
		C.uintptr_t(a.Addr), C.int(a.FD), C.uint64_t(a.FDOffset))
	return c.saw("ibv_reg_mr_ex", c.settle(mr, err))
}

// DM allocates device memory; with a region above 0 it registers as much from offset on; all is given back at once.
func (c *Context) DM(length uint64, logAlign uint32, offset, region uint64, access uint32) syscall.Errno {
	e := C.direct_dm(c.pd, c.fn("ibv_dereg_mr"), C.uint64_t(length), C.uint32_t(logAlign), C.uint64_t(offset), C.uint64_t(region),
		C.uint32_t(access))
	return c.saw("ibv_alloc_dm", syscall.Errno(e))
}

// ImportDevice imports a context, closes it at once and gives the errno.
func (c *Context) ImportDevice(fd int) syscall.Errno {
	fn := c.fn("ibv_import_device")
	if fn == 0 {
		return syscall.EOPNOTSUPP
	}
	ctx, err := C.direct_import(fn, C.int(fd))
	if ctx == nil {
		return c.saw("ibv_import_device", errnoOf(err))
	}
	return c.saw("ibv_import_device", syscall.Errno(C.direct_close(c.fn("ibv_close_device"), C.uintptr_t(uintptr(ctx)))))
}

// onRegion calls f with a region of one page at addr, which it registers and deregisters.
func (c *Context) onRegion(addr uintptr, f func(mr C.uintptr_t) syscall.Errno) syscall.Errno {
	mr, err := C.direct_reg_mr(c.fn("ibv_reg_mr_iova2"), c.pd, C.uintptr_t(addr), 4096, C.uint64_t(addr), 1)
	if mr == nil {
		return errnoOf(err)
	}
	got := f(C.uintptr_t(uintptr(mr)))
	if e := c.settle(mr, nil); got == 0 {
		return e
	}
	return got
}

// Rereg changes a region of one page at page, without a protection domain, and gives the errno.
func (c *Context) Rereg(page uintptr, flags int, addr uintptr, length uint64, access uint32) syscall.Errno {
	return c.saw("ibv_rereg_mr", c.onRegion(page, func(mr C.uintptr_t) syscall.Errno {
		got, err := C.direct_rereg_mr(c.fn("ibv_rereg_mr"), mr, C.int(flags), C.uintptr_t(addr), C.uint64_t(length), C.uint32_t(access))
		if got == 0 {
			return 0
		}
		return errnoOf(err)
	}))
}

// Advise calls ibv_advise_mr with n ranges, 0 or 1, of a region of one page at page, and the errno.
func (c *Context) Advise(page uintptr, advice, flags, n uint32) syscall.Errno {
	return c.saw("ibv_advise_mr", c.onRegion(page, func(mr C.uintptr_t) syscall.Errno {
		return syscall.Errno(C.direct_advise(mr, C.uint32_t(advice), C.uint32_t(flags), C.uint64_t(page), C.uint32_t(min(n, 1))))
	}))
}

// Device returns the fields of struct ibv_device_attr_ex as C reads them, in their order, but for fw_ver and comp_mask.
func (c *Context) Device() ([]Field, syscall.Errno) {
	var out [C.DIRECT_FIELDS]C.struct_direct_field
	err := syscall.Errno(C.direct_query_device_ex(c.ctx, &out[0]))
	return fields(out[:]), c.saw("query_device_ex", err)
}

// Port returns the fields of struct ibv_port_attr as C reads them, in their order.
func (c *Context) Port(port uint8) ([]Field, syscall.Errno) {
	var out [C.DIRECT_FIELDS]C.struct_direct_field
	err := syscall.Errno(C.direct_query_port(c.ctx, C.uint8_t(port), &out[0]))
	return fields(out[:]), c.saw("query_port", err)
}

func fields(out []C.struct_direct_field) []Field {
	var list []Field
	for _, f := range out {
		if f.name == nil {
			break
		}
		list = append(list, Field{C.GoString(f.name), uint64(f.value)})
	}
	return list
}

// PatternDevice is the address of a query_device_ex that gives every field of its struct a value of its own.
func PatternDevice() uintptr { return uintptr(C.direct_pattern_device()) }

// PatternPort is the address of a query_port that does so.
func PatternPort() uintptr { return uintptr(C.direct_pattern_port()) }
