package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// codes are the values of the constants of package diag, and the codes of package spec.
func codes(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "internal/diag/codes.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	all := spec.Codes()
	for n := range ast.Preorder(file) {
		if c, ok := n.(*ast.ValueSpec); ok {
			code, err := strconv.Unquote(c.Values[0].(*ast.BasicLit).Value)
			if err != nil || slices.Contains(all, code) {
				t.Errorf("%s: %q stands twice, or is no text", c.Names[0].Name, code)
			}
			all = append(all, code)
		}
	}
	return all
}

// TestCodes reads the sources of the command: no diagnostic is made with a code written as a text.
func TestCodes(t *testing.T) {
	made := 0
	err := filepath.WalkDir(".", func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(at, ".go") || strings.HasSuffix(at, "_test.go") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, at, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if isDiag(n.Fun, "New") || isDiag(n.Fun, "At") {
					made++
					literalCode(t, fset, n.Args[0])
				}
			case *ast.CompositeLit:
				if isDiag(n.Type, "Diag") {
					made++
					for _, el := range n.Elts {
						if kv, ok := el.(*ast.KeyValueExpr); ok {
							if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Code" {
								literalCode(t, fset, kv.Value)
							}
						}
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if all := codes(t); len(all) < 60 || made < 20 {
		t.Errorf("only %d codes and %d diagnostics were looked at", len(all), made)
	}
}

// isDiag reports whether an expression is diag.NAME.
func isDiag(e ast.Expr, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "diag"
}

func literalCode(t *testing.T, fset *token.FileSet, e ast.Expr) {
	if lit, ok := e.(*ast.BasicLit); ok {
		t.Errorf("%s: the code %s is written as a text; give it a constant in internal/diag/codes.go", fset.Position(lit.Pos()), lit.Value)
	}
}
