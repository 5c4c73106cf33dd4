//go:build linux

package cases

import (
	"os"
	"strings"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

func domain() []suite.Case {
	return []suite.Case{
		{ID: "CF-pd-0001", Family: "domain", Title: "two protection domains, each with a handle", Page: "ibv_alloc_pd",
			Rules: []string{"VR-ibv_alloc_pd-context-0145", "VR-ibv_dealloc_pd-pd-0146"}, Run: twoDomains},
		{ID: "CF-pd-0002", Family: "domain", Title: "a hundred protection domains", Page: "ibv_alloc_pd", Run: manyDomains},
		{ID: "CF-pd-0003", Family: "domain", Title: "a nil or zero domain is an error", Page: "ibv_alloc_pd", Run: noDomain},
		{ID: "CF-pd-0004", Family: "domain", Title: "imported, used, and given up", Page: "ibv_import_pd",
			Rules: []string{"VR-ibv_import_pd-context-3001", "VR-ibv_unimport_pd-pd-3002"}, Needs: needs(suite.Import), Run: domainImport},
		{ID: "CF-pd-0005", Family: "domain", Title: "deallocated through an import", Page: "ibv_import_pd", Needs: needs(suite.Import),
			Run: domainFreedElsewhere},
		{ID: "CF-td-0001", Family: "domain", Title: "a thread domain", Page: "ibv_alloc_td",
			Rules: []string{"VR-ibv_alloc_td-init_attr-0151", "VR-ibv_dealloc_td-td-0153"},
			Needs: needs(suite.TD), Run: func(t *suite.T) {
				td := must(t.Device().AllocTD())(t)
				ok(t, "Close", td.Close())
				fails(t, "second Close", td.Close(), os.ErrClosed)
			}},
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
