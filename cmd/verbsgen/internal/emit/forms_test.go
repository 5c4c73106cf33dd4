package emit

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoForms asks that emit asks nothing about forms: plan reads them. The C side still looks which verbs have a C function.
func TestNoForms(t *testing.T) {
	const forms = `internal/form"`
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		imports := false
		for _, i := range f.Imports {
			imports = imports || strings.HasSuffix(i.Path.Value, forms)
		}
		if imports != (name == "cside.go") {
			t.Errorf("%s imports the forms: %t; plan what it asks, and have it in the plan", name, imports)
		}
	}
}
