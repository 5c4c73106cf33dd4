package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// outputCompiler reports whether a generated package compiles: its Go by go/types, with and without its C side, its C by
// gcc. Output that it has seen before it does not look at again.
type outputCompiler struct {
	exports map[string]string // import path -> file of export data
	mu      sync.Mutex
	seen    map[string]string
}

func newOutputCompiler(t *testing.T) *outputCompiler {
	c := &outputCompiler{exports: map[string]string{}, seen: map[string]string{}}
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}",
		"../../gen/verbs", "testing", "math", "math/bits", "strconv", "context", "net/netip")
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	for line := range strings.Lines(string(out)) {
		if name, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			c.exports[name] = file
		}
	}
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

// same reports whether two packages differ in their provenance at the most.
func same(a, b map[string]string) bool {
	return maps.EqualFunc(a, b, func(x, y string) bool { return x == y || plain(x) == plain(y) })
}

// check returns what a compiler says against a package; empty for nothing.
func (c *outputCompiler) check(files map[string]string) string {
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(sum, "%s %s\n", name, plain(files[name]))
	}
	key := string(sum.Sum(nil))
	c.mu.Lock()
	problem, ok := c.seen[key]
	c.mu.Unlock()
	if ok {
		return problem
	}
	if problem = c.checkGo(files, "raw_none.gen.go"); problem == "" {
		problem = c.checkGo(files, "raw.gen.go")
	}
	if problem == "" {
		problem = c.checkC(files)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[key] = problem
	return problem
}

// checkGo checks the types of a package without one of its files, of which each build has one.
func (c *outputCompiler) checkGo(files map[string]string, without string) string {
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".go") || name == without {
			continue
		}
		text := files[name]
		if name == "raw.gen.go" {
			text = withoutCgo(text, files["shims.gen.h"])
		}
		file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err.Error()
		}
		parsed = append(parsed, file)
	}
	var errs []error
	conf := types.Config{Sizes: types.SizesFor("gc", "amd64"), Error: func(err error) { errs = append(errs, err) },
		Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
			file, ok := c.exports[path]
			if !ok {
				return nil, errors.New("no export data of " + path)
			}
			return os.Open(file)
		})}
	conf.Check("p", fset, parsed, nil)
	if len(errs) > 0 {
		return errors.Join(errs...).Error()
	}
	return ""
}

var (
	cCall     = regexp.MustCompile(`, err := C\.`)
	prototype = regexp.MustCompile(`(?m)^(\w+ \**)(\w+)\(([^)]*)\);$`)
)

// withoutCgo puts Go functions with the types of a C header in the place of what cgo makes of it: cgo itself takes
// seconds.
func withoutCgo(text, header string) string {
	text = cCall.ReplaceAllString(text, ", err := cErr_")
	text = strings.ReplaceAll(strings.Replace(text, `import "C"`, "", 1), "C.", "c_")
	var b strings.Builder
	b.WriteString(text)
	for _, bits := range []string{"8", "16", "32", "64"} {
		fmt.Fprintf(&b, "\ntype c_int%[1]s_t int%[1]s\ntype c_uint%[1]s_t uint%[1]s\n", bits)
	}
	b.WriteString("type c_uintptr_t uintptr\n")
	for _, m := range prototype.FindAllStringSubmatch(header, -1) {
		var params []string
		for _, p := range strings.Split(m[3], ", ") {
			if at := strings.LastIndexAny(p, " *"); at >= 0 {
				params = append(params, goOf(p[:at+1]))
			}
		}
		list, result := strings.Join(params, ", "), goOf(m[1])
		fmt.Fprintf(&b, "func c_%s(%s) %s\n", m[2], list, result)
		fmt.Fprintf(&b, "func cErr_%s(%s) (%s, error)\n", m[2], list, cmp.Or(result, "struct{}"))
	}
	return b.String()
}

// goOf is the Go type that withoutCgo has for a C type; empty for void.
func goOf(ctype string) string {
	switch ctype = strings.TrimPrefix(strings.TrimSpace(ctype), "const "); {
	case ctype == "void":
		return ""
	case ctype == "void *":
		return "unsafe.Pointer"
	case strings.HasSuffix(ctype, "*"):
		return "*c_" + strings.TrimRight(ctype, " *")
	}
	return "c_" + ctype
}

// checkC has gcc look at the C side.
func (c *outputCompiler) checkC(files map[string]string) string {
	dir, err := os.MkdirTemp("", "mutation")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(dir)
	for name, text := range files {
		if strings.HasSuffix(name, ".c") || strings.HasSuffix(name, ".h") {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				return err.Error()
			}
		}
	}
	gcc := exec.Command("gcc", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused", "shims.gen.c")
	gcc.Dir = dir
	if out, err := gcc.CombinedOutput(); err != nil {
		return fmt.Sprintf("gcc: %v\n%s", err, out)
	}
	return ""
}
