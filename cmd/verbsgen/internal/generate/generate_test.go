package generate

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestOnlyEach generates a package for each bound function alone, in the first release that has it and in the newest: what the function
// needs comes along, and what comes out parses and names nothing that it lacks; nor does the package of all functions, in each release.
func TestOnlyEach(t *testing.T) {
	sp, err := spec.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	before := map[string]bool{}
	for _, release := range api.Releases() {
		rel, err := api.Load(release)
		if err != nil {
			t.Fatal(err)
		}
		files, all, err := Run(rel, sp, Options{Package: "p", Foreign: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(all.Verbs) < 40 {
			t.Errorf("%s: only %d functions are bound", release, len(all.Verbs))
		}
		for _, err := range undefined(t, files) {
			t.Errorf("%s: %v", release, err)
		}
		for _, v := range all.Verbs {
			if release != api.Newest() && (before[v.C] || testing.Short()) {
				continue
			}
			before[v.C] = true
			files, pkg, err := Run(rel, sp, Options{Package: "p", Only: []string{v.C}, Foreign: true})
			if err != nil {
				t.Errorf("%s: --only %s: %v", release, v.C, err)
				continue
			}
			for _, err := range undefined(t, files) {
				t.Errorf("%s: --only %s: %v", release, v.C, err)
			}
			for _, o := range pkg.Objects {
				if o.Destroy == nil {
					t.Errorf("%s: --only %s: nothing closes a %s", release, v.C, o.Go)
				}
			}
		}
	}
}

// TestMadeWith binds the functions of the header from the last to the first: what an object was made with is in a record that a
// verb which makes it
// takes, and never in one of a verb that changes or asks it, whichever comes first.
func TestMadeWith(t *testing.T) {
	sp, err := spec.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	rel, err := api.Load(api.Newest())
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"in order", "from the last"} {
		pkg, err := join(rel, rel, sp, Options{Package: "p"})
		if err != nil {
			t.Fatal(err)
		}
		looked := 0
		for _, o := range pkg.Objects {
			if o.Made == nil {
				continue
			}
			looked++
			if !slices.ContainsFunc(pkg.Verbs, func(v *model.Verb) bool {
				return v.Creates == o && slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.Taken() == o.Made })
			}) {
				t.Errorf("%s: %s is made with no %s", way, o.Go, o.Made.Go)
			}
		}
		if looked == 0 {
			t.Errorf("%s: no rule looks at what an object was made with", way)
		}
		slices.Reverse(rel.Functions)
	}
}

// undefined gives the names that files, as they are built without cgo, use and nobody declares. Nothing is imported, so what is said of
// other packages does not count.
func undefined(t *testing.T, files []output.File) (errs []error) {
	t.Helper()
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".go") || f.Name == "raw.gen.go" {
			continue
		}
		file, err := parser.ParseFile(fset, f.Name, f.Data, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	conf := types.Config{Importer: noImports{}, Error: func(err error) {
		if strings.Contains(err.Error(), "undefined: ") {
			errs = append(errs, err)
		}
	}}
	conf.Check("p", fset, parsed, nil)
	return errs
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) {
	return nil, errors.New("nothing is imported")
}

// TestWithoutEach leaves one function out of the newest release, as an older release does: what comes out names nothing that
// only comes with it, or generate says what is wrong.
func TestWithoutEach(t *testing.T) {
	sp, err := spec.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	rel, err := api.Load(api.Newest())
	if err != nil {
		t.Fatal(err)
	}
	_, all, err := Run(rel, sp, Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all.Verbs {
		if testing.Short() && v.C != "ibv_get_device_index" {
			continue
		}
		older := *rel
		older.Functions = slices.DeleteFunc(slices.Clone(rel.Functions), func(f api.Function) bool { return f.Name == v.C })
		files, _, err := Run(&older, sp, Options{Package: "p"})
		if err != nil && v.C == "ibv_get_device_index" {
			t.Errorf("without %s: %v", v.C, err)
		}
		for _, err := range undefined(t, files) {
			t.Errorf("without %s: %v", v.C, err)
		}
	}
}
