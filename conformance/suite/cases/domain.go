//go:build linux

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
			ok(t, "Close", td.Close())
			fails(t, "second Close", td.Close(), os.ErrClosed)
		}, suite.TD).Ruled("VR-ibv_alloc_td-init_attr-0151", "VR-ibv_dealloc_td-td-0153"),
	}
}

func twoDomains(t *suite.T) {
	a, b := newPD(t), newPD(t)
	if a.Handle() == b.Handle() || a.Device() != t.Device() || a.Parent() != nil {
		t.Errorf("handles %d and %d, parent %v", a.Handle(), b.Handle(), a.Parent())
	}
	ok(t, "Close", a.Close())
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
		ok(t, "Close", pd.Close())
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
	ok(t, "Close of the region", mr.Close())
	ok(t, "Close of the import", first.Close())
	second := must(other.ImportPD(pd.Handle()))(t)
	ok(t, "Unimport", second.Unimport())
	fails(t, "second Unimport", second.Unimport(), os.ErrClosed)
	must(pd.RegMR(make([]byte, 64), 0))(t)
	failsAs(t, "a handle that is none", errorOf(other.ImportPD(math.MaxUint32)), syscall.ENOENT, syscall.EINVAL)
}

func domainFreedElsewhere(t *suite.T) {
	pd := newPD(t)
	imported := must(importer(t).ImportPD(pd.Handle()))(t)
	ok(t, "Destroy of the import", imported.Destroy())
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
	ok(t, "Unimport of the original", original.Unimport())
}
