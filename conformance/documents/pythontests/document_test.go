//go:build linux && cgo

package pythontests

import (
	"flag"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/report"
)

var update = flag.Bool("update", false, "write what is derived in README.md anew")

// columns are the kernels, with the report of each.
var columns = []struct{ name, report string }{
	{"6.1, rdma-core 44.0", "rxe-6.1"},
	{"6.12, rdma-core 44.0", "rxe-6.12"},
	{"7.2, rdma-core 65.0", "rxe-7.2-rdma-core-65.0"},
}

func headings() string {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	return strings.Join(names, " | ")
}

// testName is the name of a test function, "" of any other declaration.
func testName(d ast.Decl) string {
	if f, is := d.(*ast.FuncDecl); is && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
		return f.Name.Name
	}
	return ""
}

// TestDocument finds cases and tests in the document that are not there, tests of theirs that pass where nothing of ours is named, and
// results and counts that the reports do not bear out.
func TestDocument(t *testing.T) {
	path := "README.md"
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(was), "\n")
	var reports []map[string]string
	for _, c := range columns {
		reports = append(reports, statuses(t, c.report))
	}
	all := rows(t, lines)
	if len(all) < 135 {
		t.Fatalf("only %d rows", len(all))
	}
	seen := map[string]bool{}
	for _, r := range all {
		if seen[r.test] {
			t.Errorf("line %d: %s is there twice", r.line+1, r.test)
		}
		seen[r.test] = true
		r.judge(t, reports)
		lines[r.line] = r.String()
		if len(r.ours) == 0 && !slices.Contains(incomplete, r.family) && slices.Contains(r.theirs[:], "ok") {
			t.Errorf("line %d: nothing here shows what %s shows", r.line+1, r.test)
		}
	}
	lines = between(t, lines, "counts", counts(all))
	lines = between(t, lines, "families", families(t, reports))
	now := strings.Join(lines, "\n")
	if now == string(was) {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(now), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, line := range strings.Split(string(was), "\n") {
		if i >= len(lines) || lines[i] != line {
			t.Errorf("line %d is not what cases and reports say; run go test ./conformance/documents/pythontests -update:\n%s", i+1, line)
			return
		}
	}
	t.Error("lines are missing at the end; run go test ./conformance/documents/pythontests -update")
}

// incomplete are families of which not all is bound, so that tests of theirs may have no counterpart.
var incomplete = []string{"rdma_cm"}

// statuses returns the statuses of a report's cases.
func statuses(t *testing.T, name string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "reports", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, c := range r.Cases {
		out[c.ID] = string(c.Status)
	}
	return out
}

// between puts lines between the marks of a part of the document.
func between(t *testing.T, lines []string, part string, new []string) []string {
	t.Helper()
	from, to := slices.Index(lines, "<!-- "+part+" -->"), slices.Index(lines, "<!-- end of "+part+" -->")
	if from < 0 || to < from {
		t.Fatalf("no marks of %s", part)
	}
	return slices.Concat(lines[:from+1], new, lines[to:])
}
