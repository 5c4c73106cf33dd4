package main

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/verbsgen/verbsgen/"

// TestImports holds the packages to the direction that ARCHITECTURE.md draws: one importer for each large library, and
// nothing from the generator's side in what users link.
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
		"github.com/dave/jennifer": {"cmd/verbsgen/internal/emit"},
	}
	for _, p := range pkgs {
		path := strings.TrimPrefix(p.PkgPath, module)
		for imp := range p.Imports {
			for lib, importers := range only {
				if (imp == lib || strings.HasPrefix(imp, lib+"/")) && !slices.Contains(importers, path) {
					t.Errorf("%s imports %s; only %v may: go through it", path, imp, importers)
				}
			}
			if strings.HasPrefix(path, "cmd/verbsgen/internal/model") && imp != module+"spec/api" && imp != module+"spec/cond" {
				t.Errorf("model imports %s; it is plain data over spec/api, with the conditions of spec/cond", imp)
			}
		}
		for imp := range p.Imports {
			if strings.HasPrefix(path, "examples/") && strings.HasPrefix(imp, module+"runtime/gensupport") {
				t.Errorf("%s imports %s, which is for generated code; a program needs none of it", path, imp)
			}
		}
		if strings.HasPrefix(path, "runtime/") || strings.HasPrefix(path, "gen/") {
			packages.Visit([]*packages.Package{p}, nil, func(d *packages.Package) {
				if d.PkgPath == module+"spec" || strings.HasPrefix(d.PkgPath, module+"cmd/") || strings.HasPrefix(d.PkgPath, module+"conformance") {
					t.Errorf("%s depends on %s; users must not inherit the generator", path, d.PkgPath)
				}
			})
		}
	}
}
