package plan

import (
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// TestWritten asks that the files that are written by hand have their verbs' rules checked: before the call by what is planned for
// it, from all that the rules look at, or after a refusal.
func TestWritten(t *testing.T) {
	pkg, p := realPlan(t)
	b := newBuilder(pkg)
	b.written = p.Special
	judged := 0
	for _, v := range pkg.Verbs {
		i := slices.IndexFunc(v.Methods, func(m *model.Method) bool { return m.Form == form.Special })
		if i < 0 || len(v.Inputs()) == 0 || form.Of(v.C, form.Special).Unchecked != "" || len(v.Methods) > 1 && !v.Explained {
			continue // one of several methods leaves the rules to the others
		}
		name := "judge" + v.Go
		if v.Explained {
			name = "refused" + v.Go
		}
		if !b.writtenUses(name) {
			t.Errorf("%s: nothing calls %s", v.C, name)
			continue
		}
		m := find(t, p, v.Methods[i].Recv+"."+name)
		if v.Explained {
			continue
		}
		judged++
		var got []string
		for _, x := range at[Check](m.Steps) {
			for _, e := range append(m.Steps[x].(Check).Inputs, m.Steps[x].(Check).Caps...) {
				got = append(got, e.Name)
			}
		}
		for _, o := range v.Inputs() {
			if !slices.Contains(got, o.Name) {
				t.Errorf("%s: the rules look at %s, and %s does not give it", v.C, o.Name, m.Name)
			}
		}
	}
	if judged == 0 || len(p.Special) < 10 {
		t.Errorf("%d files, and the rules of %d verbs", len(p.Special), judged)
	}
}
