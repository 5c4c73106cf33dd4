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
	"math/bits"
	"reflect"
	"strings"
	"syscall"
	"unsafe"

	"github.com/verbsgen/verbsgen/conformance/internal/rawcall"
)

// Context is an open device with a protection domain. It must not be used after Close.
type Context struct {
	Saw     func(verb string, e syscall.Errno) // when set, it is told what each call answered
	src     Symbols
	ctx, pd uintptr
}

// Open opens the device of the given name.
func Open(src Symbols, name string) (*Context, error) {
	ctx, err := rawcall.OpenDevice(src.Symbol, name)
	if err != nil {
		return nil, fmt.Errorf("without the bindings: %w", err)
	}
	c := &Context{src: src, ctx: ctx}
	pd, e := made(c.fn("ibv_alloc_pd"), ctx)
	if e != 0 {
		did(c.fn("ibv_close_device"), ctx)
		return nil, fmt.Errorf("a protection domain without the bindings: %w", e)
	}
	c.pd = pd
	return c, nil
}

// fn returns the address of an exported function; 0 where the library lacks it.
func (c *Context) fn(name string) uintptr { return c.src.Symbol(name, "") }

// Layouts, for the offsets of fields.
var (
	inContext  C.struct_ibv_context
	inOps      C.struct_ibv_context_ops
	inExtended C.struct_verbs_context
	inRegion   C.struct_ibv_mr
)

// plainOp returns an operation of struct ibv_context_ops.
func (c *Context) plainOp(at uintptr) uintptr {
	return rawcall.Pointer(c.ctx + unsafe.Offsetof(inContext.ops) + at)
}

// op returns an operation of struct verbs_context, which the context is in; 0 where there is none. An older library's is shorter: it
// lacks what stands in front.
func (c *Context) op(at uintptr) uintptr {
	v := c.ctx - unsafe.Offsetof(inExtended.context)
	if rawcall.Pointer(c.ctx+unsafe.Offsetof(inContext.abi_compat)) != ^uintptr(0) ||
		rawcall.Pointer(v+unsafe.Offsetof(inExtended.sz)) < unsafe.Sizeof(inExtended)-at {
		return 0
	}
	return rawcall.Pointer(v + at)
}

// made calls a function that returns an object. One that fails and sets no errno has EIO.
func made(fn uintptr, args ...uintptr) (uintptr, syscall.Errno) {
	if fn == 0 {
		return 0, syscall.EOPNOTSUPP
	}
	o, e, err := rawcall.Call(fn, args...)
	switch {
	case o != 0:
		return o, 0
	case e == 0 || err != nil:
		return 0, syscall.EIO
	}
	return 0, e
}

// did calls a function that returns an errno.
func did(fn uintptr, args ...uintptr) syscall.Errno {
	if fn == 0 {
		return syscall.EOPNOTSUPP
	}
	r, _, _ := rawcall.Call(fn, args...)
	return syscall.Errno(int32(r))
}

// brief makes an object, ends it at once and returns the errno, 0 for success.
func brief(end, fn uintptr, args ...uintptr) syscall.Errno {
	o, e := made(fn, args...)
	if e != 0 {
		return e
	}
	return did(end, o)
}

// Close frees everything.
func (c *Context) Close() error {
	return errors.Join(orNil(did(c.fn("ibv_dealloc_pd"), c.pd)), orNil(did(c.fn("ibv_close_device"), c.ctx)))
}

