//go:build linux && cgo

package cases

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// queueTypes are the cases of queue pairs of each type, of many, and of completion vectors.
func queueTypes() []suite.Case {
	return []suite.Case{
		of("CF-que-0012", "queue pairs of each type, plain and extended: their room, and their states up to INIT", "ibv_create_qp",
			eachType, suite.Peer),
		of("CF-que-0013", "a queue pair of datagrams tells its key and its number, in each state", "ibv_query_qp", datagramStates, suite.Peer),
		of("CF-que-0014", "many connections at once, each with bytes of its own", "ibv_create_qp", manyConnections, suite.Peer),
		of("CF-que-0015", "reads that are under way at once: as many as were asked for", "ibv_modify_qp", manyReads, suite.Peer),
		of("CF-que-0016", "a completion queue on each vector, with a channel and without", "ibv_create_cq", eachVector).Ruled(
			"VR-ibv_create_cq-comp_vector-0282"),
	}
}

// bothKinds makes a queue pair of a type, plain and extended, with room for 5 requests of 2 elements each, and hands on each.
func bothKinds(t *suite.T, typ verbs.QPType, use func(what string, qp *verbs.QP)) {
	pd, cq := newPD(t), newCQ(t)
	qp := must(pd.CreateQP(verbs.QPInitAttr{Type: typ, SendCQ: cq, RecvCQ: cq, MaxSendWR: 5, MaxRecvWR: 5, MaxSendSGE: 2, MaxRecvSGE: 2}))(t)
	use(fmt.Sprintf("%v", typ), qp)
	t.OK("Close", qp.Close())
	qp = must(t.Device().CreateQPEx(verbs.NewQPInitAttrEx(typ, cq, cq, pd).MaxSendWR(5).MaxRecvWR(5).MaxSendSGE(2).MaxRecvSGE(2)))(t)
	use(fmt.Sprintf("%v, extended", typ), qp)
	t.OK("Close", qp.Close())
}

func eachType(t *suite.T) {
	for _, kind := range []far.Kind{far.RC, far.UC, far.UD} {
		typ := types[kind]
		bothKinds(t, typ, func(what string, qp *verbs.QP) {
			is := func(state verbs.QPState) {
				q, made := query(t, what, qp)
				if c := made.Cap; q.State != state || made.Type != typ || c.MaxSendWR < 5 || c.MaxRecvWR < 5 || c.MaxSendSGE < 2 || c.MaxRecvSGE < 2 {
					t.Errorf("%s: in %v, of type %v, with room %+v", what, q.State, made.Type, c)
				}
			}
			is(verbs.QPStateReset)
			needed(t, what, t.Port().Init(qp, kind, 0))
			is(verbs.QPStateInit)
			t.OK(what+": back to RESET", qp.Modify(verbs.NewQPAttr(verbs.QPStateReset)))
			is(verbs.QPStateReset)
		})
	}
}

// datagramStates has a key of the program's, and one that only a privileged program may set.
func datagramStates(t *suite.T) {
	const own, privileged = 0x123, 0x80000000
	bothKinds(t, verbs.QPTypeUD, func(what string, qp *verbs.QP) {
		init := func(key uint32) *verbs.QPAttr {
			return verbs.NewQPAttr(verbs.QPStateInit).PKeyIndex(0).PortNum(t.Port().Number()).QKey(key)
		}
		tells := func(state verbs.QPState, key uint32) *verbs.QPInfo {
			q, _ := query(t, what, qp)
			is(t, what+": its state", q.State, state)
			is(t, what+": its key", q.QKey, key)
			return q
		}
		t.OK(what+": INIT", qp.Modify(init(own)))
		tells(verbs.QPStateInit, own)
		t.OK(what+": RTR", qp.Modify(verbs.NewQPAttr(verbs.QPStateRTR)))
		tells(verbs.QPStateRTR, own)
		t.OK(what+": RTS", qp.Modify(verbs.NewQPAttr(verbs.QPStateRTS).SQPSN(0x45)))
		is(t, what+": its number", tells(verbs.QPStateRTS, own).SQPSN, 0x45)
		t.OK(what+": RESET", qp.Modify(verbs.NewQPAttr(verbs.QPStateReset)))
		if err := qp.Modify(init(privileged)); errors.Is(err, syscall.EPERM) {
			t.Saw(what+": a privileged key", err) // the program is not privileged
		} else {
			t.OK(what+": a privileged key", err)
			tells(verbs.QPStateInit, privileged)
		}
	})
}

