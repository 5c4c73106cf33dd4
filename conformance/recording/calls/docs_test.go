//go:build linux && cgo

package calls

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/recording/exported"
)

// docs are the comments of types, methods and functions, by name.
type docs map[string]string

// readDocs reads the comments of the packages.
func readDocs(t *testing.T) docs {
	t.Helper()
	d := docs{}
	for short, folder := range exported.Packages {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				d.add(short, decl)
			}
		}
	}
	return d
}

func (d docs) add(short string, decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		name := decl.Name.Name
		if decl.Recv != nil {
			name = base(decl.Recv.List[0].Type) + "." + name
		}
		d[short+"."+name] += decl.Doc.Text()
	case *ast.GenDecl:
		for _, s := range decl.Specs {
			if s, ok := s.(*ast.TypeSpec); ok {
				d[short+"."+s.Name.Name] += decl.Doc.Text() + s.Doc.Text()
			}
		}
	}
}

// base is the name of the type of a receiver.
func base(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return base(x.X)
	case *ast.IndexExpr:
		return base(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// saysPanic reports whether the comment of a method, or of its type, says that it panics.
func (d docs) saysPanic(name string) bool {
	if head, args, ok := strings.Cut(name, "["); ok { // of a generic type: comments have it without its arguments
		_, method, _ := strings.Cut(args, "]")
		name = head + method
	}
	of := name
	if i := strings.LastIndex(name, "."); i > strings.Index(name, ".") {
		of = name[:i]
	}
	return strings.Contains(d[name], "panic") || strings.Contains(d[of], "panic")
}
