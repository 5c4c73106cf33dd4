package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// codes are the values of the constants of package diag, and the codes of package spec.
func codes(t *testing.T) (all []string) {
	t.Helper()
	for _, name := range []string{"internal/diag/codes.go", "../../spec/errors.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for n := range ast.Preorder(file) {
			if c, ok := n.(*ast.ValueSpec); ok && len(c.Values) > 0 {
				code, err := strconv.Unquote(c.Values[0].(*ast.BasicLit).Value)
				if err != nil || slices.Contains(all, code) {
					t.Errorf("%s: %q stands twice, or is no text", c.Names[0].Name, code)
				}
				all = append(all, code)
			}
		}
	}
	return all
}

// TestCodes reads the sources of the command: no diagnostic is made with a code written as a text.
func TestCodes(t *testing.T) {
	made := 0
	call := regexp.MustCompile(`diag\.(?:New|At)\((")?`)
	err := filepath.WalkDir(".", func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(at, ".go") || strings.HasSuffix(at, "_test.go") {
			return err
		}
		data, err := os.ReadFile(at)
		for _, m := range call.FindAllSubmatch(data, -1) {
			if made++; len(m[1]) > 0 {
				t.Errorf("%s: a code is written as a text; give it a constant in internal/diag/codes.go", at)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if all := codes(t); len(all) < 60 || made < 20 {
		t.Errorf("only %d codes and %d diagnostics were looked at", len(all), made)
	}
}
