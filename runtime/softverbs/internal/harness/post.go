//go:build linux && cgo

package harness

/*
#include <stdlib.h>
#include "shims.h"
*/
import "C"

import "unsafe"

// SGE is struct ibv_sge.
type SGE struct {
	Addr      uint64
	Len, LKey uint32
}

// SendWR is struct ibv_send_wr. With an AH it is a datagram's, with Atomic set an atomic's.
type SendWR struct {
	ID            uint64
	SGEs          []SGE
	Opcode        int
	Flags         uint32
	Imm           uint32
	Addr          uint64
	RKey          uint32
	Atomic        bool
	Compare, Swap uint64
	AH            Obj
	QPN, QKey     uint32
}

func sges(list []SGE) *C.struct_ibv_sge {
	c := (*C.struct_ibv_sge)(C.calloc(C.size_t(len(list)+1), C.sizeof_struct_ibv_sge))
	for i, s := range list {
		at := &unsafe.Slice(c, len(list))[i]
		at.addr, at.length, at.lkey = C.uint64_t(s.Addr), C.uint32_t(s.Len), C.uint32_t(s.LKey)
	}
	return c
}

// PostSend posts a chain of requests. bad is the index of the one that was refused, -1 for none.
func (l *Lib) PostSend(qp Obj, wrs ...SendWR) (bad int, err error) {
	n := len(wrs)
	chain := unsafe.Slice((*C.struct_ibv_send_wr)(C.calloc(C.size_t(n+1), C.sizeof_struct_ibv_send_wr)), n+1)
	defer C.free(unsafe.Pointer(&chain[0]))
	for i, w := range wrs {
		c := &chain[i]
		c.wr_id, c.opcode, c.send_flags = C.uint64_t(w.ID), uint32(w.Opcode), C.uint(w.Flags)
		c.num_sge, c.sg_list = C.int(len(w.SGEs)), sges(w.SGEs)
		defer C.free(unsafe.Pointer(c.sg_list))
		C.svbh_set_imm(c, C.uint32_t(w.Imm))
		switch {
		case w.AH != nil:
			C.svbh_set_ud(c, w.AH, C.uint32_t(w.QPN), C.uint32_t(w.QKey))
		case w.Atomic:
			C.svbh_set_atomic(c, C.uint64_t(w.Addr), C.uint32_t(w.RKey), C.uint64_t(w.Compare), C.uint64_t(w.Swap))
		default:
			C.svbh_set_rdma(c, C.uint64_t(w.Addr), C.uint32_t(w.RKey))
		}
		if i+1 < n {
			c.next = &chain[i+1]
		}
	}
	return post(at((*C.struct_ibv_qp)(qp).context.ops.post_send), qp, &chain[0])
}

// post posts requests that lie one behind the other. bad is the index of the one that was refused, -1 for none.
func post[WR any](fn uintptr, queue Obj, first *WR) (bad int, err error) {
	refused := (*uintptr)(C.calloc(1, 8))
	defer C.free(unsafe.Pointer(refused))
	err = code(fn, uintptr(queue), at(first), at(refused))
	if *refused == 0 {
		return -1, err
	}
	return int((*refused - at(first)) / unsafe.Sizeof(*first)), err
}

// RecvWR is struct ibv_recv_wr.
type RecvWR struct {
	ID   uint64
	SGEs []SGE
}

// PostRecv posts a chain of receive requests.
func (l *Lib) PostRecv(qp Obj, wrs ...RecvWR) (bad int, err error) {
	return postRecv(at((*C.struct_ibv_qp)(qp).context.ops.post_recv), qp, wrs)
}

// PostSRQRecv posts a chain of receive requests to a shared queue.
func (l *Lib) PostSRQRecv(srq Obj, wrs ...RecvWR) (bad int, err error) {
	return postRecv(at((*C.struct_ibv_srq)(srq).context.ops.post_srq_recv), srq, wrs)
}

func postRecv(fn uintptr, queue Obj, wrs []RecvWR) (bad int, err error) {
	n := len(wrs)
	chain := unsafe.Slice((*C.struct_ibv_recv_wr)(C.calloc(C.size_t(n+1), C.sizeof_struct_ibv_recv_wr)), n+1)
	defer C.free(unsafe.Pointer(&chain[0]))
	for i, w := range wrs {
		c := &chain[i]
		c.wr_id, c.num_sge, c.sg_list = C.uint64_t(w.ID), C.int(len(w.SGEs)), sges(w.SGEs)
		defer C.free(unsafe.Pointer(c.sg_list))
		if i+1 < n {
			c.next = &chain[i+1]
		}
	}
	return post(fn, queue, &chain[0])
}
