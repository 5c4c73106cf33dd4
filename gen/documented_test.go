// Package gen has the generated packages, and what holds for all that users import.
package gen

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumented finds exported names without a comment in the packages that users import, and packages without one. A constant or a
// variable may have that of its group; a field that of the fields above it, and outside of gen that of its type, as the methods
// of an interface.
func TestDocumented(t *testing.T) {
	names := 0
	for _, root := range []string{".", "../runtime"} {
		err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
			switch {
			case err != nil || !d.IsDir():
				return err
			case d.Name() == "testdata" || d.Name() == "internal":
				return fs.SkipDir
			}
			names += documented(t, dir, root == ".")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if names < 2000 {
		t.Errorf("only %d names were looked at", names)
	}
}

// documented looks at the package in a folder, and returns the number of names. In a strict one fields need a comment of their own.
func documented(t *testing.T, dir string, strict bool) (names int) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	source, described := false, false
	check := func(n *ast.Ident, docs ...*ast.CommentGroup) {
		if !n.IsExported() {
			return
		}
		names++
		for _, doc := range docs {
			if strings.TrimSpace(doc.Text()) != "" {
				return
			}
		}
		t.Errorf("%v: %s has no comment", fset.Position(n.Pos()), n.Name)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		source, described = true, described || f.Doc != nil
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if exportedReceiver(d) {
					check(d.Name, d.Doc)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					checkSpec(d, s, strict, check)
				}
			}
		}
	}
	if source && !described {
		t.Errorf("%s: the package has no comment", dir)
	}
	return names
}

// exportedReceiver reports whether a function is one that others can call.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

func checkSpec(d *ast.GenDecl, s ast.Spec, strict bool, check func(*ast.Ident, ...*ast.CommentGroup)) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			check(n, s.Doc, s.Comment, d.Doc)
		}
	case *ast.TypeSpec:
		check(s.Name, s.Doc, d.Doc)
		if !s.Name.IsExported() {
			return
		}
		var fields *ast.FieldList
		switch typ := s.Type.(type) {
		case *ast.StructType:
			fields = typ.Fields
		case *ast.InterfaceType:
			fields, strict = typ.Methods, false
		default:
			return
		}
		var above *ast.CommentGroup
		if !strict {
			above = cmp.Or(s.Doc, d.Doc)
		}
		for _, f := range fields.List {
			if f.Doc != nil {
				above = f.Doc
			}
			for _, n := range f.Names {
				check(n, f.Doc, f.Comment, above)
			}
		}
	}
}
