package check

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/bind"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/generate"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/output"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// load reads the pages of a module and the facts of its newest release.
func load(t *testing.T, module string) (*api.Release, *spec.Spec) {
	t.Helper()
	sp, err := spec.Embedded(module)
	if err != nil {
		t.Fatal(err)
	}
	known, err := api.KnownOf(sp.Module.Facts)
	if err != nil {
		t.Fatal(err)
	}
	rel, err := known.Load(known.Newest())
	if err != nil {
		t.Fatal(err)
	}
	return rel, sp
}

func modelOf(t *testing.T, module string) *model.Package {
	t.Helper()
	rel, sp := load(t, module)
	pkg, err := bind.Bind(rel, sp, bind.Options{Package: sp.Module.Package})
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// shipped are the Go files of a module that are checked in.
func shipped(t *testing.T, module string) (files []output.File) {
	t.Helper()
	names, err := filepath.Glob("../../../../../gen/" + module + "/*.gen.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files of %s, %v", len(names), module, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, output.File{Name: filepath.Base(name), Data: data})
	}
	return files
}

// packages are those that ship, by their modules. Each is parsed once.
var packages = map[string]*Package{}

func packageOf(t *testing.T, module string) *Package {
	t.Helper()
	if packages[module] == nil {
		p, err := Parse(shipped(t, module), modelOf(t, module))
		if err != nil {
			t.Fatal(err)
		}
		packages[module] = p
	}
	return packages[module]
}

// TestShipped finds nothing in the packages that ship.
func TestShipped(t *testing.T) {
	for _, module := range spec.Modules() {
		for _, problem := range packageOf(t, module).Problems() {
			t.Errorf("%s/%s", module, problem)
		}
	}
}

// TestSelections finds nothing in packages with a part of the functions: for one of ten alone, and without the query of capabilities.
func TestSelections(t *testing.T) {
	for _, module := range spec.Modules() {
		rel, sp := load(t, module)
		for i, v := range packageOf(t, module).model.Verbs {
			if only := *rel; i%10 == 0 || v.C == "ibv_query_device_ex" {
				opt := generate.Options{Package: "p", Only: []string{v.C}}
				if v.C == "ibv_query_device_ex" {
					opt.Only = nil
					only.Functions = slices.DeleteFunc(slices.Clone(rel.Functions), func(f api.Function) bool { return f.Name == v.C })
				}
				files, pkg, err := generate.Run(&only, sp, opt)
				if err != nil {
					t.Fatal(err)
				}
				p, err := Parse(files, pkg)
				if err != nil {
					t.Fatal(err)
				}
				for _, problem := range p.Problems() {
					t.Errorf("%s, of which %v: %s", module, opt.Only, problem)
				}
			}
		}
	}
}

// TestWrong runs each rule on the wrong Go of its own file in testdata, which is added to the package that ships. A comment has what the
// rule must say of its line: // want "part of the message" "of another one".
func TestWrong(t *testing.T) {
	seen := map[string]bool{}
	for _, module := range spec.Modules() {
		names, err := filepath.Glob(filepath.Join("testdata", module, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files := shipped(t, module)
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, output.File{Name: name, Data: data})
			seen[ruleOf(name)] = true
		}
		p, err := Parse(files, packageOf(t, module).model)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range p.order {
			if name := p.fset.Position(f.decl.Pos()).Filename; slices.Contains(names, name) {
				rules[ruleOf(name)](p, f)
			}
		}
		for _, f := range files[len(files)-len(names):] {
			for i, line := range strings.Split(string(f.Data), "\n") {
				expect(t, p, f.Name, i+1, line)
			}
		}
	}
	for rule := range rules {
		if !seen[rule] {
			t.Errorf("no file has Go that breaks rule %s", rule)
		}
	}
}

func ruleOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".go") }

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// expect compares the problems of a line with those that its comment wants.
func expect(t *testing.T, p *Package, file string, n int, line string) {
	t.Helper()
	_, comment, _ := strings.Cut(line, "// want ")
	wants := quoted.FindAllString(comment, -1)
	var got []string
	for _, problem := range p.problems {
		if problem.Pos.Line == n && problem.Pos.Filename == file && !slices.Contains(got, problem.Text) {
			got = append(got, problem.Text)
		}
	}
	for _, q := range wants {
		want, err := strconv.Unquote(q)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(got, func(text string) bool { return strings.Contains(text, want) }) {
			t.Errorf("%s:%d: %q; want %s", file, n, got, want)
		}
	}
	if len(got) != len(wants) {
		t.Errorf("%s:%d: %d problems %q, want %d", file, n, len(got), got, len(wants))
	}
}
