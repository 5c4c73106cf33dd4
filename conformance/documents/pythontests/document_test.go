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

var update = flag.Bool("update", false, "write what is derived in README.md and tests.tsv anew")

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

// The document, and the table of the tests.
const document, table = "README.md", "tests.tsv"

// TestDocument finds cases and tests in the table that are not there, tests of theirs that pass where nothing of ours is named, and
// results and counts that the reports do not bear out.
func TestDocument(t *testing.T) {
	text, lines := read(t, document), read(t, table)
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
			t.Errorf("%s:%d: %s is there twice", table, r.line+1, r.test)
		}
		seen[r.test] = true
		r.judge(t, reports)
		if len(r.ours) == 0 && !slices.Contains(incomplete, r.family) && slices.Contains(r.theirs[:], "ok") {
			t.Errorf("%s:%d: nothing here shows what %s shows", table, r.line+1, r.test)
		}
	}
	now := slices.Clone(lines[:1])
	for _, r := range all {
		now = append(now, r.String())
	}
	compare(t, table, lines, now)
	compare(t, document, text, between(t, between(t, text, "counts", counts(all)), "pages", withoutCase(t)))
}

// read returns the lines of a file.
func read(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// compare compares the lines of a file with those that it should have. -update writes them.
func compare(t *testing.T, path string, was, now []string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(now, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i := range max(len(was), len(now)) {
		if i >= len(was) || i >= len(now) || was[i] != now[i] {
			t.Errorf("%s:%d is not what cases and reports say; run go test ./conformance/documents/pythontests -update", path, i+1)
			return
		}
	}
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
