package generate

import (
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestOnlyEach generates a package for each bound function alone, in each known release: what the function needs comes
// along, and what comes out parses.
func TestOnlyEach(t *testing.T) {
	sp, err := spec.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range api.Releases() {
		rel, err := api.Load(release)
		if err != nil {
			t.Fatal(err)
		}
		_, all, err := Run(rel, sp, Options{Package: "p"})
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Verbs) < 20 {
			t.Errorf("%s: only %d functions are bound", release, len(all.Verbs))
		}
		if testing.Short() && release != api.Newest() {
			continue
		}
		for _, v := range all.Verbs {
			_, pkg, err := Run(rel, sp, Options{Package: "p", Only: []string{v.C}})
			if err != nil {
				t.Errorf("%s: --only %s: %v", release, v.C, err)
				continue
			}
			for _, o := range pkg.Objects {
				if o.Destroy == nil {
					t.Errorf("%s: --only %s: nothing closes a %s", release, v.C, o.Go)
				}
			}
		}
	}
}
