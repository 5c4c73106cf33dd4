package generate

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
)

// cgoFile is the one generated file that imports "C"; raw_none.gen.go declares the same without it.
const cgoFile = "raw.gen.go"

// compiles type-checks the generated Go files, as far as that goes without what they import, and says what a page asks for
// that is no Go: a name that is there already, a parameter that hides what its method uses. The error is a diag.List with the
// places in the pages; without one there is the package.
func compiles(files []output.File, pkg *model.Package, sp *spec.Spec) (*types.Package, error) {
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range files {
		if !strings.HasSuffix(f.Name, ".go") || f.Name == cgoFile {
			continue
		}
		file, err := parser.ParseFile(fset, f.Name, f.Data, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("generated Go does not parse: %w", err)
		}
		parsed = append(parsed, file)
	}
	var found []types.Error
	conf := types.Config{Importer: nothing{}, Sizes: types.SizesFor("gc", "amd64"), Error: func(err error) {
		var te types.Error
		if errors.As(err, &te) && !strings.HasPrefix(te.Msg, "could not import") && !strings.HasPrefix(te.Msg, "\t") {
			found = append(found, te)
		}
	}}
	checked, _ := conf.Check(pkg.Name, fset, parsed, nil) // what is wrong went to conf.Error
	if len(found) == 0 {
		return checked, nil
	}
	p := places{names: sp.GoNames(), pkg: pkg}
	var errs diag.List
	for _, te := range found {
		if d, ok := p.diag(fset, parsed, te); ok {
			errs.Add(d)
		}
	}
	if twice := slices.DeleteFunc(slices.Clone(errs), func(d diag.Diag) bool { return d.Code != diag.GoNameTwice }); len(twice) > 0 {
		return nil, twice.Err() // the rest may follow from these
	}
	if len(errs) > 0 {
		return nil, errs.Err()
	}
	return nil, fmt.Errorf("generated Go does not compile: %w", found[0])
}

// nothing is an importer of no package.
type nothing struct{}

func (nothing) Import(path string) (*types.Package, error) { return nil, errors.New("not looked at") }

// places finds what in the pages brought a piece of Go about.
type places struct {
	names []spec.GoName
	pkg   *model.Package
}

// diag reports a type error at its place in a page; false when none is known.
func (p places) diag(fset *token.FileSet, files []*ast.File, te types.Error) (diag.Diag, bool) {
	fn, ident := around(files, te.Pos)
	again := strings.Contains(te.Msg, "redeclared") || strings.Contains(te.Msg, "already declared")
	at := fset.Position(te.Pos)
	for _, name := range []struct{ in, name string }{{fn, ident}, {"", fn}, {"", ident}} {
		if name.name == "" || name.name == ident && name.in == "" && !again {
			continue
		}
		pos, ok := p.find(name.in, name.name)
		if !ok {
			continue
		}
		if again {
			return diag.At(diag.GoNameTwice, pos, name.name,
				"the generated package has this name already ("+at.Filename+")", "give it another name"), true
		}
		return diag.At(diag.PageGo, pos, name.name,
			fmt.Sprintf("the generated code does not compile: %s (%s)", te.Msg, at.Filename),
			"check the roles and parameter names on this page"), true
	}
	return diag.Diag{}, false
}

// find returns the last place of a name: that of a page laid over others.
func (p places) find(in, name string) (spec.Pos, bool) {
	for i := len(p.names) - 1; i >= 0; i-- {
		if n := p.names[i]; n.In == in && n.Name == name {
			return n.Pos, true
		}
	}
	for _, e := range p.pkg.Enums {
		for _, m := range e.Members {
			if in == "" && m.Go == name {
				return spec.Pos(e.Pos), true
			}
		}
	}
	return spec.Pos{}, false
}

// around returns the function or method ("PD.RegMR") that a place is in, and the name that stands there.
func around(files []*ast.File, at token.Pos) (fn, ident string) {
	for _, f := range files {
		if at < f.FileStart || at >= f.FileEnd {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil || at < n.Pos() || at >= n.End() {
				return false
			}
			switch n := n.(type) {
			case *ast.FuncDecl:
				fn = n.Name.Name
				if n.Recv != nil && len(n.Recv.List) == 1 {
					fn = strings.TrimPrefix(types.ExprString(n.Recv.List[0].Type), "*") + "." + fn
				}
			case *ast.Ident:
				ident = n.Name
			}
			return true
		})
	}
	return fn, ident
}
