//go:build linux && cgo

package cases

import (
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// compCounters are the cases of counters of completions.
func compCounters() []suite.Case {
	return []suite.Case{
		of("CF-cntr-0001", "two numbers, set, added to and read", "ibv_create_comp_cntr", cntrNumbers, suite.CompCounters),
		of("CF-cntr-0002", "each operation in its own counter, those of the peer too", "ibv_qp_attach_comp_cntr",
			cntrCounts, suite.CompCounters, suite.Peer),
		of("CF-cntr-0003", "attached twice, attached late, closed while attached", "ibv_qp_attach_comp_cntr",
			cntrRefused, suite.CompCounters, suite.Peer).Ruled(
			"VR-ibv_qp_attach_comp_cntr-state-1373", "VR-ibv_qp_attach_comp_cntr-op_mask-1375", "VR-ibv_create_comp_cntr-type-1363"),
	}
}

func newCntr(t *suite.T, typ verbs.CompCntrType) *verbs.CompCntr {
	return must(t.Device().CreateCompCntr(verbs.NewCompCntrInitAttr(typ)))(t)
}

// shows compares the numbers of a counter.
func shows(t *suite.T, what string, c *verbs.CompCntr, good, bad uint64) {
	if g, b := must(c.Read())(t), must(c.ReadErr())(t); g != good || b != bad {
		t.Errorf("%s: %d good and %d bad, want %d and %d", what, g, b, good, bad)
	}
}

func cntrNumbers(t *suite.T) {
	c := newCntr(t, verbs.CompCntrTypeWRs)
	shows(t, "a new counter", c, 0, 0)
	t.OK("Set", c.Set(40))
	t.OK("Inc", c.Inc(2))
	t.OK("SetErr", c.SetErr(5))
	t.OK("IncErr", c.IncErr(6))
	shows(t, "set and added to", c, 42, 11)
	most := must(t.Device().QueryCompCntrCaps())(t).MaxValue
	t.OK("Set to the most", c.Set(most))
	t.OK("Inc", c.Inc(1))
	shows(t, "past the most", c, 0, 11)
	t.OK("Close", c.Close())
}

// countedBy makes a connected queue pair with counters of operations.
func countedBy(t *suite.T, counters map[verbs.CompCntrOp]*verbs.CompCntr) *near {
	n := bareNear(t, newPD(t), far.RC, newCQ(t), newCQ(t))
	for op, c := range counters {
		needed(t, "attaching a counter of "+op.String(), n.qp.AttachCompCntr(c, verbs.NewCompCntrAttachAttr(op)))
	}
	n.link = t.Connect(n.qp, far.RC, t.Access(far.RC))
	return n
}

func cntrCounts(t *suite.T) {
	writes, reads, sends, recvs, peer := newCntr(t, verbs.CompCntrTypeWRs), newCntr(t, verbs.CompCntrTypeWRs),
		newCntr(t, verbs.CompCntrTypeBytes), newCntr(t, verbs.CompCntrTypeWRs), newCntr(t, verbs.CompCntrTypeWRs)
	n := countedBy(t, map[verbs.CompCntrOp]*verbs.CompCntr{verbs.CompCntrOpRDMAWrite: writes, verbs.CompCntrOpRDMARead: reads,
		verbs.CompCntrOpSend: sends,
		verbs.CompCntrOpRecv: recvs, verbs.CompCntrOpRemoteRDMAWrite | verbs.CompCntrOpRemoteRDMARead: peer})
	n.writes(0, 5, 0) // counted, though they have no completion
	n.post(5)
	n.op("a READ", verbs.WCOpcodeRDMARead, n.read(0).Add(n.sge(0, 8)))
	n.farRoom(64)
	n.op("a SEND", verbs.WCOpcodeSend, n.wr().Send(opID).Add(n.sge(0, 24)))
	n.room(1, 0, 64)
	n.tell("a message", far.Op{Code: far.Send, Data: []byte("counted")})
	wait(t, n.recvs)
	n.tell("a WRITE", far.Op{Code: far.Write, Data: []byte("counted"), Addr: uint64(n.mr.Addr()), RKey: n.mr.RKey()})
	shows(t, "WRITEs", writes, 5, 0)
	shows(t, "READs", reads, 1, 0)
	shows(t, "bytes of SENDs", sends, 24, 0)
	shows(t, "receives", recvs, 1, 0)
	shows(t, "operations of the peer", peer, 1, 0)
	n.denied(0)
	n.post(1)
	if wc := wait(t, n.sends); wc.Status == 0 {
		t.Errorf("a WRITE with another key: %+v", wc)
	}
	shows(t, "WRITEs, one with another key", writes, 5, 1)
}

func cntrRefused(t *suite.T) {
	refusedBy(t, "VR-ibv_create_comp_cntr-type-1363", errorOf(t.Device().CreateCompCntr(verbs.NewCompCntrInitAttr(7))))
	c, other := newCntr(t, verbs.CompCntrTypeWRs), newCntr(t, verbs.CompCntrTypeWRs)
	n := countedBy(t, map[verbs.CompCntrOp]*verbs.CompCntr{verbs.CompCntrOpSend: c})
	if t.Soft() != nil { // what devices do is not known
		t.Errno("a queue pair that is connected", n.qp.AttachCompCntr(other, verbs.NewCompCntrAttachAttr(verbs.CompCntrOpRecv)), syscall.EINVAL)
	}
	qp := queuePairOf(t, verbs.QPTypeRC)
	t.OK("a second queue pair, with a bit that the library leaves out",
		qp.AttachCompCntr(c, verbs.NewCompCntrAttachAttr(verbs.CompCntrOpSend|1<<9)))
	t.Errno("an operation that is counted", qp.AttachCompCntr(other,
		verbs.NewCompCntrAttachAttr(verbs.CompCntrOpSend|verbs.CompCntrOpRecv)), syscall.EBUSY)
	t.OK("an operation that is not", qp.AttachCompCntr(other, verbs.NewCompCntrAttachAttr(verbs.CompCntrOpRecv)))
	t.Errno("Close while attached", c.Close(), syscall.EBUSY)
	t.OK("Close of a queue pair", qp.Close())
	t.Errno("Close while attached to the other", c.Close(), syscall.EBUSY)
	t.OK("Close of the other queue pair", n.qp.Close())
	t.OK("Close", c.Close())
	t.OK("Close of the second", other.Close())
	first := queuePairOf(t, verbs.QPTypeRC) // CloseAll of the device closes it before the counter
	t.OK("left to CloseAll", first.AttachCompCntr(newCntr(t, verbs.CompCntrTypeWRs), verbs.NewCompCntrAttachAttr(verbs.CompCntrOpSend)))
}
