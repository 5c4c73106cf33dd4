//go:build linux && cgo

package oncard

import (
	"fmt"
	"maps"
)

// The types of queue pairs that both have.
var qpTypes = []string{"IBV_QPT_RC", "IBV_QPT_UC", "IBV_QPT_UD", "IBV_QPT_XRC_SEND"}

var capFields = []string{"cap.max_send_wr", "cap.max_recv_wr", "cap.max_send_sge", "cap.max_recv_sge", "cap.max_inline_data"}

func (a *asker) queues() {
	for _, kind := range qpTypes {
		a.sizes(kind)
	}
	for _, kind := range []int{-1, 0, 1, 5, 6, 7, 8, 10, 11, 0xff} {
		a.queuePair(fmt.Sprintf("type %d", kind), kind, m{"max_send_wr": 4, "max_recv_wr": 4, "max_send_sge": 1, "max_recv_sge": 1}, nil)
	}
	for _, kind := range append([]string{"IBV_QPT_RAW_PACKET"}, qpTypes...) {
		a.extended(kind)
	}
	a.sharedQueues()
	a.completionQueues()
}

// queuePair asks for a queue pair, and what it has then: as ibv_create_qp says it, and as ibv_query_qp.
func (a *asker) queuePair(question string, kind any, sizes, more m) {
	a.t.Helper()
	const attr = "struct ibv_qp_init_attr_ex"
	verb, param, tag := "ibv_create_qp", "qp_init_attr", "struct ibv_qp_init_attr"
	given := m{"qp_type": kind, "send_cq": "@valid", "recv_cq": "@valid", "cap": sizes}
	if kind == "IBV_QPT_XRC_SEND" || more != nil {
		verb, param, tag = "ibv_create_qp_ex", "qp_init_attr_ex", attr
		given["comp_mask"], given["pd"] = "IBV_QP_INIT_ATTR_PD", "@valid"
	}
	maps.Copy(given, more)
	at := a.record(tag, given)
	qp, refused := a.call(verb, m{param: at})
	question = verb[4:] + " " + question
	if refused != "" {
		a.note(question, refused)
		return
	}
	answer := a.fields(at, tag, capFields...)
	got := a.record("struct ibv_qp_init_attr", nil)
	if _, refused := a.call("ibv_query_qp", m{"qp": qp, "attr_mask": "IBV_QP_CAP", "init_attr": got}); refused != "" {
		answer += ", query: " + refused
	} else if queried := a.fields(got, "struct ibv_qp_init_attr", capFields...); queried != answer {
		answer += ", query: " + queried
	}
	a.note(question, answer)
	a.end("ibv_destroy_qp", "qp", qp)
}

func (a *asker) sizes(kind string) {
	for _, wr := range []int{0, 1, 5, 16, 100, 8192, 32768, 32769, 1 << 21, 1 << 31} {
		for _, sge := range []int{0, 1, 2, 30, 31, 51, 52, 53, 60, 61} {
			a.queuePair(fmt.Sprintf("%s send %d %d", kind, wr, sge), kind, m{"max_send_wr": wr, "max_send_sge": sge}, nil)
		}
	}
	for _, wr := range []int{0, 1, 5, 100, 32768, 32769} {
		for _, sge := range []int{0, 1, 2, 3, 31, 32, 33} {
			a.queuePair(fmt.Sprintf("%s receive %d %d", kind, wr, sge), kind, m{"max_recv_wr": wr, "max_recv_sge": sge}, nil)
		}
	}
	inline := []int{1, 12, 13, 28, 44, 45, 60, 61, 64, 200, 800, 812, 813, 828, 829, 900, 956, 957, 988, 1024, 1 << 31, 1<<32 - 5, 1<<32 - 1}
	for _, n := range inline {
		for _, wr := range []int{0, 1} {
			a.queuePair(fmt.Sprintf("%s inline %d for %d", kind, n, wr), kind,
				m{"max_send_wr": wr, "max_send_sge": 1, "max_inline_data": n}, nil)
		}
	}
	if kind == "IBV_QPT_XRC_SEND" {
		return
	}
	a.queuePair(kind+" with an SRQ", kind, m{"max_send_wr": 1, "max_send_sge": 1, "max_recv_wr": 5, "max_recv_sge": 3},
		m{"srq": "@valid"})
}

// extended sets each bit of the masks and flags of ibv_create_qp_ex.
func (a *asker) extended(kind string) {
	sizes := m{"max_send_wr": 4, "max_send_sge": 1, "max_recv_wr": 4, "max_recv_sge": 1}
	if kind == "IBV_QPT_XRC_SEND" {
		sizes = m{"max_send_wr": 4, "max_send_sge": 1}
	}
	for bit := range 12 {
		if bit != 4 && bit != 5 { // RX hash needs a table of work queues
			a.queuePair(fmt.Sprintf("%s comp_mask PD and %#x", kind, 1<<bit), kind, sizes, m{"comp_mask": 1 | 1<<bit})
		}
	}
	for bit := range 14 {
		a.queuePair(fmt.Sprintf("%s create_flags %#x", kind, 1<<bit), kind, sizes, m{"comp_mask": 1 | 1<<2, "create_flags": 1 << bit})
	}
	for bit := range 16 {
		a.queuePair(fmt.Sprintf("%s send_ops_flags %#x", kind, 1<<bit), kind, sizes, m{"comp_mask": 1 | 1<<6, "send_ops_flags": 1 << bit})
	}
}