// manyConnections has requests of all of them under way before it looks at one.
func manyConnections(t *suite.T) {
	const many = 64 // as many ends as a far side on another machine may have open
	pd, cq := newPD(t), must(t.Device().CreateCQ(2*many, nil, 0))(t)
	var all []*near
	for i := range many {
		n := nearOn(t, pd, far.RC, cq, cq)
		n.farRoom(64)
		fill(n.buf[:64], i)
		n.send.WR(0).Write(uint64(2*i), n.link.To.Base, n.link.To.RKey).Add(n.sge(0, 64))
		n.send.WR(1).Send(uint64(2*i + 1)).Add(n.sge(0, 64)).Flags(verbs.SendSignaled)
		all = append(all, n)
	}
	for _, n := range all {
		n.post(2)
	}
	ended := map[uint64]uint32{}
	for range many {
		wc := wait(t, cq)
		t.Status("a message", wc.Status, verbs.WCStatusSuccess)
		ended[wc.ID] = wc.QPNum
	}
	for i, n := range all {
		if num, is := ended[uint64(2*i+1)]; !is || num != n.qp.Num() {
			t.Errorf("connection %d: completed by queue pair %#x, want %#x", i, num, n.qp.Num())
		}
		n.farHas(fmt.Sprintf("connection %d", i), 0, n.buf[:64])
		holds(t, fmt.Sprintf("message %d", i), n.farGot("a message").Data, n.buf[:64])
	}
}

// manyReads asks for 12, or as many as the device can.
func manyReads(t *suite.T) {
	attr := must(t.Device().QueryDevice())(t)
	in, out := uint8(min(12, attr.MaxQPRDAtom)), uint8(min(12, attr.MaxQPInitRDAtom))
	r := newReady(t)
	r.moved("INIT", r.init)
	r.moved("RTR", r.rtr.MaxDestRDAtomic(in))
	r.moved("RTS", r.rts.MaxRDAtomic(out))
	q, _, err := r.near.QP.Query(verbs.QPFieldMaxQPRDAtomic | verbs.QPFieldMaxDestRDAtomic)
	need(t, err)
	if q.MaxDestRDAtomic < in || q.MaxRDAtomic < out {
		t.Errorf("asked for %d from the peer and %d to it, got %d and %d", in, out, q.MaxDestRDAtomic, q.MaxRDAtomic)
	}
	r.works()
}

// eachVector notes nothing: how many vectors there are is the machine's affair.
func eachVector(t *suite.T) {
	vectors := t.Device().NumCompVectors()
	if vectors < 1 {
		t.Fatalf("%d vectors", vectors)
	}
	for v := range min(vectors, 64) {
		for _, ch := range []*verbs.CompChannel{nil, newChannel(t)} {
			cq := must(t.Device().CreateCQ(vectors, ch, v))(t)
			idle(t, fmt.Sprintf("a new queue of vector %d", v), cq)
			err := cq.Close()
			if ch != nil {
				err = errors.Join(err, ch.Close())
			}
			is(t, fmt.Sprintf("vector %d: Close", v), err, nil)
		}
	}
}

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
		n.op("a WRITE", verbs.WCOpcodeRDMAWrite, n.write(0).Add(n.sge(0, 8)))
		answers(t, "RTS to INIT", to(verbs.QPStateInit), syscall.EINVAL)
		t.OK("RTS to ERR", to(verbs.QPStateErr))
		wc := wait(t, cq)
		t.Status("a receive of a queue pair in ERR", wc.Status, verbs.WCStatusWRFlushErr)
		is(t, "the id of the receive that was flushed", wc.ID, 1)
		t.OK("ERR to RESET", to(verbs.QPStateReset))
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
	t.OK("a change in RTS", n.qp.Modify(verbs.NewQPAttr(verbs.QPStateRTS).MinRNRTimer(9).AccessFlags(verbs.QPAccessRemoteRead)))
	n.tells(verbs.QPStateRTS, func(q *verbs.QPInfo) []field {
		return append(rts(q), field{"min_rnr_timer", q.MinRNRTimer, verbs.RNRTimer(9)},
			field{"qp_access_flags", q.AccessFlags, verbs.QPAccessRemoteRead})
	})
}
