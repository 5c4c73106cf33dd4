//go:build linux

package cases

import (
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// states takes a queue pair from RESET to RTS and over ERR back to RESET, twice, tries ways that are none, and lacks attributes.
func states(t *suite.T) {
	cq := newCQ(t)
	n := bareNear(t, newPD(t), far.RC, cq, cq)
	to := func(s verbs.QPState) error { return n.qp.Modify(verbs.NewQPAttr(s)) }
	for range 2 {
		answers(t, "RESET to RTR", to(verbs.QPStateRTR), syscall.EINVAL)
		answers(t, "RESET to RTS", to(verbs.QPStateRTS), syscall.EINVAL)
		answers(t, "INIT without a port", n.qp.Modify(verbs.NewQPAttr(verbs.QPStateInit).PKeyIndex(0).AccessFlags(0)), syscall.EINVAL)
		n.link = t.Connect(n.qp, far.RC, t.Access(far.RC))
		n.room(1, 0, 64)
		n.op("a WRITE", wcWrite, n.write(0).Add(n.sge(0, 8)))
		answers(t, "RTS to INIT", to(verbs.QPStateInit), syscall.EINVAL)
		ok(t, "RTS to ERR", to(verbs.QPStateErr))
		wc := wait(t, cq)
		t.Status("a receive of a queue pair in ERR", int(wc.Status), suite.StatusFlushed)
		is(t, "its id", wc.ID, 1)
		ok(t, "ERR to RESET", to(verbs.QPStateReset))
	}
}

// field is an attribute that was set and is told.
type field struct {
	name     string
	is, want any
}

// query asks a queue pair for all its attributes.
func query(t *suite.T, what string, qp *verbs.QP) (*verbs.QPInfo, *verbs.QPInitInfo) {
	q, made, err := qp.Query()
	needed(t, what, err)
	return q, made
}

func (n *near) tells(state verbs.QPState, fields func(q *verbs.QPInfo) []field) {
	q, made := query(n.t, state.String(), n.qp)
	all := []field{{"qp_state", q.State, state}, {"qp_type", made.Type, verbs.QPTypeRC}, {"sq_sig_all", made.SignalAll, false}}
	for _, f := range append(all, fields(q)...) {
		if f.is != f.want {
			n.t.Errorf("%v: %s is %v, want %v", state, f.name, f.is, f.want)
		}
	}
	if c := made.Cap; c.MaxSendWR < depth || c.MaxRecvWR < depth || c.MaxSendSGE < 3 || c.MaxRecvSGE < 3 {
		n.t.Errorf("%v: room %+v", state, c)
	}
}

// whatWasSet asks a queue pair in each state up to RTS, and after a change in RTS.
func whatWasSet(t *suite.T) {
	cq := newCQ(t)
	n := bareNear(t, newPD(t), far.RC, cq, cq)
	n.tells(verbs.QPStateReset, func(*verbs.QPInfo) []field { return nil })
	p, e := t.Port(), t.NewEnd(far.RC)
	need(t, p.Init(n.qp, far.RC, verbs.QPAccessRemoteWrite))
	init := func(q *verbs.QPInfo) []field {
		return []field{{"port_num", q.PortNum, p.Number()}, {"pkey_index", q.PKeyIndex, uint16(0)},
			{"qp_access_flags", q.AccessFlags, verbs.QPAccessRemoteWrite}}
	}
	n.tells(verbs.QPStateInit, init)
	self, to := p.Address(n.qp, far.RC), e.Address()
	need(t, p.Receive(n.qp, self, to))
	rtr := func(q *verbs.QPInfo) []field {
		list := append(init(q), field{"path_mtu", uint32(q.PathMTU), min(self.MTU, to.MTU)}, field{"dest_qp_num", q.DestQPNum, to.QPN},
			field{"rq_psn", q.RQPSN, to.PSN},
			field{"max_dest_rd_atomic", q.MaxDestRDAtomic, uint8(far.RDAtomic)},
			field{"min_rnr_timer", q.MinRNRTimer, verbs.RNRTimer(far.MinRNRTimer)},
			field{"ah_attr.port_num", q.AV.PortNum, p.Number()})
		if to.GID != ([16]byte{}) {
			list = append(list, field{"ah_attr.is_global", q.AV.IsGlobal, true}, field{"ah_attr.grh.dgid", q.AV.DGID, verbs.GID(to.GID)})
		}
		return list
	}
	n.tells(verbs.QPStateRTR, rtr)
	need(t, p.Send(n.qp, self))
	rts := func(q *verbs.QPInfo) []field {
		return []field{{"sq_psn", q.SQPSN, self.PSN}, {"timeout", q.Timeout, verbs.Timeout(far.Timeout)},
			{"retry_cnt", q.RetryCnt, uint8(far.RetryCnt)},
			{"rnr_retry", q.RNRRetry, uint8(far.RNRRetry)}, {"max_rd_atomic", q.MaxRDAtomic, uint8(far.RDAtomic)}}
	}
	n.tells(verbs.QPStateRTS, func(q *verbs.QPInfo) []field { return append(rtr(q), rts(q)...) })
	ok(t, "a change in RTS", n.qp.Modify(verbs.NewQPAttr(verbs.QPStateRTS).MinRNRTimer(9).AccessFlags(verbs.QPAccessRemoteRead)))
	n.tells(verbs.QPStateRTS, func(q *verbs.QPInfo) []field {
		return append(rts(q), field{"min_rnr_timer", q.MinRNRTimer, verbs.RNRTimer(9)},
			field{"qp_access_flags", q.AccessFlags, verbs.QPAccessRemoteRead})
	})
}
