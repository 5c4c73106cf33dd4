//go:build linux && cgo

package harness

/*
#include <stdlib.h>
#include "qshims.h"
*/
import "C"

import (
	"syscall"
	"unsafe"
)

// CreateChannel is ibv_create_comp_channel.
func (l *Lib) CreateChannel(ctx Obj) (Obj, error) { return l.make("ibv_create_comp_channel", ctx) }

// ChannelFD is channel->fd.
func ChannelFD(ch Obj) int { return int((*C.struct_ibv_comp_channel)(ch).fd) }

// CreateCQ is ibv_create_cq; ch may be nil.
func (l *Lib) CreateCQ(ctx Obj, cqe int, cqContext uintptr, ch Obj, vector int) (Obj, error) {
	var e C.int
	return result(C.svbh_create_cq(l.fn("ibv_create_cq"), ctx, C.int(cqe), C.uintptr_t(cqContext), ch, C.int(vector), &e), e)
}

// CQE is cq->cqe.
func CQE(cq Obj) int { return int((*C.struct_ibv_cq)(cq).cqe) }

// CQEvent is ibv_get_cq_event.
func (l *Lib) CQEvent(ch Obj) (cq Obj, cqContext uintptr, err error) {
	var e C.int
	var arg C.uintptr_t
	out := (*unsafe.Pointer)(C.calloc(1, 8))
	defer C.free(unsafe.Pointer(out))
	C.svbh_get_cq_event(l.fn("ibv_get_cq_event"), ch, out, &arg, &e)
	return *out, uintptr(arg), code(e)
}

// AckCQEvents is ibv_ack_cq_events.
func (l *Lib) AckCQEvents(cq Obj, n int) {
	C.svbh_ack_cq_events(l.fn("ibv_ack_cq_events"), cq, C.uint(n))
}

// Notify is ibv_req_notify_cq.
func (l *Lib) Notify(cq Obj, solicitedOnly bool) error {
	var only C.int
	if solicitedOnly {
		only = 1
	}
	return code(C.svbh_notify(cq, only))
}

// WC is what the tests look at in struct ibv_wc; Imm is in host order.
type WC struct {
	ID                  uint64
	Status, Opcode      int
	Len, Imm, QPN, From uint32
	Flags               uint32
}

// Poll is ibv_poll_cq for at most n completions.
func (l *Lib) Poll(cq Obj, n int) ([]WC, error) {
	wcs := (*C.struct_ibv_wc)(C.calloc(C.size_t(n), C.sizeof_struct_ibv_wc))
	defer C.free(unsafe.Pointer(wcs))
	got := C.svbh_poll(cq, C.int(n), wcs)
	if got < 0 {
		return nil, syscall.Errno(-got)
	}
	var out []WC
	for _, w := range unsafe.Slice(wcs, n)[:got] {
		out = append(out, WC{
			uint64(w.wr_id), int(w.status), int(w.opcode), uint32(w.byte_len), uint32(C.svbh_wc_imm(&w)), uint32(w.qp_num),
			uint32(w.src_qp), uint32(w.wc_flags),
		})
	}
	return out, nil
}

// Caps5 is struct ibv_qp_cap.
type Caps5 struct{ SendWR, RecvWR, SendSGE, RecvSGE, Inline uint32 }

// QPInit is struct ibv_qp_init_attr.
type QPInit struct {
	SendCQ, RecvCQ Obj
	SRQ            Obj // nil: receives of its own
	Cap            Caps5
	Type           int
	SigAll         bool
}

func caps(c *C.struct_ibv_qp_cap) Caps5 {
	return Caps5{uint32(c.max_send_wr), uint32(c.max_recv_wr), uint32(c.max_send_sge), uint32(c.max_recv_sge), uint32(c.max_inline_data)}
}

// CreateQP is ibv_create_qp; it gives the capacities that were granted.
func (l *Lib) CreateQP(pd Obj, in QPInit) (Obj, Caps5, error) {
	a := (*C.struct_ibv_qp_init_attr)(C.calloc(1, C.sizeof_struct_ibv_qp_init_attr))
	defer C.free(unsafe.Pointer(a))
	a.send_cq, a.recv_cq = (*C.struct_ibv_cq)(in.SendCQ), (*C.struct_ibv_cq)(in.RecvCQ)
	a.srq = (*C.struct_ibv_srq)(in.SRQ)
	a.cap.max_send_wr, a.cap.max_recv_wr = C.uint32_t(in.Cap.SendWR), C.uint32_t(in.Cap.RecvWR)
	a.cap.max_send_sge, a.cap.max_recv_sge = C.uint32_t(in.Cap.SendSGE), C.uint32_t(in.Cap.RecvSGE)
	a.cap.max_inline_data = C.uint32_t(in.Cap.Inline)
	a.qp_type = uint32(in.Type)
	if in.SigAll {
		a.sq_sig_all = 1
	}
	var e C.int
	qp, err := result(C.svbh_create_qp(l.fn("ibv_create_qp"), pd, a, &e), e)
	return qp, caps(&a.cap), err
}

// QPNum is qp->qp_num.
func QPNum(qp Obj) uint32 { return uint32((*C.struct_ibv_qp)(qp).qp_num) }

// QPState is qp->state.
func QPState(qp Obj) int { return int((*C.struct_ibv_qp)(qp).state) }

// AH is struct ibv_ah_attr.
type AH struct {
	DGID                        [16]byte
	SGIDIndex, HopLimit, TClass uint8
	FlowLabel                   uint32
	Port                        uint8
	Global                      bool
}

