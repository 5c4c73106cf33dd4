//go:build linux && cgo

package cases

import (
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// faultState are changes of a queue pair that are refused, by a rule or with an errno. It stays in the state that it was in.
func faultState() []suite.Case {
	return []suite.Case{
		fault(50, "changes of state that leave one out or go back", "ibv_modify_qp", badTransitions).Ruled("VR-ibv_modify_qp-attr_mask-0220"),
		fault(51, "changes of state that lack an attribute", "ibv_modify_qp", missingAttributes).Ruled("VR-ibv_modify_qp-attr_mask-0220"),
		fault(52, "changes of state with a value out of range", "ibv_modify_qp", badValues).Ruled(
			"VR-ibv_modify_qp-port_num-0231", "VR-ibv_modify_qp-path_mtu-0237"),
		fault(53, "queue pairs larger than the device allows", "ibv_create_qp", tooLarge).Ruled(
			"VR-ibv_create_cq-cqe-0279", "VR-ibv_create_cq-cqe-0280"),
	}
}

// ready is the near end of a connection that is still in RESET, and what brings it on.
type ready struct {
	t              *suite.T
	near, far      *link.End
	way            verbs.AHAttr
	mtu            verbs.MTU
	init, rtr, rts *verbs.QPAttr
}

func newReady(t *suite.T) *ready {
	cfg := patient()
	r := &ready{t: t, near: must(cfg.NewReset(nearPlace(t)))(t), far: must(cfg.NewEnd(farPlace(t)))(t)}
	r.way, r.mtu = r.near.Way(r.far)
	r.init, r.rtr, r.rts = cfg.Init(t.Port().Number()), cfg.RTR(r.way, r.mtu, r.far.QP.Num()), cfg.RTS()
	return r
}

// refused checks that a change is refused.
func (r *ready) refused(what string, a *verbs.QPAttr, set ...syscall.Errno) {
	answers(r.t, what, r.near.QP.Modify(a), append(set, syscall.EINVAL)...)
}

// explained checks that a change is refused, and that the error names the rule.
func (r *ready) explained(what string, a *verbs.QPAttr) {
	const rule = "VR-ibv_modify_qp-attr_mask-0220"
	err := r.near.QP.Modify(a)
	answers(r.t, what, err, syscall.EINVAL)
	names(r.t, what, err, rule)
}

// moved makes a change that has to succeed.
func (r *ready) moved(to string, a *verbs.QPAttr) {
	needed(r.t, "to "+to, r.near.QP.Modify(a))
}

// works connects the far end too, and writes.
func (r *ready) works() {
	r.t.OK("Connect of the far end", r.far.ConnectTo(r.near))
	p := batches(r.t, link.Place{})
	p.near, p.far = r.near, r.far
	signaledWrite(p, 0, 1)
	p.one("a write after all", verbs.WCStatusSuccess)
}

func badTransitions(t *suite.T) {
	r := newReady(t)
	fail, sqd := verbs.NewQPAttr(verbs.QPStateErr), verbs.NewQPAttr(verbs.QPStateSQD)
	r.explained("RESET to RTR", r.rtr)
	r.explained("RESET to RTS", r.rts)
	r.explained("RESET to SQD", sqd)
	r.moved("INIT", r.init)
	r.explained("INIT to RTS", r.rts)
	r.explained("INIT to SQD", sqd)
	r.moved("RTR", r.rtr)
	r.explained("RTR to INIT", r.init)
	r.explained("RTR to RTR", r.rtr)
	r.explained("RTR to SQD", sqd)
	r.moved("RTS", r.rts)
	r.explained("RTS to INIT", r.init)
	r.explained("RTS to RTR", r.rtr)
	r.works()
	r.moved("ERR", fail)
	r.explained("ERR to INIT", r.init)
	r.explained("ERR to RTR", r.rtr)
	r.explained("ERR to RTS", r.rts)
	r.explained("ERR to SQD", sqd)
	r.moved("RESET", verbs.NewQPAttr(verbs.QPStateReset))
	r.moved("INIT", r.init)
}

// missingAttributes leaves each attribute out that a change needs.
func missingAttributes(t *suite.T) {
	r := newReady(t)
	way, mtu, qpn, port, state := r.way, r.mtu, r.far.QP.Num(), t.Port().Number(), verbs.NewQPAttr
	const write = verbs.QPAccessRemoteWrite
	r.explained("INIT without anything", state(verbs.QPStateInit))
	r.explained("INIT without a key's index", state(verbs.QPStateInit).PortNum(port).AccessFlags(write))
	r.explained("INIT without a port", state(verbs.QPStateInit).PKeyIndex(0).AccessFlags(write))
	r.explained("INIT without access", state(verbs.QPStateInit).PKeyIndex(0).PortNum(port))
	r.explained("INIT with a path", patientInit(t).AV(way))
	r.moved("INIT", r.init)
	rtr := func() *verbs.QPAttr { return state(verbs.QPStateRTR) }
	r.explained("RTR without anything", rtr())
	r.explained("RTR without a path", rtr().PathMTU(mtu).DestQPNum(qpn).RQPSN(0).MaxDestRDAtomic(1).MinRNRTimer(12))
	r.explained("RTR without an MTU", rtr().AV(way).DestQPNum(qpn).RQPSN(0).MaxDestRDAtomic(1).MinRNRTimer(12))
	r.explained("RTR without a peer", rtr().AV(way).PathMTU(mtu).RQPSN(0).MaxDestRDAtomic(1).MinRNRTimer(12))
	r.explained("RTR without a number", rtr().AV(way).PathMTU(mtu).DestQPNum(qpn).MaxDestRDAtomic(1).MinRNRTimer(12))
	r.explained("RTR without reads", rtr().AV(way).PathMTU(mtu).DestQPNum(qpn).RQPSN(0).MinRNRTimer(12))
	r.explained("RTR without an RNR timer", rtr().AV(way).PathMTU(mtu).DestQPNum(qpn).RQPSN(0).MaxDestRDAtomic(1))
	r.moved("RTR", r.rtr)
	rts := func() *verbs.QPAttr { return state(verbs.QPStateRTS) }
	r.explained("RTS without anything", rts())
	r.explained("RTS without a timeout", rts().SQPSN(0).RetryCnt(6).RNRRetry(6).MaxRDAtomic(1))
	r.explained("RTS without retries", rts().SQPSN(0).Timeout(17).RNRRetry(6).MaxRDAtomic(1))
	r.explained("RTS without RNR tries", rts().SQPSN(0).Timeout(17).RetryCnt(6).MaxRDAtomic(1))
	r.explained("RTS without a number", rts().Timeout(17).RetryCnt(6).RNRRetry(6).MaxRDAtomic(1))
	r.explained("RTS without reads", rts().SQPSN(0).Timeout(17).RetryCnt(6).RNRRetry(6))
	r.moved("RTS", r.rts)
	r.works()
}

func patientInit(t *suite.T) *verbs.QPAttr {
	c := patient()
	return c.Init(t.Port().Number())
}

// badValues has values that no device takes. A GID that is not there has errnos of its own.
func badValues(t *suite.T) {
	r := newReady(t)
	cfg := patient()
	r.refused("INIT on port 0", patientInit(t).PortNum(0))
	r.refused("INIT on port 200", patientInit(t).PortNum(200))
	r.moved("INIT", r.init)
	nowhere, _ := r.near.Way(r.far)
	nowhere.IsGlobal, nowhere.SGIDIndex, nowhere.HopLimit = true, 255, 64
	r.refused("RTR from a GID that is not there", cfg.RTR(nowhere, r.mtu, r.far.QP.Num()), syscall.ENODATA, syscall.ENOENT)
	r.refused("RTR with an MTU of code 9", cfg.RTR(r.way, 9, r.far.QP.Num()))
	r.moved("RTR", r.rtr)
	r.moved("RTS", r.rts)
	r.works()
}

// tooLarge asks for one more than the device's limit, of each kind. Providers that count in bytes say ENOMEM.
func tooLarge(t *suite.T) {
	e := must(patient().NewReset(nearPlace(t)))(t)
	attr := must(t.Device().QueryDevice())(t)
	none := func(what string, change func(*verbs.QPInitAttr)) {
		a := suite.OneEach(verbs.QPTypeRC, e.CQ)
		change(&a)
		answers(t, what, errorOf(e.PD.CreateQP(a)), syscall.EINVAL, syscall.ENOMEM)
	}
	none("send requests", func(a *verbs.QPInitAttr) { a.MaxSendWR = uint32(attr.MaxQPWR) + 1 })
	none("receive requests", func(a *verbs.QPInitAttr) { a.MaxRecvWR = uint32(attr.MaxQPWR) + 1 })
	none("send elements", func(a *verbs.QPInitAttr) { a.MaxSendSGE = uint32(attr.MaxSGE) + 1 })
	none("receive elements", func(a *verbs.QPInitAttr) { a.MaxRecvSGE = uint32(attr.MaxSGE) + 1 })
	none("inline bytes", func(a *verbs.QPInitAttr) { a.MaxInlineData = 1 << 20 })
	for _, cqe := range []int{0, -1, int(attr.MaxCQE) + 1} {
		answers(t, "a completion queue of a size out of range", errorOf(t.Device().CreateCQ(cqe, nil, 0)), syscall.EINVAL)
	}
}

// faultAddress are ways to addresses that are no one's. On RoCE the kernel looks for the way when it is given; on InfiniBand nobody
// looks before a packet is lost.
func faultAddress() []suite.Case {
	return []suite.Case{
		fault(90, "address handles of addresses that are no one's", "ibv_create_ah", noOnesHandles, suite.RoCE),
		fault(91, "connections to addresses that are no one's", "ibv_modify_qp", noOnesConnections, suite.RoCE),
		fault(92, "an address handle without a global route", "ibv_create_ah", localHandle, suite.RoCE),
	}
}

// noOnes are addresses that nobody has, with the errnos that may tell so: no route, or nobody answers. One of many is taken.
var noOnes = []struct {
	what  string
	gid   verbs.GID
	taken bool
}{
	{"no address", verbs.GID{}, false},
	{"an address that no route leads to", verbs.GID{0x20, 0x01, 0x0d, 0xb8, 15: 1}, false},
	{"a neighbour's address that nobody has", verbs.GID{0xfe, 0x80, 8: 0x0a, 15: 0x77}, false},
	{"an address of many", verbs.GID{0xff, 0x02, 15: 0x01}, true},
}

// reaches checks what a way to an address ends with.
func reaches(t *suite.T, what string, err error, taken bool) {
	if taken {
		t.OK(what, err)
	} else {
		t.Errno(what, err, syscall.ENETUNREACH, syscall.ETIMEDOUT, syscall.EHOSTUNREACH, syscall.EINVAL)
	}
}

func noOnesHandles(t *suite.T) {
	r := newReady(t)
	for _, a := range noOnes {
		way, _ := r.near.Way(r.far)
		way.DGID = a.gid
		ah, err := r.near.PD.CreateAH(way)
		reaches(t, a.what, err, a.taken)
		if err == nil {
			t.OK("Close", ah.Close())
		}
	}
}

// localHandle asks for a way that is only a LID, which RoCE has none of.
func localHandle(t *suite.T) {
	r := newReady(t)
	ah, err := r.near.PD.CreateAH(verbs.AHAttr{PortNum: t.Port().Number()})
	answers(t, "no global route", err, syscall.EINVAL)
	if err == nil {
		t.OK("Close", ah.Close())
	}
}

func noOnesConnections(t *suite.T) {
	r := newReady(t)
	cfg := patient()
	for _, a := range noOnes {
		r.moved("INIT", r.init)
		way, mtu := r.near.Way(r.far)
		way.DGID = a.gid
		reaches(t, a.what, r.near.QP.Modify(cfg.RTR(way, mtu, r.far.QP.Num())), a.taken)
		r.moved("RESET", verbs.NewQPAttr(verbs.QPStateReset))
	}
	r.moved("INIT", r.init)
	r.moved("RTR", r.rtr)
	r.moved("RTS", r.rts)
	r.works()
}
