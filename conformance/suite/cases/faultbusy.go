//go:build linux && cgo

package cases

import (
	"errors"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// faultBusy destroys what is still in use. The bindings refuse it and name what is open; so does the kernel, without them.
func faultBusy() []suite.Case {
	return []suite.Case{
		fault(70, "a protection domain with a queue pair and a region is not closed", "ibv_alloc_pd",
			busy(func(e *link.End) error { return e.PD.Close() }, "QP", "MR")).Ruled(
			"VR-ibv_dealloc_pd-pd-0143", "VR-ibv_dealloc_pd-pd-0147"),
		fault(71, "a completion queue with a queue pair is not closed", "ibv_create_cq",
			busy(func(e *link.End) error { return e.CQ.Close() }, "QP")).Ruled("VR-ibv_destroy_cq-qps-0284"),
		fault(72, "a channel with a completion queue is not closed", "ibv_create_comp_channel",
			busy(func(e *link.End) error { return e.Ch.Close() }, "CQ")).Ruled("VR-ibv_destroy_comp_channel-cqs-0287"),
		fault(73, "a protection domain with an address handle is not closed", "ibv_create_ah", busyAH).Ruled("VR-ibv_dealloc_pd-pd-0143"),
		fault(74, "a device with a connection is not closed", "ibv_open_device",
			busy(func(e *link.End) error { return e.PD.Device().Close() }, "PD", "CQ")).Ruled("VR-ibv_close_device-context-0157"),
		fault(75, "the library refuses the same without the bindings", "ibv_create_qp", busyDirect).Ruled(
			"VR-ibv_destroy_comp_channel-cqs-0287", "VR-ibv_destroy_cq-qps-0284", "VR-ibv_dealloc_pd-pd-0143", "VR-ibv_dealloc_pd-pd-0147"),
	}
}

// busy closes something that the connection needs, which goes on working.
func busy(close func(*link.End) error, open ...string) func(*suite.T) {
	return func(t *suite.T) {
		p := connect(t, patient())
		inUse(t, close(p.near), open...)
		signaledWrite(p, 0, 1)
		p.one("a write after that", verbs.WCStatusSuccess)
		t.OK("Close of the near end", p.near.Close())
		t.OK("Close of the far end", p.far.Close())
	}
}

// inUse checks that a Close was refused for what is open.
func inUse(t *suite.T, err error, open ...string) {
	if !errors.Is(err, syscall.EBUSY) {
		t.Fatalf("Close: %v, want EBUSY", err)
	}
	names(t, "Close", err, open...)
}

func busyAH(t *suite.T) {
	cfg := patient()
	e := must(cfg.NewEnd(nearPlace(t)))(t)
	way, _ := e.Way(e)
	pd := must(t.Device().AllocPD())(t)
	ah := must(pd.CreateAH(way))(t)
	inUse(t, pd.Close(), "AH")
	t.OK("Close of the handle", ah.Close())
	t.OK("Close of the domain", pd.Close())
}

func busyDirect(t *suite.T) {
	b := without(t).Busy(buffer(t, page).Addr())
	for _, c := range []struct {
		what      string
		got, want syscall.Errno
	}{
		{"making all", b.Made, 0}, {"a channel with a completion queue", b.Channel, syscall.EBUSY},
		{"a completion queue with a queue pair", b.CQ, syscall.EBUSY},
		{"a protection domain with a queue pair and a region", b.PD, syscall.EBUSY},
		{"a protection domain with a region", b.PDOfMR, syscall.EBUSY}, {"destroying all in order", b.Rest, 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.what, suite.AnswerErrno(c.got), suite.AnswerErrno(c.want))
		}
	}
}
