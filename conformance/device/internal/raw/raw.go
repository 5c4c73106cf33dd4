//go:build linux && cgo

// Package raw calls verbs of a real libibverbs with any arguments at all: what the library and the kernel answer without a
// validator before them.
//
// It owns a context and a protection domain of its own, apart from those of the generated package, which it must not know.
package raw

/*
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "../../../../runtime/gensupport/abi/verbs_abi.h"

static void *raw_open(uintptr_t list_fn, uintptr_t free_fn, uintptr_t open_fn, const char *name)
{
	int n = 0;
	struct ibv_device **list = ((vg_fn_ibv_get_device_list)list_fn)(&n);
	struct ibv_context *ctx = NULL;
	int i, err = ENODEV;

	if (list == NULL)
		return NULL;
	for (i = 0; i < n; i++) {
		if (strcmp(list[i]->name, name) != 0)
			continue;
		ctx = ((vg_fn_ibv_open_device)open_fn)(list[i]);
		err = errno;
	}
	((vg_fn_ibv_free_device_list)free_fn)(list);
	errno = err;
	return ctx;
}

static int raw_close(uintptr_t fn, uintptr_t ctx)
{
	return ((vg_fn_ibv_close_device)fn)((struct ibv_context *)ctx);
}

static void *raw_alloc_pd(uintptr_t fn, uintptr_t ctx)
{
	return ((vg_fn_ibv_alloc_pd)fn)((struct ibv_context *)ctx);
}

static int raw_dealloc_pd(uintptr_t fn, uintptr_t pd)
{
	return ((vg_fn_ibv_dealloc_pd)fn)((struct ibv_pd *)pd);
}

static void *raw_reg_mr(uintptr_t fn, uintptr_t pd, uintptr_t addr, uint64_t length, uint64_t iova, uint32_t access)
{
	return ((vg_fn_ibv_reg_mr_iova2)fn)((struct ibv_pd *)pd, (void *)addr, length, iova, access);
}

static void *raw_reg_dmabuf_mr(uintptr_t fn, uintptr_t pd, uint64_t offset, uint64_t length, uint64_t iova, int fd, uint32_t access)
{
	return ((vg_fn_ibv_reg_dmabuf_mr)fn)((struct ibv_pd *)pd, offset, length, iova, fd, (int)access);
}

static void *raw_reg_mr_ex(uintptr_t fn, uintptr_t pd, uint64_t mask, uint64_t length, uint32_t access, uint64_t iova, uintptr_t addr,
	int fd, uint64_t fd_offset)
{
	struct ibv_mr_init_attr attr = {
		.length = length, .access = (int)access, .comp_mask = mask, .iova = iova, .addr = (void *)addr, .fd = fd,
		.fd_offset = fd_offset,
	};

	return ((vg_fn_ibv_reg_mr_ex)fn)((struct ibv_pd *)pd, &attr);
}

static int raw_dereg_mr(uintptr_t fn, void *mr)
{
	return ((vg_fn_ibv_dereg_mr)fn)((struct ibv_mr *)mr);
}

static int raw_rereg_mr(uintptr_t fn, void *mr, int flags, uintptr_t pd, uintptr_t addr, uint64_t length, uint32_t access)
{
	return ((vg_fn_ibv_rereg_mr)fn)((struct ibv_mr *)mr, flags, (struct ibv_pd *)pd, (void *)addr, length, (int)access);
}

static uint32_t raw_lkey(void *mr)
{
	return ((struct ibv_mr *)mr)->lkey;
}

static struct verbs_context *raw_extended(struct ibv_context *ctx)
{
	if ((uintptr_t)ctx->abi_compat != UINTPTR_MAX)
		return NULL;
	return (struct verbs_context *)((char *)ctx - offsetof(struct verbs_context, context));
}

// RAW_OP reports whether the context has an operation; older libraries have shorter contexts, cut at the front.
#define RAW_OP(v, op) \
	((v) != NULL && (v)->sz >= sizeof(struct verbs_context) - offsetof(struct verbs_context, op) && (v)->op != NULL)

static void *raw_import(uintptr_t fn, int fd)
{
	return ((vg_fn_ibv_import_device)fn)(fd);
}

static int raw_query_port(uintptr_t ctx_, uint8_t port)
{
	struct ibv_context *ctx = (struct ibv_context *)ctx_;
	struct verbs_context *v = raw_extended(ctx);
	struct ibv_port_attr attr;

	if (!RAW_OP(v, query_port))
		return EOPNOTSUPP;
	memset(&attr, 0, sizeof attr);
	return v->query_port(ctx, port, &attr, sizeof attr);
}

static int raw_advise_mr(uintptr_t pd_, uint32_t advice, uint32_t flags, uint64_t addr, uint32_t length, uint32_t lkey, uint32_t n)
{
	struct ibv_pd *pd = (struct ibv_pd *)pd_;
	struct verbs_context *v = raw_extended(pd->context);
	struct ibv_sge sge = { addr, length, lkey };

	if (!RAW_OP(v, advise_mr))
		return EOPNOTSUPP;
	return v->advise_mr(pd, (enum ib_uverbs_advise_mr_advice)advice, flags, &sge, n);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	_ "github.com/verbsgen/verbsgen/runtime/gensupport/abi" // declarations of verbs_abi.h
)

// Symbols is where the functions come from; a *dl.Library is one.
type Symbols interface {
	Symbol(name, version string) uintptr
}

// Context is an open device with a protection domain. It must not be used after Close.
type Context struct {
	src     Symbols
	ctx, pd unsafe.Pointer
}

// Open opens the device of the given name.
func Open(src Symbols, name string) (*Context, error) {
	c := &Context{src: src}
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	var err error
	if c.ctx, err = C.raw_open(c.fn("ibv_get_device_list"), c.fn("ibv_free_device_list"), c.fn("ibv_open_device"), s); c.ctx == nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	if c.pd, err = C.raw_alloc_pd(c.fn("ibv_alloc_pd"), c.context()); c.pd == nil {
		C.raw_close(c.fn("ibv_close_device"), c.context())
		return nil, fmt.Errorf("%s: ibv_alloc_pd: %w", name, err)
	}
	return c, nil
}

// fn returns the address of a function in its oldest version, which all the verbs here have as their newest too.
func (c *Context) fn(name string) C.uintptr_t {
	return C.uintptr_t(c.src.Symbol(name, ""))
}

func (c *Context) context() C.uintptr_t { return C.uintptr_t(uintptr(c.ctx)) }
func (c *Context) domain() C.uintptr_t  { return C.uintptr_t(uintptr(c.pd)) }

// Close frees everything.
func (c *Context) Close() error {
	pd := syscall.Errno(C.raw_dealloc_pd(c.fn("ibv_dealloc_pd"), c.domain()))
	dev := syscall.Errno(C.raw_close(c.fn("ibv_close_device"), c.context()))
	return errors.Join(orNil(pd), orNil(dev))
}

func orNil(e syscall.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

// errnoOf returns the errno of a failed call.
func errnoOf(err error) syscall.Errno {
	var e syscall.Errno
	if errors.As(err, &e) {
		return e
	}
	return syscall.EIO // the call failed without errno
}

// settle deregisters what a call registered, and gives the call's errno: 0 when it succeeded.
func (c *Context) settle(mr unsafe.Pointer, err error) syscall.Errno {
	if mr == nil {
		return errnoOf(err)
	}
	return syscall.Errno(C.raw_dereg_mr(c.fn("ibv_dereg_mr"), mr))
}

// RegMR registers memory with ibv_reg_mr_iova2, deregisters it at once, and gives the errno.
func (c *Context) RegMR(addr uintptr, length, iova uint64, access uint32) syscall.Errno {
	mr, err := C.raw_reg_mr(c.fn("ibv_reg_mr_iova2"), c.domain(), C.uintptr_t(addr), C.uint64_t(length), C.uint64_t(iova), C.uint32_t(access))
	return c.settle(mr, err)
}

// RegDMABufMR does the same with ibv_reg_dmabuf_mr; ENOSYS where the library lacks it.
func (c *Context) RegDMABufMR(offset, length, iova uint64, fd int, access uint32) syscall.Errno {
	fn := c.fn("ibv_reg_dmabuf_mr")
	if fn == 0 {
		return syscall.ENOSYS
	}
	mr, err := C.raw_reg_dmabuf_mr(fn, c.domain(), C.uint64_t(offset), C.uint64_t(length), C.uint64_t(iova), C.int(fd), C.uint32_t(access))
	return c.settle(mr, err)
}

// MRInitAttr is struct ibv_mr_init_attr without the handles of other objects.
type MRInitAttr struct {
	Mask, Length uint64
	Access       uint32
	IOVA         uint64
	Addr         uintptr
	FD           int
	FDOffset     uint64
}

// RegMREx does the same with ibv_reg_mr_ex; ENOSYS where the library lacks it.
func (c *Context) RegMREx(a MRInitAttr) syscall.Errno {
	fn := c.fn("ibv_reg_mr_ex")
	if fn == 0 {
		return syscall.ENOSYS
	}
	mr, err := C.raw_reg_mr_ex(fn, c.domain(), C.uint64_t(a.Mask), C.uint64_t(a.Length), C.uint32_t(a.Access), C.uint64_t(a.IOVA),
		C.uintptr_t(a.Addr), C.int(a.FD), C.uint64_t(a.FDOffset))
	return c.settle(mr, err)
}

// QueryPort asks for a port's attributes and gives the errno.
func (c *Context) QueryPort(port uint8) syscall.Errno {
	return syscall.Errno(C.raw_query_port(c.context(), C.uint8_t(port)))
}

// ImportDevice imports a context by a descriptor, closes it at once, and gives the errno.
func (c *Context) ImportDevice(fd int) syscall.Errno {
	ctx, err := C.raw_import(c.fn("ibv_import_device"), C.int(fd))
	if ctx == nil {
		return errnoOf(err)
	}
	return syscall.Errno(C.raw_close(c.fn("ibv_close_device"), C.uintptr_t(uintptr(ctx))))
}

// Region is a registered region of memory.
type Region struct {
	c  *Context
	mr unsafe.Pointer
}

// Register registers memory and keeps it registered.
func (c *Context) Register(addr uintptr, length uint64, access uint32) (*Region, error) {
	mr, err := C.raw_reg_mr(c.fn("ibv_reg_mr_iova2"), c.domain(), C.uintptr_t(addr), C.uint64_t(length), C.uint64_t(addr), C.uint32_t(access))
	if mr == nil {
		return nil, fmt.Errorf("ibv_reg_mr_iova2: %w", err)
	}
	return &Region{c, mr}, nil
}

// Close deregisters the region.
func (r *Region) Close() error {
	return orNil(syscall.Errno(C.raw_dereg_mr(r.c.fn("ibv_dereg_mr"), r.mr)))
}

// Rereg calls ibv_rereg_mr with the context's own protection domain where withPD is set, and gives the verb's code (enum
// ibv_rereg_mr_err_code, 0 for success) and errno.
func (r *Region) Rereg(flags int, withPD bool, addr uintptr, length uint64, access uint32) (code int, errno syscall.Errno) {
	pd := C.uintptr_t(0)
	if withPD {
		pd = r.c.domain()
	}
	got, err := C.raw_rereg_mr(r.c.fn("ibv_rereg_mr"), r.mr, C.int(flags), pd, C.uintptr_t(addr), C.uint64_t(length), C.uint32_t(access))
	if got == 0 {
		return 0, 0
	}
	return int(got), errnoOf(err)
}

// Advise calls ibv_advise_mr with n ranges, the first of which is the given one; n is 0 or 1.
func (r *Region) Advise(advice, flags uint32, addr uintptr, length uint32, n uint32) syscall.Errno {
	return syscall.Errno(C.raw_advise_mr(r.c.domain(), C.uint32_t(advice), C.uint32_t(flags), C.uint64_t(addr), C.uint32_t(length),
		C.raw_lkey(r.mr), C.uint32_t(min(n, 1))))
}
