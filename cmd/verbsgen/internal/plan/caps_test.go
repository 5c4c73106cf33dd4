package plan

import (
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
)

// TestCapabilities asks which file a package gets for the capabilities of its device. Without the query of all of them it gets the one that
// knows only what the program asked for and never notices that a device is gone; without rules on capabilities it gets none.
func TestCapabilities(t *testing.T) {
	pkg, _ := realPlan(t)
	files := func(pkg *model.Package) (out []string) {
		p, err := Of(pkg)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range p.Special {
			if slices.ContainsFunc(f.Methods, func(m string) bool { return m == "Device."+capsFunc || m == "Device."+goneFunc }) {
				out = append(out, f.Name)
			}
		}
		return out
	}
	if got := files(pkg); !slices.Equal(got, []string{"device_caps.go"}) {
		t.Errorf("with a query: %q", got)
	}
	less := *pkg
	less.Verbs = slices.DeleteFunc(slices.Clone(pkg.Verbs), func(v *model.Verb) bool { return v.C == "ibv_query_device_ex" })
	if got := files(&less); !slices.Equal(got, []string{"device_nocaps.go"}) {
		t.Errorf("without a query: %q", got)
	}
	for _, v := range pkg.Verbs {
		rules := v.Rules
		v.Rules = nil
		defer func() { v.Rules = rules }()
	}
	if got := files(pkg); got != nil {
		t.Errorf("without rules: %q", got)
	}
}

// TestNoCapabilities plans packages whose rules need capabilities, or that have regions or memory, where no file has the methods for them.
func TestNoCapabilities(t *testing.T) {
	pkg, _ := realPlan(t)
	b := newBuilder(pkg)
	b.written = []*special.File{{}}
	for _, o := range pkg.Objects {
		before := len(b.errs)
		b.handle(o)
		if want := o == pkg.Root || o.Region != nil || o.Host || o.Device; want != (len(b.errs) > before) {
			t.Errorf("%s: errors %v", o.Go, b.errs[before:])
		}
	}
}
