//go:build linux && cgo

package recording

import (
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// without is the library less one function.
type without struct {
	*Library
	function string
}

func (w without) Symbol(name, version string) uintptr {
	if name == w.function {
		return 0
	}
	return w.Library.Symbol(name, version)
}

// TestOptionalAccess registers memory with a library that lacks ibv_reg_mr_iova2: the older functions get no optional bits.
func TestOptionalAccess(t *testing.T) {
	b := open(t)
	lib := must(verbs.LoadFrom(without{b.rec, "ibv_reg_mr_iova2"}))(t)
	b.rec.Fill("", Own, All)
	dev := must(lib.OpenDevice(must(lib.Devices())(t)[0].Name))(t)
	t.Cleanup(func() {
		if err := dev.CloseAll(); err != nil {
			t.Error(err)
		}
	})
	pd := must(dev.AllocPD())(t)
	buf := b.memory.buffer(t)
	const access = verbs.MRAccessLocalWrite | verbs.MRAccessRemoteRead
	for verb, register := range map[string]func() (*verbs.MR, error){
		"ibv_reg_mr":      func() (*verbs.MR, error) { return pd.RegMRFrom(buf, access|verbs.MRAccessRelaxedOrdering) },
		"ibv_reg_mr_iova": func() (*verbs.MR, error) { return pd.RegMRIOVAFrom(buf, 0, access|verbs.MRAccessRelaxedOrdering) },
	} {
		must(register())(t)
		if got, want := b.last(verb).In["access"], fmt.Sprint(int(access)); got != want {
			t.Errorf("%s gets the access flags %s, not %s", verb, got, want)
		}
	}
}

// TestContextCut gives a context that ends with an operation, and one that ends before it.
func TestContextCut(t *testing.T) {
	b := open(t)
	context := b.facts.Record("struct verbs_context")
	at := func(field string) uint64 {
		for _, f := range context.Fields {
			if f.Name == field {
				return uint64(f.Offset)
			}
		}
		t.Fatalf("struct verbs_context has no %s", field)
		return 0
	}
	size := (*uint64)(pointer(uintptr(b.devAt - at("context") + at("sz"))))
	whole := *size
	defer func() { *size = whole }()
	for _, c := range []struct {
		op   string
		call func() error
	}{
		{"alloc_dm", func() error { _, err := b.dev.AllocDM(verbs.NewAllocDMAttr(64)); return err }},
		{"alloc_td", func() error { _, err := b.dev.AllocTD(); return err }},
		{"create_counters", func() error { _, err := b.dev.CreateCounters(); return err }},
	} {
		last := uint64(context.Size) - at(c.op)
		*size = last
		if err := c.call(); err != nil {
			t.Errorf("a context that ends with %s: %v", c.op, err)
		}
		*size = last - uint64(unsafe.Sizeof(uintptr(0)))
		if err := c.call(); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("a context that ends before %s: %v", c.op, err)
		}
	}
}
