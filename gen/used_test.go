package gen

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// packages are the folders of the generated packages.
var packages = []string{"verbs", "rdmacm"}

// TestUsed finds functions of the generated packages that only tests call, and tests of rules that no call can fail.
func TestUsed(t *testing.T) {
	for _, dir := range packages {
		p := typed(t, dir)
		funcs, unused := p.unused()
		if funcs < 30 {
			t.Errorf("%s: only %d functions", dir, funcs)
		}
		for _, f := range unused {
			t.Errorf("%s: nothing but tests calls %s", dir, f)
		}
		for _, in := range p.constant() {
			t.Errorf("%s: no call can break a rule by %s: the rule is kept by the type", dir, in)
		}
	}
}

// TestUnusedFound looks at a function that nothing calls, and at inputs that never change.
func TestUnusedFound(t *testing.T) {
	const src = `package p

type runner interface{ run() }

type handle struct{ c uintptr }

func (h *handle) run()   {}
func (h *handle) enter() {}

type inX struct{ a, b, c uint64 }

func checkX(in *inX) error { return nil }
func checkY(in *inX) error { return nil }

func (h *handle) Do(a uint64) error {
	in := inX{a: a, b: 1, c: fail.Addr(h.c)}
	return checkX(&in)
}

func (h *handle) Undo() error {
	in := inX{a: 2, b: 1, c: fail.Addr(h.c)}
	return checkX(&in)
}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p := check(fset, "p", []*ast.File{file})
	if _, got := p.unused(); !slices.Equal(got, []string{"checkY", "handle.enter"}) {
		t.Errorf("not called: %q", got)
	}
	if got := p.constant(); !slices.Equal(got, []string{"inX.b", "inX.c"}) {
		t.Errorf("never change: %q", got)
	}
}

// typedPackage is a package that was type-checked without what it imports.
type typedPackage struct {
	files []*ast.File
	info  types.Info
}

func typed(t *testing.T, dir string) *typedPackage {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || filepath.Base(name) == "raw_none.gen.go" {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return check(fset, dir, files)
}

func check(fset *token.FileSet, name string, files []*ast.File) *typedPackage {
	p := &typedPackage{files: files, info: types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}}
	conf := types.Config{Importer: nothing{}, FakeImportC: true, Error: func(error) {}} // what it imports is not looked at
	_, _ = conf.Check(name, fset, files, &p.info)
	return p
}

// nothing is an importer of no package.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) { return nil, errors.New("not looked at") }

// unused counts the functions that are not exported, and lists those that nothing uses. A method that an interface of the package
// asks for is used, and one whose name is looked up in a value of an unknown type.
func (p *typedPackage) unused() (funcs int, unused []string) {
	used, names := map[types.Object]bool{}, map[string]bool{"init": true}
	for _, o := range p.info.Uses {
		if f, ok := o.(*types.Func); ok {
			o = f.Origin()
		}
		used[o] = true
	}
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.InterfaceType:
				for _, m := range n.Methods.List {
					for _, name := range m.Names {
						names[name.Name] = true
					}
				}
			case *ast.SelectorExpr:
				if p.info.Uses[n.Sel] == nil {
					names[n.Sel.Name] = true
				}
			}
			return true
		})
	}
	for id, o := range p.info.Defs {
		f, ok := o.(*types.Func)
		if !ok || f.Exported() {
			continue
		}
		funcs++
		recv := f.Signature().Recv()
		if used[f] || recv != nil && names[f.Name()] || f.Name() == "init" {
			continue
		}
		name := id.Name
		if recv != nil {
			name = strings.TrimPrefix(types.TypeString(recv.Type(), func(*types.Package) string { return "" }), "*") + "." + name
		}
		unused = append(unused, name)
	}
	slices.Sort(unused)
	return funcs, unused
}

// constant lists the inputs of rules that every method fills with a number other than 0, or with the address of a handle in use.
func (p *typedPackage) constant() (out []string) {
	fixed := map[string]bool{}
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			in, ok := lit.Type.(*ast.Ident)
			if !ok || !strings.HasPrefix(in.Name, "in") {
				return true
			}
			for _, e := range lit.Elts {
				e := e.(*ast.KeyValueExpr)
				name := in.Name + "." + e.Key.(*ast.Ident).Name
				was, seen := fixed[name]
				fixed[name] = (was || !seen) && unchanging(e.Value)
			}
			return true
		})
	}
	for name, is := range fixed {
		if is {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// unchanging reports whether an input is a number other than 0, or the address of a handle in use.
func unchanging(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value != "0"
	case *ast.CallExpr:
		fn, ok := e.Fun.(*ast.SelectorExpr)
		if !ok || fn.Sel.Name != "Addr" || len(e.Args) != 1 {
			return false
		}
		of, ok := e.Args[0].(*ast.SelectorExpr)
		return ok && of.Sel.Name == "c"
	}
	return false
}
