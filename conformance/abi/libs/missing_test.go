//go:build linux && cgo

package libs

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/spec/api"
)

// reaching calls the verb that needs a function, by the function's name, where that takes more than numbers and the objects of a bed;
// only of functions that some supported release lacks.
var reaching = map[string]func(b *bed) error{
	"ibv_unimport_dm": func(b *bed) error {
		dm, err := b.dev.AllocDM(verbs.NewAllocDMAttr(64))
		if err != nil {
			return err
		}
		return dm.Unimport()
	},
	"ibv_unimport_pd": func(b *bed) error {
		pd, err := b.dev.AllocPD()
		if err != nil {
			return err
		}
		return pd.Unimport()
	},
	"ibv_unimport_mr": func(b *bed) error {
		mr, err := b.pd.RegMR(make([]byte, 64), 0)
		if err != nil {
			return err
		}
		return mr.Unimport()
	},
	"ibv_reg_mr_ex":             func(b *bed) error { return only(b.pd.RegMREx(verbs.NewMRInitAttr(64, 0).Memory(mem.Addr(0x1000, 64)))) },
	"ibv_alloc_dmah":            func(b *bed) error { return only(b.dev.AllocDMAH(verbs.NewDMAHInitAttr(0))) },
	"_ibv_query_gid_ex":         func(b *bed) error { return only(b.dev.QueryGIDEx(1, 0)) },
	"_ibv_query_gid_table":      func(b *bed) error { return only(b.dev.QueryGIDTable(make([]verbs.GIDEntry, 1))) },
	"_ibv_query_comp_cntr_caps": func(b *bed) error { return only(b.dev.QueryCompCntrCaps()) },
	"ibv_create_comp_cntr":      func(b *bed) error { return only(b.dev.CreateCompCntr(verbs.NewCompCntrInitAttr(0))) },
	"ibv_dm_export_dmabuf_fd": func(b *bed) error {
		dm, err := b.dev.AllocDM(verbs.NewAllocDMAttr(64))
		if err != nil {
			return err
		}
		return only(dm.ExportDMABufFD())
	},
	"ibv_get_device_index": func(b *bed) error { // the one that has an answer without the function
		list, err := b.lib.Devices()
		if err == nil && list[0].Index == -1 {
			err = errNoIndex
		}
		return err
	},
}

var errNoIndex = errors.New("no index")

// part is a device made of software without the functions that a real library lacks, under the name of that library.
type part struct {
	soft *softverbs.Device
	real *dl.Library
}

func (p part) Symbol(name, version string) uintptr {
	if p.real.Symbol(name, version) == 0 {
		return 0
	}
	return p.soft.Symbol(name, version)
}

func (p part) String() string { return p.real.String() }

// bed is an open device with a protection domain.
type bed struct {
	lib *verbs.Lib
	dev *verbs.Device
	pd  *verbs.PD
}

// open opens the first device.
func open(t *testing.T, from verbs.Symbols) *bed {
	t.Helper()
	b := &bed{}
	var err error
	if b.lib, err = verbs.LoadFrom(from); err != nil {
		t.Fatal(err)
	}
	list, err := b.lib.Devices()
	if err != nil || len(list) != 1 {
		t.Fatalf("Devices = %v, %v", list, err)
	}
	if b.dev, err = b.lib.OpenDevice(list[0].Name); err != nil {
		t.Fatal(err)
	}
	if b.pd, err = b.dev.AllocPD(); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestMissing calls every verb whose function the library lacks: the error names the function, the release that brought
// it and the library. There is no device here, so the device is one of software that has just what the library has.
func TestMissing(t *testing.T) {
	lib := library(t)
	release := facts(t, lib)
	since, err := api.Since()
	if err != nil {
		t.Fatal(err)
	}
	soft := softverbs.New(softverbs.NetRaw())
	defer soft.Close()
	if err := soft.Err(); err != nil {
		t.Fatal(err)
	}
	b := &beds{bed: open(t, part{soft, lib})}
	if b.cq, err = b.dev.CreateCQ(4, nil, 0); err != nil {
		t.Fatal(err)
	}
	attr := verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: b.cq, RecvCQ: b.cq, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1}
	if b.qp, err = b.pd.CreateQP(attr); err != nil {
		t.Fatal(err)
	}
	sp := pages(t)
	all := lacking(t, release)
	for _, m := range all {
		call, v := reaching[m.name], sp.VerbByC(m.name)
		switch {
		case call != nil:
		case v == nil:
			t.Errorf("%s is not in %s, and no page has it; add a call of it to reaching", m.name, release.Release)
			continue
		case unmade(sp, b, v, all):
			continue
		default:
			call = func(*bed) error { return b.derived(v) }
		}
		err := call(b.bed)
		if err == errNoIndex {
			continue
		}
		for _, want := range []string{m.name, "rdma-core " + since[m.name] + ";", lib.String()} {
			if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: no %q in: %v", m.name, want, err)
			}
		}
		if api.Compare(since[m.name], release.Release) <= 0 {
			t.Errorf("%s came with %s, and %s lacks it", m.name, since[m.name], release.Release)
		}
	}
}

// TestReachingKnown holds reaching against the bindings: no entry for what is not bound.
func TestReachingKnown(t *testing.T) {
	all := allBound(t)
	for name := range reaching {
		if !slices.ContainsFunc(all, func(b bound) bool { return b.name == name }) {
			t.Errorf("%s is not bound", name)
		}
	}
}
