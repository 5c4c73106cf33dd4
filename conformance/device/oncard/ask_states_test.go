//go:build linux && cgo

package oncard

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// states are those of queue pairs, by number.
var states = []string{"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"}

// qpAttr are attributes with which every change that is allowed succeeds.
var qpAttr = m{
	"port_num": 1, "qp_access_flags": 0xf, "path_mtu": 3, "max_dest_rd_atomic": 1, "max_rd_atomic": 1, "min_rnr_timer": 12,
	"timeout": 14, "retry_cnt": 7, "rnr_retry": 7, "alt_port_num": 1, "ah_attr": m{"port_num": 1}, "alt_ah_attr": m{"port_num": 1},
	"dest_qp_num": 1, "cap": m{"max_send_wr": 4, "max_send_sge": 1, "max_recv_wr": 1, "max_recv_sge": 1},
}

// needs are the masks of the changes from RESET to RTS.
var needs = map[string][3]string{
	"IBV_QPT_RC": {"STATE PKEY_INDEX PORT ACCESS_FLAGS", "STATE AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER",
		"STATE TIMEOUT RETRY_CNT RNR_RETRY SQ_PSN MAX_QP_RD_ATOMIC"},
	"IBV_QPT_UC": {"STATE PKEY_INDEX PORT ACCESS_FLAGS", "STATE AV PATH_MTU DEST_QPN RQ_PSN", "STATE SQ_PSN"},
	"IBV_QPT_UD": {"STATE PKEY_INDEX PORT QKEY", "STATE", "STATE SQ_PSN"},
	"IBV_QPT_XRC_SEND": {"STATE PKEY_INDEX PORT ACCESS_FLAGS", "STATE AV PATH_MTU DEST_QPN RQ_PSN",
		"STATE TIMEOUT RETRY_CNT RNR_RETRY SQ_PSN MAX_QP_RD_ATOMIC"},
}

// values are attributes that somebody may refuse.
var values = []struct {
	name string
	attr m
}{
	{"port 0", m{"port_num": 0}}, {"port 2", m{"port_num": 2}}, {"pkey 1", m{"pkey_index": 1}}, {"mtu 0", m{"path_mtu": 0}},
	{"mtu 5", m{"path_mtu": 5}}, {"mtu 6", m{"path_mtu": 6}}, {"reads 16", m{"max_rd_atomic": 16, "max_dest_rd_atomic": 16}},
	{"reads 17", m{"max_rd_atomic": 17, "max_dest_rd_atomic": 17}}, {"access 0x10", m{"qp_access_flags": 0x10}},
	{"access 0xffffffff", m{"qp_access_flags": 1<<32 - 1}}, {"retry 8", m{"retry_cnt": 8}}, {"rnr 8", m{"rnr_retry": 8}},
	{"timeout 32", m{"timeout": 32}}, {"min_rnr 32", m{"min_rnr_timer": 32}}, {"dest 2^24", m{"dest_qp_num": 1 << 24}},
	{"not global", m{"ah_attr": m{"is_global": 0, "port_num": 1}}}, {"path of port 0", m{"ah_attr": m{"port_num": 0}}},
	{"path of port 2", m{"ah_attr": m{"port_num": 2}}}, {"sgid_index 99", m{"ah_attr": m{"port_num": 1, "grh": m{"sgid_index": 99}}}},
	{"sl 16", m{"ah_attr": m{"port_num": 1, "sl": 16}}}, {"hop_limit 0", m{"ah_attr": m{"port_num": 1, "grh": m{"hop_limit": 0}}}},
	{"psn 2^24", m{"rq_psn": 1 << 24, "sq_psn": 1 << 24}}, {"state 7", m{"qp_state": 7}},
}

// attributes are the names of the bits of a mask.
var attributes = strings.Fields(`STATE CUR_STATE EN_SQD_ASYNC_NOTIFY ACCESS_FLAGS PKEY_INDEX PORT QKEY AV PATH_MTU TIMEOUT RETRY_CNT
	RNR_RETRY RQ_PSN MAX_QP_RD_ATOMIC ALT_PATH MIN_RNR_TIMER SQ_PSN MAX_DEST_RD_ATOMIC PATH_MIG_STATE CAP DEST_QPN`)

func mask(words string) (all int) {
	for _, w := range strings.Fields(words) {
		all |= 1 << slices.Index(attributes, w)
	}
	return all
}