func orNil(e syscall.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

// saw passes an errno on and tells it to who wants to know.
func (c *Context) saw(verb string, e syscall.Errno) syscall.Errno {
	if c.Saw != nil {
		c.Saw(verb, e)
	}
	return e
}

// region registers memory by a function, deregisters it at once and returns the errno.
func (c *Context) region(verb string, args ...uintptr) syscall.Errno {
	fn := c.fn(verb)
	if fn == 0 {
		return syscall.EOPNOTSUPP
	}
	return c.saw(verb, brief(c.fn("ibv_dereg_mr"), fn, args...))
}

// RegMR registers memory, deregisters it at once and gives the errno.
func (c *Context) RegMR(addr uintptr, length, iova uint64, access uint32) syscall.Errno {
	return c.region("ibv_reg_mr_iova2", c.pd, addr, uintptr(length), uintptr(iova), uintptr(access))
}

// RegDMABufMR does the same by a descriptor.
func (c *Context) RegDMABufMR(offset, length, iova uint64, fd int, access uint32) syscall.Errno {
	return c.region("ibv_reg_dmabuf_mr", c.pd, uintptr(offset), uintptr(length), uintptr(iova), uintptr(fd), uintptr(access))
}

// RegMREx does the same by ibv_reg_mr_ex.
func (c *Context) RegMREx(init Init) syscall.Errno {
	a := (*C.struct_ibv_mr_init_attr)(C.calloc(1, C.sizeof_struct_ibv_mr_init_attr))
	defer C.free(unsafe.Pointer(a))
	a.length, a.access, a.comp_mask = C.size_t(init.Length), C.int(init.Access), C.uint64_t(init.Mask)
	a.iova, a.fd, a.fd_offset = C.uint64_t(init.IOVA), C.int(init.FD), C.uint64_t(init.FDOffset)
	*(*uintptr)(unsafe.Pointer(&a.addr)) = init.Addr
	return c.region("ibv_reg_mr_ex", c.pd, uintptr(unsafe.Pointer(a)))
}

// CQ makes a completion queue, destroys it at once and gives the errno. What was asked is for the caller to tell.
func (c *Context) CQ(cqe, vector int) syscall.Errno {
	return brief(c.fn("ibv_destroy_cq"), c.fn("ibv_create_cq"), c.ctx, uintptr(cqe), 0, 0, uintptr(vector))
}

// MW makes a memory window, deallocates it at once and returns the errno. What was asked is for the caller to note.
func (c *Context) MW(typ int) syscall.Errno {
	return brief(c.plainOp(unsafe.Offsetof(inOps.dealloc_mw)), c.plainOp(unsafe.Offsetof(inOps.alloc_mw)), c.pd, uintptr(typ))
}

// GIDTable asks for no entry of the GID tables and returns the errno. What was asked is for the caller to note.
func (c *Context) GIDTable() syscall.Errno {
	entry := rawcall.Zeroed(C.sizeof_struct_ibv_gid_entry)
	defer rawcall.Free(entry)
	return max(0, -did(c.fn("_ibv_query_gid_table"), c.ctx, entry, 0, 0, C.sizeof_struct_ibv_gid_entry))
}

// DM allocates device memory; with a region above 0 it registers as much from offset on; all is given back at once.
func (c *Context) DM(length uint64, logAlign uint32, offset, region uint64, access uint32) syscall.Errno {
	a := (*C.struct_ibv_alloc_dm_attr)(C.calloc(1, C.sizeof_struct_ibv_alloc_dm_attr))
	defer C.free(unsafe.Pointer(a))
	a.length, a.log_align_req = C.size_t(length), C.uint32_t(logAlign)
	dm, e := made(c.op(unsafe.Offsetof(inExtended.alloc_dm)), c.ctx, uintptr(unsafe.Pointer(a)))
	if e == 0 {
		if region > 0 {
			e = brief(c.fn("ibv_dereg_mr"), c.op(unsafe.Offsetof(inExtended.reg_dm_mr)), c.pd, dm, uintptr(offset), uintptr(region),
				uintptr(access))
		}
		if undo := did(c.op(unsafe.Offsetof(inExtended.free_dm)), dm); e == 0 {
			e = undo
		}
	}
	return c.saw("ibv_alloc_dm", e)
}

// ImportDevice imports a context, closes it at once and gives the errno.
func (c *Context) ImportDevice(fd int) syscall.Errno {
	fn := c.fn("ibv_import_device")
	if fn == 0 {
		return syscall.EOPNOTSUPP
	}
	return c.saw("ibv_import_device", brief(c.fn("ibv_close_device"), fn, uintptr(fd)))
}

// onRegion calls f with a region of one page at addr, which it registers and deregisters.
func (c *Context) onRegion(addr uintptr, f func(mr uintptr) syscall.Errno) syscall.Errno {
	mr, e := made(c.fn("ibv_reg_mr_iova2"), c.pd, addr, 4096, addr, C.IBV_ACCESS_LOCAL_WRITE)
	if e != 0 {
		return e
	}
	got := f(mr)
	if e := did(c.fn("ibv_dereg_mr"), mr); got == 0 {
		return e
	}
	return got
}

// Rereg changes a region of one page at page, without a protection domain, and gives the errno.
func (c *Context) Rereg(page uintptr, flags int, addr uintptr, length uint64, access uint32) syscall.Errno {
	return c.saw("ibv_rereg_mr", c.onRegion(page, func(mr uintptr) syscall.Errno {
		r, e, _ := rawcall.Call(c.fn("ibv_rereg_mr"), mr, uintptr(flags), 0, addr, uintptr(length), uintptr(access))
		switch {
		case int32(r) == 0:
			return 0
		case e == 0:
			return syscall.EIO
		}
		return e
	}))
}

// Advise calls ibv_advise_mr with n ranges, 0 or 1, of a region of one page at page, and the errno.
func (c *Context) Advise(page uintptr, advice, flags, n uint32) syscall.Errno {
	return c.saw("ibv_advise_mr", c.onRegion(page, func(mr uintptr) syscall.Errno {
		s := (*C.struct_ibv_sge)(C.calloc(1, C.sizeof_struct_ibv_sge))
		defer C.free(unsafe.Pointer(s))
		s.addr, s.length = C.uint64_t(page), 4096
		s.lkey = C.uint32_t(rawcall.Read(mr+unsafe.Offsetof(inRegion.lkey), 4))
		return did(c.op(unsafe.Offsetof(inExtended.advise_mr)), c.pd, uintptr(advice), uintptr(flags), uintptr(unsafe.Pointer(s)),
			uintptr(min(n, 1)))
	}))
}

// Device returns the fields of struct ibv_device_attr_ex as C reads them, in their order, but for fw_ver and comp_mask.
func (c *Context) Device() ([]Field, syscall.Errno) {
	a := (*C.struct_ibv_device_attr_ex)(C.calloc(1, C.sizeof_struct_ibv_device_attr_ex))
	defer C.free(unsafe.Pointer(a))
	e := did(c.op(unsafe.Offsetof(inExtended.query_device_ex)), c.ctx, 0, uintptr(unsafe.Pointer(a)), C.sizeof_struct_ibv_device_attr_ex)
	return fields("", reflect.ValueOf(*a)), c.saw("query_device_ex", e)
}

// Port returns the fields of struct ibv_port_attr as C reads them, in their order.
func (c *Context) Port(port uint8) ([]Field, syscall.Errno) {
	a := (*C.struct_ibv_port_attr)(C.calloc(1, C.sizeof_struct_ibv_port_attr))
	defer C.free(unsafe.Pointer(a))
	e := did(c.op(unsafe.Offsetof(inExtended.query_port)), c.ctx, uintptr(port), uintptr(unsafe.Pointer(a)), C.sizeof_struct_ibv_port_attr)
	return fields("", reflect.ValueOf(*a)), c.saw("query_port", e)
}

// fields flattens a struct, of which cgo has the layout from the C compiler. GUIDs are in network byte order.
func fields(prefix string, v reflect.Value) []Field {
	var list []Field
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		switch {
		case name == "comp_mask":
		case f.Kind() == reflect.Struct:
			list = append(list, fields(prefix+name+".", f)...)
		case strings.HasSuffix(name, "_guid"):
			list = append(list, Field{prefix + name, bits.ReverseBytes64(f.Uint())})
		case f.CanInt():
			list = append(list, Field{prefix + name, uint64(f.Int())})
		case f.CanUint():
			list = append(list, Field{prefix + name, f.Uint()})
		}
	}
	return list
}

