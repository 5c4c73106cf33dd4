package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// outputCompiler reports whether a generated package compiles: its Go by go/types, with and without its C side, its C by
// gcc. Output that it has seen before it does not look at again.
type outputCompiler struct {
	imports importMap
	seen    map[[sha256.Size]byte]string
}

// importMap has the packages that generated code imports.
type importMap map[string]*types.Package

func (m importMap) Import(path string) (*types.Package, error) {
	if p := m[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("no types of " + path)
}

func newOutputCompiler(t *testing.T) *outputCompiler {
	c := &outputCompiler{imports: importMap{"unsafe": types.Unsafe}, seen: map[[sha256.Size]byte]string{}}
	all, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps},
		library+"/gen/verbs", "testing", "math", "math/bits", "strconv", "context", "net/netip")
	if err != nil {
		t.Fatal(err)
	}
	packages.Visit(all, nil, func(p *packages.Package) { c.imports[p.PkgPath] = p.Types })
	return c
}

var (
	factsLine = regexp.MustCompile(`(?m)^// From .*$`)
	cPrefix   = regexp.MustCompile(`(?i)\bvg[0-9a-f]{10}_`)
)

// plain is a generated text without what differs whenever the facts do.
func plain(text string) string {
	return cPrefix.ReplaceAllString(factsLine.ReplaceAllString(text, ""), "vg_")
}

// plainText is a package as one text.
func plainText(files map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%s %s\n", name, plain(files[name]))
	}
	return b.String()
}

// check returns what a compiler says against a package; empty for nothing.
func (c *outputCompiler) check(files map[string]string) string {
	key := sha256.Sum256([]byte(plainText(files)))
	if _, ok := c.seen[key]; !ok {
		err := errors.Join(c.checkGo(files, "raw_none.gen.go"), c.checkGo(files, "raw.gen.go"), checkC(files))
		c.seen[key] = strings.TrimPrefix(fmt.Sprint(err), "<nil>")
	}
	return c.seen[key]
}

// outcome is what a package is whose input was damaged.
func (c *outputCompiler) outcome(files map[string]string) (outcome, string) {
	if problem := c.check(files); problem != "" {
		return broken, problem
	}
	return compiles, ""
}

// checkGo checks the types of a package without one of its files, of which each build has one. It does not look at what cgo makes of C:
// that takes seconds.
func (c *outputCompiler) checkGo(files map[string]string, without string) error {
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".go") || name == without {
			continue
		}
		file, err := parser.ParseFile(fset, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed = append(parsed, file)
	}
	var errs []error
	conf := types.Config{Sizes: types.SizesFor("gc", "amd64"), FakeImportC: true, Importer: c.imports,
		Error: func(err error) { errs = append(errs, err) }}
	conf.Check("p", fset, parsed, nil)
	return errors.Join(errs...)
}

// checkC has gcc look at the C side.
func checkC(files map[string]string) error {
	dir, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, text := range files {
		if strings.HasSuffix(name, ".c") || strings.HasSuffix(name, ".h") {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				return err
			}
		}
	}
	gcc := exec.Command("gcc", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused", "shims.gen.c")
	gcc.Dir = dir
	if out, err := gcc.CombinedOutput(); err != nil {
		return fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return nil
}
