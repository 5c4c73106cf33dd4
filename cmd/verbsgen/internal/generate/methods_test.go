package generate

import (
	"go/types"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// missingMethods lists the methods of the model that the type-checked package does not have.
func missingMethods(t *testing.T, checked *types.Package, pkg *model.Package) (missing []string) {
	t.Helper()
	seen := 0
	for _, v := range pkg.Verbs {
		for _, m := range v.Methods {
			name := m.Recv + "." + m.Name
			recv, ok := checked.Scope().Lookup(m.Recv).(*types.TypeName)
			if !ok || types.NewMethodSet(types.NewPointer(recv.Type())).Lookup(checked, m.Name) == nil {
				missing = append(missing, name)
				continue
			}
			seen++
		}
	}
	if seen < 20 {
		t.Errorf("only %d methods", seen)
	}
	return missing
}

// TestModulesEach generates each of the project's other modules for one of three releases with other facts, and for one of four bound
// functions alone in the newest release; in a sweep, for each function, in each release with more functions. The packages compile.
func TestModulesEach(t *testing.T) {
	for _, name := range spec.Modules() {
		if name == spec.DefaultModule {
			continue // TestOnlyEach
		}
		sp, err := spec.Embedded(name)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := api.KnownOf(sp.Module.Facts)
		if err != nil {
			t.Fatal(err)
		}
		before, rels := 0, different(t, stored)
		for i, rel := range rels {
			if !sampled(i, 3) && i < len(rels)-1 {
				continue
			}
			_, all, err := Run(rel, sp, Options{Package: "p", Foreign: true})
			if err != nil {
				t.Fatalf("%s %s: %v", name, rel.Release, err)
			}
			if len(all.Verbs) == before {
				continue
			}
			before = len(all.Verbs)
			if !sweep() && i < len(rels)-1 {
				continue
			}
			for n, v := range all.Verbs {
				if !sampled(n, 4) {
					continue
				}
				if _, _, err := Run(rel, sp, Options{Package: "p", Only: []string{v.C}, Foreign: true}); err != nil {
					t.Errorf("%s %s: --only %s: %v", name, rel.Release, v.C, err)
				}
			}
		}
	}
}