// PatternDevice is the address of a query_device_ex that gives every field of its struct a value of its own.
func PatternDevice() uintptr { return uintptr(C.direct_pattern_device()) }

// PatternPort is the address of a query_port that does so.
func PatternPort() uintptr { return uintptr(C.direct_pattern_port()) }

// Busy makes a channel, a queue on it, a domain with a region of one page at page, and a queue pair, and destroys each too early. What
// is destroyed although it is in use is not destroyed again.
func (c *Context) Busy(page uintptr) (b Busy) {
	var channel, cq, pd, mr, qp uintptr
	create := func(into *uintptr, verb string, args ...uintptr) {
		if b.Made == 0 {
			*into, b.Made = made(c.fn(verb), args...)
		}
	}
	create(&channel, "ibv_create_comp_channel", c.ctx)
	create(&cq, "ibv_create_cq", c.ctx, 4, 0, channel, 0)
	create(&pd, "ibv_alloc_pd", c.ctx)
	create(&mr, "ibv_reg_mr_iova2", pd, page, 4096, page, C.IBV_ACCESS_LOCAL_WRITE)
	a := (*C.struct_ibv_qp_init_attr)(C.calloc(1, C.sizeof_struct_ibv_qp_init_attr))
	defer C.free(unsafe.Pointer(a))
	*(*uintptr)(unsafe.Pointer(&a.send_cq)), *(*uintptr)(unsafe.Pointer(&a.recv_cq)) = cq, cq
	a.cap = C.struct_ibv_qp_cap{max_send_wr: 1, max_recv_wr: 1, max_send_sge: 1, max_recv_sge: 1}
	a.qp_type = C.IBV_QPT_RC
	create(&qp, "ibv_create_qp", pd, uintptr(unsafe.Pointer(a)))

	end := func(verb string, of *uintptr) (e syscall.Errno) {
		if *of != 0 {
			e = did(c.fn(verb), *of)
		}
		if e == 0 {
			*of = 0
		}
		return e
	}
	if b.Made == 0 {
		b.Channel = c.saw("ibv_destroy_comp_channel", end("ibv_destroy_comp_channel", &channel))
		b.CQ = c.saw("ibv_destroy_cq", end("ibv_destroy_cq", &cq))
		b.PD = c.saw("ibv_dealloc_pd", end("ibv_dealloc_pd", &pd))
	}
	rest := func(e syscall.Errno) {
		if e != 0 {
			b.Rest = e
		}
	}
	rest(end("ibv_destroy_qp", &qp))
	if b.Made == 0 {
		b.PDOfMR = c.saw("ibv_dealloc_pd", end("ibv_dealloc_pd", &pd))
	}
	rest(end("ibv_dereg_mr", &mr))
	rest(end("ibv_dealloc_pd", &pd))
	rest(end("ibv_destroy_cq", &cq))
	rest(end("ibv_destroy_comp_channel", &channel))
	return b
}
