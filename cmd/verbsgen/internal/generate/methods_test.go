package generate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestMethodsExist type-checks the generated package of each release: it has every method that the model has.
func TestMethodsExist(t *testing.T) {
	sp, err := spec.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	releases := api.Releases()
	if testing.Short() {
		releases = []string{releases[0], api.Newest()}
	}
	for _, release := range releases {
		rel, err := api.Load(release)
		if err != nil {
			t.Fatal(err)
		}
		files, pkg, err := Run(rel, sp, Options{Package: "p", AllowUndecided: true})
		if err != nil {
			t.Fatalf("%s: %v", release, err)
		}
		missing := missingMethods(t, files, pkg)
		if len(missing) > 0 {
			t.Errorf("%s: the generated package has no %s", release, strings.Join(missing, ", "))
		}
		if release == api.Newest() {
			pkg.Verbs[0].Methods = append(pkg.Verbs[0].Methods, &model.Method{Recv: "Lib", Name: "Nothing"})
			if got := missingMethods(t, files, pkg); len(got) != 1 || got[0] != "Lib.Nothing" {
				t.Errorf("a method that nobody made is not missed: %v", got)
			}
		}
	}
}

// missingMethods lists the methods of the model that the type-checked files do not have.
func missingMethods(t *testing.T, files []output.File, pkg *model.Package) (missing []string) {
	t.Helper()
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".go") || f.Name == cgoFile || strings.HasSuffix(f.Name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, f.Name, f.Data, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	conf := types.Config{Importer: nothing{}, Error: func(error) {}} // what it imports is not looked at
	checked, _ := conf.Check(pkg.Name, fset, parsed, nil)
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

// TestModulesEach generates each of the project's other modules for each known release, and for each bound function alone: what comes
// out parses and names nothing that it lacks.
func TestModulesEach(t *testing.T) {
	for _, name := range spec.Modules() {
		if name == spec.DefaultModule {
			continue // TestOnlyEach
		}
		sp, err := spec.EmbeddedModule(name)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := api.KnownOf(sp.Module.Facts)
		if err != nil {
			t.Fatal(err)
		}
		before := 0
		for _, release := range stored.Releases() {
			rel, err := stored.Load(release)
			if err != nil {
				t.Fatal(err)
			}
			files, all, err := Run(rel, sp, Options{Package: "p", Foreign: true})
			if err != nil {
				t.Fatalf("%s %s: %v", name, release, err)
			}
			for _, err := range undefined(t, files) {
				t.Errorf("%s %s: %v", name, release, err)
			}
			if len(all.Verbs) == before {
				continue
			}
			before = len(all.Verbs)
			for _, v := range all.Verbs {
				files, _, err := Run(rel, sp, Options{Package: "p", Only: []string{v.C}, Foreign: true})
				if err != nil {
					t.Errorf("%s %s: --only %s: %v", name, release, v.C, err)
					continue
				}
				for _, err := range undefined(t, files) {
					t.Errorf("%s %s: --only %s: %v", name, release, v.C, err)
				}
			}
		}
	}
}
