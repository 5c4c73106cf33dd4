package vet_test

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/vet"
)

// programs are the packages below testdata. To them come packages that call the same method 0, 100 and 400 times.
var programs = sync.OnceValues(func() (map[string]*packages.Package, error) {
	dirs, err := filepath.Glob("testdata/*")
	if err != nil {
		return nil, err
	}
	overlay := map[string][]byte{}
	for _, calls := range []int{0, 100, 400} {
		var b strings.Builder
		b.WriteString("package x\n\nimport v \"github.com/verbsgen/verbsgen/gen/verbs\"\n\nfunc f(pd *v.PD, buf []byte) error {\n")
		for i := range calls {
			fmt.Fprintf(&b, "mr%d, err := pd.RegMR(buf, v.MRAccessLocalWrite)\nif err != nil {\nreturn err\n}\ndefer mr%d.Close()\n", i, i)
		}
		b.WriteString("return nil\n}\n")
		dir := fmt.Sprintf("testdata/calls%d", calls)
		file, err := filepath.Abs(dir + "/x.go")
		if err != nil {
			return nil, err
		}
		dirs, overlay[file] = append(dirs, dir), []byte(b.String())
	}
	for i := range dirs {
		dirs[i] = "./" + dirs[i]
	}
	list, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Overlay: overlay}, dirs...)
	out := map[string]*packages.Package{}
	for _, p := range list {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		out[filepath.Base(p.PkgPath)] = p
	}
	return out, err
})

// analyze runs the analyzers as another program does. It returns the categories of the reports by file and line, with the texts of the
// suggested fixes.
func analyze(t *testing.T, p *packages.Package) map[string]string {
	t.Helper()
	graph, err := checker.Analyze(vet.Analyzers(), []*packages.Package{p}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, root := range graph.Roots {
		if root.Err != nil {
			t.Fatal(root, root.Err)
		}
		byPlace := func(a, b analysis.Diagnostic) int { return cmp.Compare(a.Pos, b.Pos) }
		if !slices.IsSortedFunc(root.Diagnostics, byPlace) {
			t.Errorf("%v does not report from the first line to the last", root)
		}
		for _, d := range root.Diagnostics {
			id := d.Category
			for _, fix := range d.SuggestedFixes {
				for _, e := range fix.TextEdits {
					id += " " + string(e.NewText)
				}
			}
			at := line(p, d.Pos)
			got[at] = strings.TrimPrefix(got[at]+", "+id, ", ")
		}
	}
	return got
}

func line(p *packages.Package, pos token.Pos) string {
	at := p.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}

// TestPrograms compares the reports on each line with its comment "// want VR-x-0001". The packages agent and prober have the shapes of
// real programs.
func TestPrograms(t *testing.T) {
	all, err := programs()
	if err != nil || len(all) < 17 {
		t.Fatalf("%d packages, %v", len(all), err)
	}
	for _, p := range all {
		got := analyze(t, p)
		for _, file := range p.Syntax {
			for _, group := range file.Comments {
				for _, c := range group.List {
					if want, ok := strings.CutPrefix(c.Text, "// want "); ok {
						at := line(p, c.Pos())
						if got[at] != want {
							t.Errorf("%s: reported %q, want %q", at, got[at], want)
						}
						delete(got, at)
					}
				}
			}
		}
		for at, ids := range got {
			t.Errorf("%s: reported %q", at, ids)
		}
	}
}

// TestGrowth makes a function four times as long: the work, told by what is allocated, grows by about as much, and not by its square.
func TestGrowth(t *testing.T) {
	all, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	work := func(name string) float64 { return testing.AllocsPerRun(1, func() { analyze(t, all[name]) }) }
	none := work("calls0")
	if short, long := work("calls100")-none, work("calls400")-none; short <= 0 || long > 6*short {
		t.Errorf("%.0f allocations for 100 calls, and %.0f for 400", short, long)
	}
}
