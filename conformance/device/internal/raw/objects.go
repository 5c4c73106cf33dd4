//go:build linux && cgo

package raw

/*
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include "../../../../runtime/gensupport/abi/verbs_abi.h"

static void *raw_create_channel(uintptr_t fn, uintptr_t ctx)
{
	return ((vg_fn_ibv_create_comp_channel)fn)((struct ibv_context *)ctx);
}

static void *raw_create_cq(uintptr_t fn, uintptr_t ctx, void *channel)
{
	return ((vg_fn_ibv_create_cq)fn)((struct ibv_context *)ctx, 4, NULL, (struct ibv_comp_channel *)channel, 0);
}

// raw_destroy calls a verb that takes one pointer and gives an errno, or -1 and errno as ibv_destroy_comp_channel may.
static int raw_destroy(uintptr_t fn, void *object)
{
	int code;

	errno = 0;
	code = ((int (*)(void *))fn)(object);
	return code == -1 ? errno : code;
}
*/
import "C"

import (
	"fmt"
	"syscall"
	"unsafe"
)

// Object is one of the library's, which nobody keeps from being destroyed too early.
type Object struct {
	c       *Context
	p       unsafe.Pointer
	destroy string
}

// Destroy asks the library and the kernel to destroy the object, and gives the errno.
func (o *Object) Destroy() syscall.Errno {
	return syscall.Errno(C.raw_destroy(o.c.fn(o.destroy), o.p))
}

// object returns what a verb made.
func (c *Context) object(verb, destroy string, p unsafe.Pointer, err error) (*Object, error) {
	if p == nil {
		return nil, fmt.Errorf("%s: %w", verb, errnoOf(err))
	}
	return &Object{c, p, destroy}, nil
}

// Domain returns the context's own protection domain, which Close destroys.
func (c *Context) Domain() *Object { return &Object{c, c.pd, "ibv_dealloc_pd"} }

// Channel makes a channel for completion events.
func (c *Context) Channel() (*Object, error) {
	p, err := C.raw_create_channel(c.fn("ibv_create_comp_channel"), c.context())
	return c.object("ibv_create_comp_channel", "ibv_destroy_comp_channel", p, err)
}

// CQ makes a completion queue with a channel.
func (c *Context) CQ(channel *Object) (*Object, error) {
	p, err := C.raw_create_cq(c.fn("ibv_create_cq"), c.context(), channel.p)
	return c.object("ibv_create_cq", "ibv_destroy_cq", p, err)
}
