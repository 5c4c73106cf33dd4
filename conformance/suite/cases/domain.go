//go:build linux && cgo

package cases

import (
	"math"
	"os"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

func domain() []suite.Case {
	return []suite.Case{
		of("CF-pd-0001", "two protection domains, each with a handle", "ibv_alloc_pd", twoDomains).Ruled(
			"VR-ibv_alloc_pd-context-0145", "VR-ibv_dealloc_pd-pd-0146"),
		of("CF-pd-0002", "a hundred protection domains", "ibv_alloc_pd", manyDomains),
		of("CF-pd-0003", "a nil or zero domain is an error", "ibv_alloc_pd", noDomain),
		of("CF-pd-0004", "imported, used, and given up", "ibv_import_pd", domainImport, suite.Import).Ruled(
			"VR-ibv_import_pd-context-3001", "VR-ibv_unimport_pd-pd-3002"),
		of("CF-pd-0005", "deallocated through an import", "ibv_import_pd", domainFreedElsewhere, suite.Import),
		of("CF-td-0001", "a thread domain", "ibv_alloc_td", func(t *suite.T) {
			td := newTD(t)
			t.OK("Close", td.Close())
			fails(t, "second Close", td.Close(), os.ErrClosed)
		}, suite.TD).Ruled("VR-ibv_alloc_td-init_attr-0151", "VR-ibv_dealloc_td-td-0153"),
	}
}

func twoDomains(t *suite.T) {
	a, b := newPD(t), newPD(t)
	if a.Handle() == b.Handle() || a.Device() != t.Device() || a.Parent() != nil {
		t.Errorf("handles %d and %d, parent %v", a.Handle(), b.Handle(), a.Parent())
	}
	t.OK("Close", a.Close())
	fails(t, "second Close", a.Close(), os.ErrClosed)
	fails(t, "RegMR after Close", errorOf(a.RegMR(make([]byte, 64), 0)), os.ErrClosed)
	must(b.RegMR(make([]byte, 64), 0))(t)
}

func manyDomains(t *suite.T) {
	seen := map[uint32]bool{}
	var list []*verbs.PD
	for range 100 {
		pd := newPD(t)
		if seen[pd.Handle()] {
			t.Errorf("handle %d comes twice", pd.Handle())
		}
		seen[pd.Handle()] = true
		list = append(list, pd)
	}
	for _, pd := range list {
		t.OK("Close", pd.Close())
	}
}

func noDomain(t *suite.T) {
	for name, pd := range map[string]*verbs.PD{"nil": nil, "zero": new(verbs.PD)} {
		if _, err := pd.RegMR(make([]byte, 64), 0); err == nil || !strings.HasPrefix(err.Error(), "ibv_reg_mr: ") {
			t.Errorf("%s domain: %v", name, err)
		}
		if err := pd.Close(); err == nil {
			t.Errorf("%s domain: closed", name)
		}
	}
}

func domainImport(t *suite.T) {
	pd, other := newPD(t), importer(t)
	first := must(other.ImportPD(pd.Handle()))(t)
	if first.Handle() != pd.Handle() || first.Device() != other {
		t.Errorf("handle %d through the import, %d here, or another device", first.Handle(), pd.Handle())
	}
	mr := must(first.RegMR(make([]byte, 64), 0))(t)
	fails(t, "Close with a region open", first.Close(), syscall.EBUSY)
	fails(t, "Unimport with a region open", first.Unimport(), syscall.EBUSY)
	t.OK("Close of the region", mr.Close())
	t.OK("Close of the import", first.Close())
	second := must(other.ImportPD(pd.Handle()))(t)
	t.OK("Unimport", second.Unimport())
	fails(t, "second Unimport", second.Unimport(), os.ErrClosed)
	must(pd.RegMR(make([]byte, 64), 0))(t)
	failsAs(t, "a handle that is none", errorOf(other.ImportPD(math.MaxUint32)), syscall.ENOENT, syscall.EINVAL)
}

func domainFreedElsewhere(t *suite.T) {
	pd := newPD(t)
	imported := must(importer(t).ImportPD(pd.Handle()))(t)
	t.OK("Destroy of the import", imported.Destroy())
	fails(t, "Close of the import after that", imported.Close(), os.ErrClosed)
	giveUp(t, pd)
}

// giveUp gives an object up whose kernel object was destroyed through an import.
func giveUp(t *suite.T, original interface {
	Close() error
	Unimport() error
}) {
	err := original.Close()
	if t.Saw("Close of the original", err); err == nil {
		t.Errorf("the original is closed, though the kernel has it no more")
	}
	t.OK("Unimport of the original", original.Unimport())
}

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
		t.OK("Close", close())
	}
}

func allAtOnce(t *suite.T) {
	dev := t.Open()
	pd := must(dev.AllocPD())(t)
	mr := must(pd.RegMR(make([]byte, 64), 0))(t)
	must(dev.AllocPD())(t)
	t.OK("CloseAll of a domain", pd.CloseAll())
	fails(t, "the region after that", mr.Close(), os.ErrClosed)
	t.OK("CloseAll", dev.CloseAll())
	fails(t, "CloseAll again", dev.CloseAll(), nil, os.ErrClosed)
}

func afterClose(t *suite.T) {
	dev := t.Open()
	pd := must(dev.AllocPD())(t)
	mr := must(pd.RegMR(make([]byte, 64), 0))(t)
	t.OK("CloseAll", dev.CloseAll())
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
	t.OK("Fail", t.Soft().Fail("ibv_dereg_mr", 1, syscall.EIO))
	fails(t, "CloseAll", dev.CloseAll(), syscall.EIO)
	fails(t, "Close of the domain", pd.Close(), syscall.EBUSY)
	t.OK("Close", mr.Close())
	t.OK("CloseAll", dev.CloseAll())
}

func foreign(t *suite.T) {
	pd := newPD(t)
	failsAs(t, "a domain of another context", errorOf(t.Open().AllocParentDomain(verbs.NewParentDomainAttr(pd))), syscall.EINVAL)
}
