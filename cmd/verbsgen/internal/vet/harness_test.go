package vet

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/explain"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// module is one of the project's own modules, with the types of its generated package.
type module struct {
	path  string
	spec  *spec.Spec
	facts *spec.Facts
	model *model.Package
	bind  *bindings
	types *types.Package
}

// imported are the types of the packages that the tests' programs import, by path.
var imported = sync.OnceValues(func() (map[string]*types.Package, error) {
	list, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps |
		packages.NeedExportFile}, "github.com/verbsgen/verbsgen/gen/...", "github.com/verbsgen/verbsgen/runtime/gensupport/dpath",
		"github.com/verbsgen/verbsgen/runtime/mem", "context", "errors", "fmt", "sync", "sync/atomic",
		"time")
	out := map[string]*types.Package{}
	for _, p := range list {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		out[p.PkgPath] = p.Types
	}
	return out, err
})

// own loads a module of the project at its newest release.
func own(t *testing.T, name string) *module {
	t.Helper()
	all, err := imported()
	if err != nil {
		t.Fatal(err)
	}
	sp, err := spec.Embedded(name)
	if err != nil {
		t.Fatal(err)
	}
	known, err := api.KnownOf(sp.Module.Facts)
	if err != nil {
		t.Fatal(err)
	}
	rel, err := known.Load(known.Newest())
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := bind.Bind(rel, sp, bind.Options{Package: sp.Module.Package, Generated: true})
	if err != nil {
		t.Fatal(err)
	}
	path := "github.com/verbsgen/verbsgen/gen/" + name
	return &module{path, sp, sp.Module.NewFacts(rel), pkg, newBindings(explain.New(sp, rel), pkg), all[path]}
}

// program is a Go file that was type-checked.
type program struct {
	fset  *token.FileSet
	file  *ast.File
	types *types.Package
	info  *types.Info
}

type fromMap map[string]*types.Package

func (m fromMap) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("a test's program imports %s, which is not loaded", path)
}

// compile type-checks a program. An error names its line.
func compile(src string) (*program, error) {
	all, err := imported()
	if err != nil {
		return nil, err
	}
	p := &program{fset: token.NewFileSet(), info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{},
		Scopes: map[ast.Node]*types.Scope{}, Instances: map[*ast.Ident]types.Instance{}}}
	if p.file, err = parser.ParseFile(p.fset, "x.go", src, parser.ParseComments); err != nil {
		return nil, err
	}
	all = maps.Clone(all)
	all["unsafe"] = types.Unsafe
	conf := types.Config{Importer: fromMap(all), Error: func(error) {}}
	p.types, err = conf.Check("x", p.fset, []*ast.File{p.file}, p.info)
	return p, err
}

// report runs all analyzers on a program that uses the given modules.
func (p *program) report(t *testing.T, modules ...*module) []analysis.Diagnostic {
	t.Helper()
	from := map[string]*bindings{}
	for _, m := range modules {
		from[m.path] = m.bind
	}
	var out []analysis.Diagnostic
	s := &suite{}
	origins := s.origins()
	results := map[*analysis.Analyzer]any{origins: &sources{bindings: from}}
	var run func(a *analysis.Analyzer)
	run = func(a *analysis.Analyzer) {
		if _, done := results[a]; done {
			return
		}
		for _, need := range a.Requires {
			run(need)
		}
		got, err := a.Run(&analysis.Pass{Analyzer: a, Fset: p.fset, Files: []*ast.File{p.file}, Pkg: p.types, TypesInfo: p.info,
			ResultOf: results, Report: func(d analysis.Diagnostic) { out = append(out, d) }})
		if err != nil {
			t.Fatal(err)
		}
		results[a] = got
	}
	for _, a := range s.analyzers(origins) {
		run(a)
	}
	return out
}

// wants compares the reports with comments "// want VR-x-0001" of a program; "// fix: text" is what a suggested fix makes of the line.
func wants(t *testing.T, src string, modules ...*module) {
	t.Helper()
	p, err := compile(src)
	if err != nil {
		t.Fatal(err)
	}
	got := map[int][]string{}
	for _, d := range p.report(t, modules...) {
		at := p.fset.Position(d.Pos)
		id := d.Category
		for _, fix := range d.SuggestedFixes {
			for _, e := range fix.TextEdits {
				id += " " + string(e.NewText)
			}
		}
		got[at.Line] = append(got[at.Line], id)
	}
	for i, line := range strings.Split(src, "\n") {
		_, want, _ := strings.Cut(line, "// want ")
		if have := strings.Join(got[i+1], ", "); have != strings.TrimSpace(want) {
			t.Errorf("line %d: %s\n  reported %q", i+1, strings.TrimSpace(line), have)
		}
	}
}
