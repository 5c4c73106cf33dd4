package spec

import (
	"reflect"
	"slices"
	"testing"
)

// TestFor loads the pages for one verb at a time: it has the same rules, verb, types and statements as among all pages.
func TestFor(t *testing.T) {
	for _, module := range Modules() {
		all, err := EmbeddedModule(module)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all.Pages {
			for i := range p.Verbs {
				c := p.Verbs[i].C
				t.Run(c, func(t *testing.T) {
					some, err := For(module, c)
					if err != nil {
						t.Fatal(err)
					}
					sameFor(t, some, all, c)
				})
			}
			for _, k := range p.Skip {
				if some, err := For(module, k.C); err != nil || some.SkipByC(k.C) == nil || len(all.Pages) > 2 && len(some.Pages) == len(all.Pages) {
					t.Errorf("%s: not found among few pages: %v", k.C, err)
				}
			}
		}
	}
}

// sameFor compares what two sets of pages say of a verb.
func sameFor(t *testing.T, some, all *Spec, verb string) {
	if len(all.Pages) > 4 && len(some.Pages) > len(all.Pages)/2 {
		t.Errorf("%d of %d pages are loaded", len(some.Pages), len(all.Pages))
	}
	v := some.VerbByC(verb)
	if !reflect.DeepEqual(v, all.VerbByC(verb)) {
		t.Errorf("the verb differs")
	}
	if !reflect.DeepEqual(some.RulesOf(verb), all.RulesOf(verb)) {
		t.Errorf("%d rules, want %d, or they differ", len(some.RulesOf(verb)), len(all.RulesOf(verb)))
	}
	if !reflect.DeepEqual(some.NotesOf(verb), all.NotesOf(verb)) {
		t.Error("the notes differ")
	}
	for _, p := range v.Params {
		if got, want := some.RecordByGo(p.Type), all.RecordByGo(p.Type); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: record %s differs", p.C, p.Type)
		} else if got != nil {
			for _, f := range got.Fields {
				sameType(t, some, all, f.Type)
			}
		}
		sameType(t, some, all, p.Type)
	}
	left := func(s *Spec) (out []LeftOut) {
		for _, p := range s.Pages {
			for _, l := range p.LeftOut {
				if l.Verb == verb {
					out = append(out, l)
				}
			}
		}
		return out
	}
	if !reflect.DeepEqual(left(some), left(all)) {
		t.Error("what is left out differs")
	}
}

func sameType(t *testing.T, some, all *Spec, name string) {
	if !reflect.DeepEqual(some.FlagByGo(name), all.FlagByGo(name)) || !reflect.DeepEqual(some.EnumByGo(name), all.EnumByGo(name)) {
		t.Errorf("type %s differs", name)
	}
}

// TestForUnknown loads all pages for a function that none has, so that a similar name is found, and what several verbs need.
func TestForUnknown(t *testing.T) {
	all, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, verbs := range [][]string{{"ibv_reg_mrx"}, {"ibv_reg_mr", "no_such"}, {""}} {
		if some, err := For("", verbs...); err != nil || len(some.Pages) != len(all.Pages) {
			t.Errorf("%q: not all pages: %v", verbs, err)
		}
	}
	some, err := For("", "ibv_reg_mr", "ibv_query_port")
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"ibv_reg_mr", "ibv_query_port"} {
		sameFor(t, some, all, verb)
	}
	if _, err := For("nothing", "ibv_reg_mr"); err == nil {
		t.Error("a module that there is not is loaded")
	}
	if !slices.ContainsFunc(some.Pending, func(p Pending) bool { return p.C != "" }) && len(all.Pending) > 0 {
		t.Error("pending.yaml is not loaded")
	}
}