func (a *asker) sharedQueues() {
	const attr = "struct ibv_srq_init_attr"
	for _, wr := range []int{0, 1, 2, 7, 8, 1000, 16383, 16384, 32767, 32768, 32769, 1 << 31} {
		for _, sge := range []int{0, 1, 2, 3, 4, 16, 31, 32, 33, 1 << 31} {
			at := a.record(attr, m{"attr": m{"max_wr": wr, "max_sge": sge}})
			srq, refused := a.call("ibv_create_srq", m{"srq_init_attr": at})
			if refused == "" {
				refused = a.fields(at, attr, "attr.max_wr", "attr.max_sge") + ", query: " + a.querySRQ(srq)
			}
			a.note(fmt.Sprintf("create_srq %d %d", wr, sge), refused)
			a.end("ibv_destroy_srq", "srq", srq)
		}
	}
	for _, typ := range []int{0, 1, 2, 3} {
		for mask := range 1 << 6 {
			a.askAndEnd(fmt.Sprintf("create_srq_ex type %d comp_mask %#x", typ, mask), "ibv_create_srq_ex", m{"srq_init_attr_ex": m{
				"attr": m{"max_wr": 4, "max_sge": 1}, "comp_mask": mask, "srq_type": typ, "pd": "@valid", "xrcd": "@valid", "cq": "@valid",
			}}, "ibv_destroy_srq", "srq")
		}
	}
	for mask := range 8 {
		for _, wr := range []int{0, 1, 8, 100} {
			for _, limit := range []int{0, 1, 7, 8, 100} {
				srq, _ := a.call("ibv_create_srq", m{"srq_init_attr": m{"attr": m{"max_wr": 7, "max_sge": 1}}})
				_, answer := a.call("ibv_modify_srq",
					m{"srq": srq, "srq_attr": m{"max_wr": wr, "srq_limit": limit}, "srq_attr_mask": mask})
				a.note(fmt.Sprintf("modify_srq mask %d max_wr %d limit %d", mask, wr, limit), answer+" "+a.querySRQ(srq))
				a.end("ibv_destroy_srq", "srq", srq)
			}
		}
	}
}

func (a *asker) querySRQ(srq uintptr) string {
	const attr = "struct ibv_srq_attr"
	at := a.record(attr, nil)
	if _, refused := a.call("ibv_query_srq", m{"srq": srq, "srq_attr": at}); refused != "" {
		return refused
	}
	return a.fields(at, attr, "max_wr", "max_sge", "srq_limit")
}

func (a *asker) completionQueues() {
	const cqe = "cqe"
	size := func(cq uintptr, refused string) string {
		if refused != "" {
			return refused
		}
		return a.fields(cq, "struct ibv_cq", cqe)
	}
	for _, n := range []int{-1, 0, 1, 2, 3, 7, 8, 63, 64, 4095, 4096, 1 << 22, 1 << 24, 1<<31 - 1} {
		cq, refused := a.call("ibv_create_cq", m{cqe: n})
		a.note(fmt.Sprintf("create_cq %d", n), size(cq, refused))
		a.end("ibv_destroy_cq", "cq", cq)
	}
	for _, n := range []int{-1, 0, 1, 5, 50, 127, 128, 200, 1 << 22, 1 << 30} {
		cq, _ := a.call("ibv_create_cq", m{cqe: 100})
		_, refused := a.call("ibv_resize_cq", m{"cq": cq, cqe: n})
		a.note(fmt.Sprintf("resize_cq %d", n), refused+" "+size(cq, ""))
		a.end("ibv_destroy_cq", "cq", cq)
	}
	for _, v := range []int{-1, 0, 1, 1000} {
		a.askAndEnd(fmt.Sprintf("create_cq vector %d", v), "ibv_create_cq", m{cqe: 4, "comp_vector": v}, "ibv_destroy_cq", "cq")
	}
	for _, field := range []string{"wc_flags", "comp_mask", "flags"} {
		for bit := range 16 {
			mask := 0
			if field == "flags" {
				mask = 1
			}
			a.extendedCQ(fmt.Sprintf("%s %#x", field, 1<<bit), m{"comp_mask": mask, field: 1 << bit})
		}
	}
	for _, n := range []uint32{0, 1, 5, 1 << 22, 1<<32 - 1} {
		a.extendedCQ(fmt.Sprintf("cqe %d", n), m{cqe: uint64(n)})
	}
	for mask := range 4 {
		for _, count := range []int{0, 1, 0xffff} {
			a.ask(fmt.Sprintf("modify_cq mask %d count %d", mask, count), "ibv_modify_cq",
				m{"attr": m{"attr_mask": mask, "moderate": m{"cq_count": count, "cq_period": count & 0xfff}}})
		}
	}
}

func (a *asker) extendedCQ(question string, values m) {
	given := m{"cqe": 4, "channel": nil, "parent_domain": nil}
	maps.Copy(given, values)
	cq, refused := a.call("ibv_create_cq_ex", m{"cq_attr": a.record("struct ibv_cq_init_attr_ex", given)})
	if refused == "" {
		refused = a.fields(cq, "struct ibv_cq", "cqe")
	}
	a.note("create_cq_ex "+question, refused)
	a.end("ibv_destroy_cq", "cq", cq)
}
