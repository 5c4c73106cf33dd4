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
