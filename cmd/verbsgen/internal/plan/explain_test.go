package plan

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"slices"
	"strings"
	"testing"
)

// TestExplained asks that all that the rules of refused requests look at is filled in once: by the request, or by what is seen of its
// queue pair when the device is asked; and that it is forgotten before the query what may have changed.
func TestExplained(t *testing.T) {
	pkg, p := realPlan(t)
	helpers := map[string]*Method{}
	for _, m := range methods(p) {
		helpers[m.Name] = m
	}
	explained := 0
	for _, v := range pkg.Verbs {
		if !v.Explained {
			continue
		}
		explained++
		refused, see := helpers["refused"+v.Go], helpers["see"+v.Go]
		queries := 1
		if see == nil && !slices.ContainsFunc(v.Inputs(), func(o model.Operand) bool { return o.Kind != model.OpField }) {
			see = &Method{} // nothing of the object is looked at
		}
		if v.Part(form.PartQuery) == nil || len(see.Steps) == 0 {
			queries = 0
		}
		if refused == nil || see == nil {
			t.Errorf("%s: nothing explains a refused request", v.C)
			continue
		}
		var want, got, forgotten, read []string
		for _, o := range v.Inputs() {
			want = append(want, o.Name)
			if o.CField != "" {
				read = append(read, "in."+o.Name)
			}
		}
		for _, s := range flat(refused.Steps) {
			if d, ok := s.(Assign); ok && d.Op == ":=" && d.To[0] == "in" {
				for _, x := range d.Values[0].With {
					got = append(got, x.Name)
				}
			}
		}
		calls := 0
		for _, s := range flat(see.Steps) {
			switch s := s.(type) {
			case Call:
				calls++
			case Assign:
				if s.Op != "=" {
					continue
				}
				name := s.To[0]
				if s.Values[0].As == Composite {
					if calls > 0 {
						t.Errorf("%s: %s is forgotten after the query", v.C, name)
					}
					forgotten = append(forgotten, name)
					continue
				}
				got = append(got, strings.TrimPrefix(name, "in."))
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || calls != queries {
			t.Errorf("%s: the rules look at %v, and are given %v by %d queries", v.C, want, got, calls)
		}
		if slices.Sort(forgotten); !slices.Equal(forgotten, sorted(read)) {
			t.Errorf("%s: %v are forgotten, and %v are read from the C object", v.C, forgotten, read)
		}
	}
	if explained != 5 {
		t.Errorf("%d verbs whose refusals are explained, want 5", explained)
	}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}
