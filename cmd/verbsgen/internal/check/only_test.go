package check

import (
	"encoding/json"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestFewPages judges the cases of every rule with the pages of its verb alone, as explain does: the answers are those of all pages.
func TestFewPages(t *testing.T) {
	for _, module := range spec.Modules() {
		all, err := spec.EmbeddedModule(module)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := api.KnownOf(all.Module.Facts)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := stored.Load(stored.Newest())
		if err != nil {
			t.Fatal(err)
		}
		k, few := New(all, rel), map[string]*Checker{}
		for _, r := range all.Rules() {
			if few[r.Verb] == nil {
				s, err := spec.For(module, r.Verb)
				if err != nil {
					t.Fatal(err)
				}
				few[r.Verb] = New(s, rel)
			}
			for _, c := range []spec.Case{r.Accept, r.Reject} {
				got, err := json.Marshal(few[r.Verb].Evaluate(caseOf(r, c)))
				if err != nil {
					t.Fatal(err)
				}
				if want, _ := json.Marshal(k.Evaluate(caseOf(r, c))); string(got) != string(want) {
					t.Errorf("%s %v: %s, want %s", r.ID, c.Args, got, want)
				}
			}
		}
	}
}
