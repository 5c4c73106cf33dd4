package bind

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

// TestRuntimeTypes holds the list of types that pages can take from packages under runtime/ against the source of those.
func TestRuntimeTypes(t *testing.T) {
	for pkg, want := range runtimeTypes {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "runtime", "gensupport", pkg, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("runtime/gensupport/%s: %d files, error %v", pkg, len(files), err)
		}
		has := map[string]bool{}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					has[spec.Name.Name] = true
				}
				return true
			})
		}
		for _, name := range want {
			if !has[name] {
				t.Errorf("runtime/%s has no type %s, only %v", pkg, name, slices.Sorted(maps.Keys(has)))
			}
		}
	}
}
