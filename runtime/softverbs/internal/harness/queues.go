//go:build linux && cgo

package harness

/*
#include <stdlib.h>
#include "shims.h"
*/
import "C"

import (
	"syscall"
	"unsafe"
)

// CreateChannel is ibv_create_comp_channel.
func (l *Lib) CreateChannel(ctx Obj) (Obj, error) {
	return object(l.fn("ibv_create_comp_channel"), uintptr(ctx))
}

// ChannelFD is channel->fd.
func ChannelFD(ch Obj) int { return int((*C.struct_ibv_comp_channel)(ch).fd) }

// CreateCQ is ibv_create_cq; ch may be nil.
func (l *Lib) CreateCQ(ctx Obj, cqe int, cqContext uintptr, ch Obj, vector int) (Obj, error) {
	return object(l.fn("ibv_create_cq"), uintptr(ctx), uintptr(cqe), cqContext, uintptr(ch), uintptr(vector))
}

// CQE is cq->cqe.
func CQE(cq Obj) int { return int((*C.struct_ibv_cq)(cq).cqe) }

// CQEvent is ibv_get_cq_event.
func (l *Lib) CQEvent(ch Obj) (cq Obj, cqContext uintptr, err error) {
	out := (*struct {
		cq  Obj
		arg uintptr
	})(C.calloc(1, 16))
	defer C.free(unsafe.Pointer(out))
	_, err = failed(l.fn("ibv_get_cq_event"), uintptr(ch), at(&out.cq), at(&out.arg))
	return out.cq, out.arg, err
}

// AckCQEvents is ibv_ack_cq_events.
func (l *Lib) AckCQEvents(cq Obj, n int) {
	call(l.fn("ibv_ack_cq_events"), uintptr(cq), uintptr(n))
}

// Notify is ibv_req_notify_cq.
func (l *Lib) Notify(cq Obj, solicitedOnly bool) error {
	var only uintptr
	if solicitedOnly {
		only = 1
	}
	return code(at((*C.struct_ibv_cq)(cq).context.ops.req_notify_cq), uintptr(cq), only)
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
	got, _ := number(at((*C.struct_ibv_cq)(cq).context.ops.poll_cq), uintptr(cq), uintptr(n), at(wcs))
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
	qp, err := object(l.fn("ibv_create_qp"), uintptr(pd), at(a))
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
	return code(l.fn("ibv_modify_qp"), uintptr(qp), at(c), uintptr(mask))
}

// Query is ibv_query_qp; of the init attributes it gives the type and the send queue.
func (l *Lib) Query(qp Obj) (a QPAttr, typ int, sendCQ Obj, err error) {
	c := (*C.struct_ibv_qp_attr)(C.calloc(1, C.sizeof_struct_ibv_qp_attr))
	defer C.free(unsafe.Pointer(c))
	i := (*C.struct_ibv_qp_init_attr)(C.calloc(1, C.sizeof_struct_ibv_qp_init_attr))
	defer C.free(unsafe.Pointer(i))
	err = code(l.fn("ibv_query_qp"), uintptr(qp), at(c), C.IBV_QP_STATE, at(i))
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
	return object(l.fn("ibv_create_ah"), uintptr(pd), at(c))
}

// GID is ibv_query_gid.
func (l *Lib) GID(ctx Obj, port uint8, index int) (gid [16]byte, err error) {
	g := (*C.union_ibv_gid)(C.calloc(1, C.sizeof_union_ibv_gid))
	defer C.free(unsafe.Pointer(g))
	_, err = failed(l.fn("ibv_query_gid"), uintptr(ctx), uintptr(port), uintptr(index), at(g))
	return *(*[16]byte)(unsafe.Pointer(g)), err
}

// event returns struct ibv_async_event in C memory.
func event() *C.struct_ibv_async_event {
	return (*C.struct_ibv_async_event)(C.calloc(1, C.sizeof_struct_ibv_async_event))
}

// Async is ibv_get_async_event.
func (l *Lib) Async(ctx Obj) (typ int, element uintptr, err error) {
	ev := event()
	defer C.free(unsafe.Pointer(ev))
	_, err = failed(l.fn("ibv_get_async_event"), uintptr(ctx), at(ev))
	return int(ev.event_type), *(*uintptr)(unsafe.Pointer(&ev.element)), err
}

// AckAsync is ibv_ack_async_event for an event of an object.
func (l *Lib) AckAsync(typ int, element Obj) {
	ev := event()
	defer C.free(unsafe.Pointer(ev))
	ev.event_type = uint32(typ)
	*(*uintptr)(unsafe.Pointer(&ev.element)) = uintptr(element)
	call(l.fn("ibv_ack_async_event"), at(ev))
}