func (a AH) fill(c *C.struct_ibv_ah_attr) {
	*(*[16]byte)(unsafe.Pointer(&c.grh.dgid)) = a.DGID
	c.grh.sgid_index, c.grh.hop_limit, c.grh.traffic_class = C.uint8_t(a.SGIDIndex), C.uint8_t(a.HopLimit), C.uint8_t(a.TClass)
	c.grh.flow_label = C.uint32_t(a.FlowLabel)
	c.port_num = C.uint8_t(a.Port)
	if a.Global {
		c.is_global = 1
	}
}

// QPAttr is struct ibv_qp_attr, as far as the tests use it.
type QPAttr struct {
	State, CurState, PathMTU                        int
	QKey, RQPSN, SQPSN, DestQPN                     uint32
	Access                                          uint32
	AH                                              AH
	PKeyIndex                                       uint16
	MaxRdAtomic, MaxDestRdAtomic, MinRNRTimer, Port uint8
	Timeout, RetryCnt, RNRRetry                     uint8
	Cap                                             Caps5
}

// Modify is ibv_modify_qp.
func (l *Lib) Modify(qp Obj, a QPAttr, mask int) error {
	c := (*C.struct_ibv_qp_attr)(C.calloc(1, C.sizeof_struct_ibv_qp_attr))
	defer C.free(unsafe.Pointer(c))
	c.qp_state, c.cur_qp_state, c.path_mtu = uint32(a.State), uint32(a.CurState), uint32(a.PathMTU)
	c.qkey, c.rq_psn, c.sq_psn = C.uint32_t(a.QKey), C.uint32_t(a.RQPSN), C.uint32_t(a.SQPSN)
	c.dest_qp_num, c.qp_access_flags = C.uint32_t(a.DestQPN), C.uint(a.Access)
	a.AH.fill(&c.ah_attr)
	c.pkey_index, c.port_num = C.uint16_t(a.PKeyIndex), C.uint8_t(a.Port)
	c.max_rd_atomic, c.max_dest_rd_atomic = C.uint8_t(a.MaxRdAtomic), C.uint8_t(a.MaxDestRdAtomic)
	c.min_rnr_timer, c.timeout = C.uint8_t(a.MinRNRTimer), C.uint8_t(a.Timeout)
	c.retry_cnt, c.rnr_retry = C.uint8_t(a.RetryCnt), C.uint8_t(a.RNRRetry)
	return code(C.svbh_modify_qp(l.fn("ibv_modify_qp"), qp, c, C.int(mask)))
}

// Query is ibv_query_qp; of the init attributes it gives the type and the send queue.
func (l *Lib) Query(qp Obj) (a QPAttr, typ int, sendCQ Obj, err error) {
	c := (*C.struct_ibv_qp_attr)(C.calloc(1, C.sizeof_struct_ibv_qp_attr))
	defer C.free(unsafe.Pointer(c))
	i := (*C.struct_ibv_qp_init_attr)(C.calloc(1, C.sizeof_struct_ibv_qp_init_attr))
	defer C.free(unsafe.Pointer(i))
	err = code(C.svbh_query_qp(l.fn("ibv_query_qp"), qp, c, C.IBV_QP_STATE, i))
	a = QPAttr{
		State: int(c.qp_state), CurState: int(c.cur_qp_state), PathMTU: int(c.path_mtu), QKey: uint32(c.qkey),
		RQPSN: uint32(c.rq_psn), SQPSN: uint32(c.sq_psn), DestQPN: uint32(c.dest_qp_num), Access: uint32(c.qp_access_flags),
		PKeyIndex: uint16(c.pkey_index), MaxRdAtomic: uint8(c.max_rd_atomic), MaxDestRdAtomic: uint8(c.max_dest_rd_atomic),
		MinRNRTimer: uint8(c.min_rnr_timer), Port: uint8(c.port_num), Timeout: uint8(c.timeout), RetryCnt: uint8(c.retry_cnt),
		RNRRetry: uint8(c.rnr_retry), Cap: caps(&c.cap),
	}
	return a, int(i.qp_type), Obj(i.send_cq), err
}

// CreateAH is ibv_create_ah.
func (l *Lib) CreateAH(pd Obj, a AH) (Obj, error) {
	c := (*C.struct_ibv_ah_attr)(C.calloc(1, C.sizeof_struct_ibv_ah_attr))
	defer C.free(unsafe.Pointer(c))
	a.fill(c)
	var e C.int
	return result(C.svbh_create_ah(l.fn("ibv_create_ah"), pd, c, &e), e)
}

// GID is ibv_query_gid.
func (l *Lib) GID(ctx Obj, port uint8, index int) (gid [16]byte, err error) {
	g := (*C.union_ibv_gid)(C.calloc(1, C.sizeof_union_ibv_gid))
	defer C.free(unsafe.Pointer(g))
	var e C.int
	C.svbh_query_gid(l.fn("ibv_query_gid"), ctx, C.uint8_t(port), C.int(index), g, &e)
	return *(*[16]byte)(unsafe.Pointer(g)), code(e)
}

// Async is ibv_get_async_event.
func (l *Lib) Async(ctx Obj) (typ int, element uintptr, err error) {
	var t, e C.int
	out := (*uintptr)(C.calloc(1, 8))
	defer C.free(unsafe.Pointer(out))
	C.svbh_get_async(l.fn("ibv_get_async_event"), ctx, &t, (*unsafe.Pointer)(unsafe.Pointer(out)), &e)
	return int(t), *out, code(e)
}

// AckAsync is ibv_ack_async_event for an event of an object.
func (l *Lib) AckAsync(typ int, element Obj) {
	C.svbh_ack_async(l.fn("ibv_ack_async_event"), C.int(typ), element)
}
