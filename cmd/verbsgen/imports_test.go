package main

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/verbsgen/verbsgen/"

// TestImports holds the packages to the direction that ARCHITECTURE.md draws: one importer for each large library, and
// nothing for generated code in the examples.
func TestImports(t *testing.T) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps}, module+"...")
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) < 20 {
		t.Fatalf("only %d packages", len(pkgs))
	}
	only := map[string][]string{
		"modernc.org/cc/v4":        {"cmd/verbsgen/internal/cheader"},
		"go.yaml.in/yaml/v3":       {"spec"},
		"github.com/dave/jennifer": {"cmd/verbsgen/internal/gogen"},
	}
	for _, p := range pkgs {
		path := strings.TrimPrefix(p.PkgPath, module)
		for imp := range p.Imports {
			for lib, importers := range only {
				if (imp == lib || strings.HasPrefix(imp, lib+"/")) && !slices.Contains(importers, path) {
					t.Errorf("%s imports %s; only %v may: go through it", path, imp, importers)
				}
			}
			plain := []string{module + "spec/api", module + "spec/cond", module + "spec/role", "cmp", "slices", "strings", "unicode", "unicode/utf8",
				"go/token", "go/types", "math/big"}
			if strings.HasPrefix(path, "cmd/verbsgen/internal/model") && !slices.Contains(plain, imp) {
				t.Errorf("model imports %s; it is plain data over spec/api, with the conditions of spec/cond and the roles of spec/role", imp)
			}
		}
		for imp := range p.Imports {
			if strings.HasPrefix(path, "examples/") && strings.HasPrefix(imp, module+"runtime/gensupport") {
				t.Errorf("%s imports %s, which is for generated code; a program needs none of it", path, imp)
			}
		}
	}
}

// TestLibraryRequires holds the module that users require, with its tests, to golang.org/x/sys: what it imports of another module is in
// the go.mod of all of them.
func TestLibraryRequires(t *testing.T) {
	mode := packages.NeedName | packages.NeedImports | packages.NeedModule
	pkgs, err := packages.Load(&packages.Config{Mode: mode, Tests: true, Dir: "../.."}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) < 40 {
		t.Fatalf("only %d packages", len(pkgs))
	}
	for _, p := range pkgs {
		for _, imp := range p.Imports {
			if m := imp.Module; m != nil && m.Path != library && m.Path != "golang.org/x/sys" {
				t.Errorf("%s imports %s of module %s", p.ID, imp.PkgPath, m.Path)
			}
		}
	}
}
