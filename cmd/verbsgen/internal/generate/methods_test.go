package generate

import (
	"go/types"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestMissingMethods has a method that nobody made.
func TestMissingMethods(t *testing.T) {
	sp, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	rel, err := api.Load(api.Newest())
	if err != nil {
		t.Fatal(err)
	}
	files, pkg, err := Run(rel, sp, Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	checked, err := compiles(files, pkg, sp)
	if err != nil {
		t.Fatal(err)
	}
	pkg.Verbs[0].Methods = append(pkg.Verbs[0].Methods, &model.Method{Recv: "Lib", Name: "Nothing"})
	if got := missingMethods(t, checked, pkg); len(got) != 1 || got[0] != "Lib.Nothing" {
		t.Errorf("got %v", got)
	}
}

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

// TestModulesEach generates each of the project's other modules for each release with other facts, and for each bound function alone in the
// newest release; in a sweep, in each release with more functions. The packages compile.
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
			for _, v := range all.Verbs {
				if _, _, err := Run(rel, sp, Options{Package: "p", Only: []string{v.C}, Foreign: true}); err != nil {
					t.Errorf("%s %s: --only %s: %v", name, rel.Release, v.C, err)
				}
			}
		}
	}
}
