//go:build linux && cgo

package raw

/*
#include <stdint.h>
#include <string.h>
#include "../../../../runtime/gensupport/abi/verbs_abi.h"

static void *raw_create_srq(uintptr_t fn, uintptr_t pd, struct ibv_srq_attr *a)
{
	struct ibv_srq_init_attr attr;
	struct ibv_srq *srq;

	memset(&attr, 0, sizeof attr);
	attr.attr = *a;
	srq = ((vg_fn_ibv_create_srq)fn)((struct ibv_pd *)pd, &attr);
	*a = attr.attr;
	return srq;
}

static int raw_modify_srq(uintptr_t fn, void *srq, struct ibv_srq_attr *a, int mask)
{
	return ((vg_fn_ibv_modify_srq)fn)((struct ibv_srq *)srq, a, mask);
}

static int raw_query_srq(uintptr_t fn, void *srq, struct ibv_srq_attr *a)
{
	return ((vg_fn_ibv_query_srq)fn)((struct ibv_srq *)srq, a);
}

static void *raw_create_qp_on(uintptr_t fn, uintptr_t pd, void *cq, void *srq, int type)
{
	struct ibv_qp_init_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.send_cq = attr.recv_cq = (struct ibv_cq *)cq;
	attr.srq = (struct ibv_srq *)srq;
	attr.qp_type = (enum ibv_qp_type)type;
	attr.cap.max_send_wr = attr.cap.max_recv_wr = attr.cap.max_send_sge = attr.cap.max_recv_sge = 1;
	return ((vg_fn_ibv_create_qp)fn)((struct ibv_pd *)pd, &attr);
}
*/
import "C"

import "syscall"

// SRQAttr is struct ibv_srq_attr.
type SRQAttr struct{ MaxWR, MaxSGE, Limit uint32 }

func (a SRQAttr) c() C.struct_ibv_srq_attr {
	return C.struct_ibv_srq_attr{max_wr: C.uint32_t(a.MaxWR), max_sge: C.uint32_t(a.MaxSGE), srq_limit: C.uint32_t(a.Limit)}
}

func srqAttr(a *C.struct_ibv_srq_attr) SRQAttr {
	return SRQAttr{uint32(a.max_wr), uint32(a.max_sge), uint32(a.srq_limit)}
}

// SRQ makes a shared receive queue, and gives what the library wrote into the attributes. The result is the errno.
func (c *Context) SRQ(ask SRQAttr) (*Object, SRQAttr, syscall.Errno) {
	a := ask.c()
	p, err := C.raw_create_srq(c.fn("ibv_create_srq"), c.domain(), &a)
	if p == nil {
		return nil, ask, errnoOf(err)
	}
	return &Object{c, p, "ibv_destroy_srq"}, srqAttr(&a), 0
}

// ModifySRQ asks for a change. The result is the errno.
func (c *Context) ModifySRQ(srq *Object, ask SRQAttr, mask int) syscall.Errno {
	a := ask.c()
	return syscall.Errno(C.raw_modify_srq(c.fn("ibv_modify_srq"), srq.p, &a, C.int(mask)))
}

// QuerySRQ asks for the attributes.
func (c *Context) QuerySRQ(srq *Object) (SRQAttr, syscall.Errno) {
	var a C.struct_ibv_srq_attr
	e := syscall.Errno(C.raw_query_srq(c.fn("ibv_query_srq"), srq.p, &a))
	return srqAttr(&a), e
}

// QPOn makes a queue pair of a type of enum ibv_qp_type whose receives come from a shared queue.
func (c *Context) QPOn(cq, srq *Object, kind int) (*Object, error) {
	p, err := C.raw_create_qp_on(c.fn("ibv_create_qp"), c.domain(), cq.p, srq.p, C.int(kind))
	return c.object("ibv_create_qp", "ibv_destroy_qp", p, err)
}