// change asks for a change of a new queue pair.
func (a *asker) change(question, kind, from string, attr m, mask int) {
	a.t.Helper()
	qp, err := a.u.QueuePair(kind, "IBV_QPS_"+from)
	if err != nil {
		a.note("modify_qp "+question, "not reached: "+err.Error())
		return
	}
	given := maps.Clone(qpAttr)
	maps.Copy(given, attr)
	a.ask("modify_qp "+question, "ibv_modify_qp", m{"qp": qp, "attr": given, "attr_mask": mask})
	a.end("ibv_destroy_qp", "qp", qp)
}

func (a *asker) changes() {
	for _, kind := range qpTypes {
		for i, words := range needs[kind] {
			step := fmt.Sprintf("%s %s to %s", kind[len("IBV_QPT_"):], states[i], states[i+1])
			attr := m{"qp_state": i + 1}
			a.change(step, kind, states[i], attr, mask(words))
			for bit := 1; bit < 27; bit++ {
				verb := "with"
				if mask(words)&(1<<bit) != 0 {
					verb = "without"
				}
				a.change(fmt.Sprintf("%s %s %s", step, verb, attribute(bit)), kind, states[i], attr, mask(words)^1<<bit)
			}
			for _, v := range values {
				all := maps.Clone(attr)
				maps.Copy(all, v.attr)
				a.change(step+", "+v.name, kind, states[i], all, mask(words))
			}
		}
		a.byStateOnly(kind)
	}
}

func attribute(bit int) string {
	if bit < len(attributes) {
		return attributes[bit]
	}
	return fmt.Sprintf("%#x", 1<<bit)
}

// byStateOnly asks for the changes that need no attribute, and for a change of each attribute in each state.
func (a *asker) byStateOnly(kind string) {
	short := kind[len("IBV_QPT_"):]
	for _, from := range []string{"RESET", "INIT", "RTR", "RTS"} {
		for to, name := range states {
			a.change(fmt.Sprintf("%s %s to %s by state only", short, from, name), kind, from, m{"qp_state": to}, 1)
		}
		for bit := 1; bit < 26; bit++ {
			a.change(fmt.Sprintf("%s in %s by %s", short, from, attribute(bit)), kind, from, m{"cur_qp_state": slices.Index(states, from)}, 1<<bit)
		}
	}
}

// posts posts each opcode that reads nothing but the common fields, with each flag, in each state.
func (a *asker) posts() {
	memory := uint64(a.record("struct ibv_wc", nil)) // any
	for _, kind := range qpTypes {
		for _, state := range []string{"RESET", "INIT", "RTR", "RTS"} {
			for opcode := range 16 {
				if opcode == 8 || opcode == 10 { // BIND_MW and TSO, which read more of the request
					continue
				}
				a.post(fmt.Sprintf("opcode %d", opcode), kind, state, m{"opcode": opcode})
			}
			for bit := range 8 {
				a.post(fmt.Sprintf("flags %#x", 1<<bit), kind, state, m{"opcode": 2, "send_flags": 1 << bit})
			}
			for _, n := range []int{-1, 0, 2, 3, 100} {
				a.post(fmt.Sprintf("%d elements", n), kind, state, m{"opcode": 2, "num_sge": n})
			}
			for _, n := range []int{0, 60, 61, 4000} {
				a.post(fmt.Sprintf("inline %d", n), kind, state, m{"opcode": 2, "send_flags": 8, "sg_list": []any{m{"addr": memory, "length": n}}})
			}
		}
	}
}

func (a *asker) post(question, kind, state string, wr m) {
	a.t.Helper()
	question = fmt.Sprintf("post_send %s in %s, %s", kind[len("IBV_QPT_"):], state, question)
	qp, err := a.u.QueuePair(kind, "IBV_QPS_"+state)
	if err != nil {
		a.note(question, "not reached: "+err.Error())
		return
	}
	ah, _ := a.u.Object("struct ibv_ah")
	given := m{"sg_list": []any{m{}, m{}, m{}}, "num_sge": 1}
	if kind == "IBV_QPT_UD" {
		given["wr"] = m{"ud": m{"ah": ah, "remote_qpn": 1}}
	}
	maps.Copy(given, wr)
	a.ask(question, "ibv_post_send", m{"qp": qp, "wr": []any{given}})
	a.end("ibv_destroy_qp", "qp", qp)
}
