//go:build linux

package cases

import (
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

func lifetime() []suite.Case {
	busy := []string{"VR-ibv_close_device-context-0157", "VR-ibv_dealloc_pd-pd-0147"}
	return []suite.Case{
		of("CF-lif-0001", "closed in the wrong order: refused, and what is open is named", "ibv_alloc_pd", wrongOrder).Ruled(busy...),
		of("CF-lif-0002", "all closed at once, the deepest first", "ibv_open_device", allAtOnce).Ruled(busy...),
		of("CF-lif-0003", "nothing works after Close", "ibv_open_device", afterClose),
		of("CF-lif-0004", "what cannot be destroyed stays open, and can be closed later", "ibv_reg_mr", stuck, suite.Inject),
		of("CF-lif-0005", "a second device does not take a domain of the first", "ibv_alloc_parent_domain", foreign, suite.ParentDomain).Ruled(
			"VR-ibv_alloc_parent_domain-pd-0142"),
	}
}

func wrongOrder(t *suite.T) {
	pd := newPD(t)
	mr := must(pd.RegMR(make([]byte, 64), 0))(t)
	inUse(t, t.Device().Close(), "PD")
	inUse(t, pd.Close(), "MR")
	more := must(pd.RegMR(make([]byte, 64), 0))(t) // a refused Close changes nothing
	for _, close := range []func() error{more.Close, mr.Close, pd.Close, t.Device().Close} {
		ok(t, "Close", close())
	}
}

func allAtOnce(t *suite.T) {
	dev := t.Open()
	pd := must(dev.AllocPD())(t)
	mr := must(pd.RegMR(make([]byte, 64), 0))(t)
	must(dev.AllocPD())(t)
	ok(t, "CloseAll of a domain", pd.CloseAll())
	fails(t, "the region after that", mr.Close(), os.ErrClosed)
	ok(t, "CloseAll", dev.CloseAll())
	fails(t, "CloseAll again", dev.CloseAll(), nil, os.ErrClosed)
}

func afterClose(t *suite.T) {
	dev := t.Open()
	pd := must(dev.AllocPD())(t)
	mr := must(pd.RegMR(make([]byte, 64), 0))(t)
	ok(t, "CloseAll", dev.CloseAll())
	for name, err := range map[string]error{
		"QueryDevice":   errorOf(dev.QueryDevice()),
		"QueryDeviceEx": errorOf(dev.QueryDeviceEx()),
		"QueryPort":     errorOf(dev.QueryPort(1)),
		"AllocPD":       errorOf(dev.AllocPD()),
		"AllocTD":       errorOf(dev.AllocTD()),
		"AllocDM":       errorOf(dev.AllocDM(verbs.NewAllocDMAttr(64))),
		"RegMR":         errorOf(pd.RegMR(make([]byte, 64), 0)),
		"AllocNullMR":   errorOf(pd.AllocNullMR()),
		"Rereg":         mr.Rereg(new(verbs.MRChange).Access(0)),
		"Close of a PD": pd.Close(),
		"Close of a MR": mr.Close(),
	} {
		fails(t, name, err, os.ErrClosed)
	}
}

func stuck(t *suite.T) {
	dev := t.Open()
	pd := must(dev.AllocPD())(t)
	mr := must(pd.RegMR(make([]byte, 64), 0))(t)
	ok(t, "Fail", t.Soft().Fail("ibv_dereg_mr", 1, syscall.EIO))
	fails(t, "CloseAll", dev.CloseAll(), syscall.EIO)
	fails(t, "Close of the domain", pd.Close(), syscall.EBUSY)
	ok(t, "Close", mr.Close())
	ok(t, "CloseAll", dev.CloseAll())
}

func foreign(t *suite.T) {
	pd := newPD(t)
	failsAs(t, "a domain of another context", errorOf(t.Open().AllocParentDomain(verbs.NewParentDomainAttr(pd))), syscall.EINVAL)
}
