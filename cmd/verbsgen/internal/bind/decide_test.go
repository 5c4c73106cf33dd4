package bind

import (
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestDecided holds the embedded pages to the promise: in every known release each declaration is bound, skipped with
// a reason, or pending, and only one of them.
func TestDecided(t *testing.T) {
	sp, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	pending := map[string]bool{}
	for _, p := range sp.Pending {
		pending[p.C] = true
	}
	for _, release := range api.Releases() {
		rel, err := api.Load(release)
		if err != nil {
			t.Fatal(err)
		}
		d := Decide(rel, sp)
		if err := d.UndecidedErr(); err != nil {
			t.Errorf("%s: %v", release, err)
		}
		bound := 0
		for _, s := range slices.Concat(d.Functions, d.Records, d.Enums, d.Macros) {
			switch s.Status {
			case Bound, Skipped:
				if bound++; pending[s.Name] {
					t.Errorf("%s: %s is %s, and pending too", release, s.Name, s.Status)
				}
				if s.Status == Skipped && s.Reason == "" {
					t.Errorf("%s: %s is skipped without a reason", release, s.Name)
				}
			}
		}
		if bound < 50 {
			t.Errorf("%s: only %d declarations are bound or skipped", release, bound)
		}
	}
}
