//go:build linux && cgo

package cases

import (
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

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
			ok(t, "Close", ah.Close())
		}
	}
}

// localHandle asks for a way that is only a LID, which RoCE has none of.
func localHandle(t *suite.T) {
	r := newReady(t)
	ah, err := r.near.PD.CreateAH(verbs.AHAttr{PortNum: t.Port().Number()})
	answers(t, "no global route", err, syscall.EINVAL)
	if err == nil {
		ok(t, "Close", ah.Close())
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
