//go:build linux

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
	ok(t, "Close", qp.Close())
	qp = must(t.Device().CreateQPEx(verbs.NewQPInitAttrEx(typ, cq, cq, pd).MaxSendWR(5).MaxRecvWR(5).MaxSendSGE(2).MaxRecvSGE(2)))(t)
	use(fmt.Sprintf("%v, extended", typ), qp)
	ok(t, "Close", qp.Close())
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
			ok(t, what+": back to RESET", qp.Modify(verbs.NewQPAttr(verbs.QPStateReset)))
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
		ok(t, what+": INIT", qp.Modify(init(own)))
		tells(verbs.QPStateInit, own)
		ok(t, what+": RTR", qp.Modify(verbs.NewQPAttr(verbs.QPStateRTR)))
		tells(verbs.QPStateRTR, own)
		ok(t, what+": RTS", qp.Modify(verbs.NewQPAttr(verbs.QPStateRTS).SQPSN(0x45)))
		is(t, what+": its number", tells(verbs.QPStateRTS, own).SQPSN, 0x45)
		ok(t, what+": RESET", qp.Modify(verbs.NewQPAttr(verbs.QPStateReset)))
		if err := qp.Modify(init(privileged)); errors.Is(err, syscall.EPERM) {
			t.Saw(what+": a privileged key", err) // the program is not privileged
		} else {
			ok(t, what+": a privileged key", err)
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
		t.Status("a message", int(wc.Status), suite.StatusSuccess)
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
			if err != nil {
				t.Errorf("vector %d: Close: %v", v, err)
			}
		}
	}
}
