package gen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestSignatures finds types of runtime/gensupport without an alias in what a user of a generated package sees: signatures, fields, methods
// of interfaces and variables. A program can name such a type only by an alias of a generated package.
func TestSignatures(t *testing.T) {
	files, err := filepath.Glob("*/*.gen.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	fset := token.NewFileSet()
	var parsed []*ast.File
	aliases := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
		for n := range ast.Preorder(file) {
			if s, ok := n.(*ast.TypeSpec); ok && s.Assign.IsValid() && s.Name.IsExported() {
				aliases[types.ExprString(s.Type)] = true
			}
		}
	}
	for _, file := range parsed {
		support := supportPackages(t, file)
		look := func(n ast.Node) {
			ast.Inspect(n, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if p, ok := s.X.(*ast.Ident); ok && support[p.Name] && !aliases[types.ExprString(s)] {
						t.Errorf("%v: %s.%s can be seen by users; give it an alias", fset.Position(s.Pos()), p.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
		for _, d := range file.Decls {
			for _, n := range visible(d) {
				look(n)
			}
		}
	}
}

// supportPackages returns the names of the packages under runtime/gensupport that a file imports.
func supportPackages(t *testing.T, file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, imp := range file.Imports {
		p, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(p, "/runtime/gensupport/") {
			names[path.Base(p)] = true
		}
	}
	return names
}

// visible returns the types that a declaration shows to users.
func visible(d ast.Decl) (types []ast.Node) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) {
			types = append(types, d.Type)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				if s.Type != nil && s.Names[0].IsExported() {
					types = append(types, s.Type)
				}
			case *ast.TypeSpec:
				if s.Name.IsExported() && !s.Assign.IsValid() {
					types = append(types, members(s.Type)...)
				}
			}
		}
	}
	return types
}

// members returns the types of exported fields and methods, or the type itself where it has none. A type that is embedded is no field
// that a program names.
func members(typ ast.Expr) (types []ast.Node) {
	var list *ast.FieldList
	switch typ := typ.(type) {
	case *ast.StructType:
		list = typ.Fields
	case *ast.InterfaceType:
		list = typ.Methods
	default:
		return []ast.Node{typ}
	}
	for _, f := range list.List {
		if len(f.Names) > 0 && f.Names[0].IsExported() {
			types = append(types, f.Type)
		}
	}
	return types
}
