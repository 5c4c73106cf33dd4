//go:build linux && cgo

package direct

/*
#include "direct.h"
*/
import "C"

import "syscall"

// Busy is what destroying answered while something else was in the way.
type Busy struct {
	Made    syscall.Errno // of making them all
	Channel syscall.Errno // a completion channel with a completion queue
	CQ      syscall.Errno // that queue, with a queue pair
	PD      syscall.Errno // a protection domain with a queue pair and a region
	PDOfMR  syscall.Errno // the domain with the region alone
	Rest    syscall.Errno // of destroying them all in order
}

// Busy makes a channel, a queue on it, a domain with a region of one page at page, and a queue pair, and destroys each too early.
func (c *Context) Busy(page uintptr) Busy {
	v := C.struct_direct_verbs{
		create_comp_channel: c.fn("ibv_create_comp_channel"), destroy_comp_channel: c.fn("ibv_destroy_comp_channel"),
		create_cq: c.fn("ibv_create_cq"), destroy_cq: c.fn("ibv_destroy_cq"), alloc_pd: c.fn("ibv_alloc_pd"), dealloc_pd: c.fn("ibv_dealloc_pd"),
		create_qp: c.fn("ibv_create_qp"), destroy_qp: c.fn("ibv_destroy_qp"), reg_mr_iova2: c.fn("ibv_reg_mr_iova2"),
		dereg_mr: c.fn("ibv_dereg_mr"),
	}
	var out C.struct_direct_busy
	C.direct_busy(&v, c.ctx, C.uintptr_t(page), &out)
	errno := func(verb string, e C.int) syscall.Errno { return c.saw(verb, syscall.Errno(e)) }
	return Busy{
		Made: syscall.Errno(out.made), Channel: errno("ibv_destroy_comp_channel", out.channel), CQ: errno("ibv_destroy_cq", out.cq),
		PD: errno("ibv_dealloc_pd", out.pd), PDOfMR: errno("ibv_dealloc_pd", out.pd_of_mr), Rest: syscall.Errno(out.rest),
	}
}
