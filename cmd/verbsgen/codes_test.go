package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
)

// TestCodesAreRegistered reads the sources of the command: every constant of type diag.Code stands in the table of
// codes, and no diagnostic is made with a code written as a text.
func TestCodesAreRegistered(t *testing.T) {
	constants, made := 0, 0
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
			case *ast.ValueSpec:
				if id, ok := n.Type.(*ast.Ident); ok && id.Name == "Code" && len(n.Values) == 1 {
					constants++
					if lit, ok := n.Values[0].(*ast.BasicLit); ok {
						code, err := strconv.Unquote(lit.Value)
						if err != nil || !diag.Known(code) {
							t.Errorf("%s: %s is not in the table of codes", fset.Position(n.Pos()), lit.Value)
						}
					}
				}
			case *ast.CallExpr:
				if isDiag(n.Fun, "New") {
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
	if constants < 20 || made < 20 {
		t.Errorf("only %d codes and %d diagnostics were looked at", constants, made)
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
