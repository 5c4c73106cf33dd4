//go:build linux && cgo

package pythontests

import (
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/cases"
)

// row is a test of rdma-core's.
type row struct {
	family string
	file   string
	line   int    // from 0
	test   string // class and name
	shows  string
	ours   []string  // IDs of cases, or tests as PACKAGE.NAME; none where nothing shows it
	theirs [3]string // ok, fail, skip, or – for a suite that lacks the test; by report
	cases  [3]string // what became of ours, by report
}

// notRun is a case that is newer than a report.
const notRun = "not run"

var testForm = regexp.MustCompile(`^[A-Za-z]+\.test_[a-z0-9_]+$`)

// rows reads the rows of the table, below its heading. A column of results has theirs / ours.
func rows(t *testing.T, lines []string) []*row {
	t.Helper()
	var out []*row
	for i, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		r := &row{line: i + 1}
		if len(cells) != 5+len(r.theirs) || !testForm.MatchString(cells[2]) {
			t.Fatalf("%s:%d is no row: %s", table, i+2, line)
		}
		r.family, r.file, r.test, r.shows, r.ours = cells[0], cells[1], cells[2], cells[3], strings.Fields(cells[4])
		for k, c := range cells[5:] {
			r.theirs[k], _, _ = strings.Cut(c, " / ")
			if !slices.Contains([]string{"ok", "fail", "skip", "–"}, r.theirs[k]) {
				t.Errorf("%s:%d: %q of theirs", table, i+2, r.theirs[k])
			}
		}
		out = append(out, r)
	}
	return out
}

// String is the line of the row.
func (r *row) String() string {
	cells := []string{r.family, r.file, r.test, r.shows, strings.Join(r.ours, " ")}
	for k := range r.theirs {
		cells = append(cells, r.theirs[k]+" / "+r.cases[k])
	}
	return strings.Join(cells, "\t")
}

// judge finds what became of the row's cases. Of several the worst counts. A Go test runs with the kernel by make conformance-vm, which
// writes no report: it counts as "test".
func (r *row) judge(t *testing.T, reports []map[string]string) {
	order := []string{"test", "pass", "known", "skip", notRun}
	for k, status := range reports {
		worst := -1
		for _, name := range r.ours {
			is := "test"
			if strings.HasPrefix(name, "CF-") {
				if is = cmp.Or(status[name], notRun); k == 0 && !slices.ContainsFunc(cases.All(), func(c suite.Case) bool { return c.ID == name }) {
					t.Errorf("%s:%d: no case %s", table, r.line+1, name)
				}
			} else if k == 0 && !isTest(t, name) {
				t.Errorf("%s:%d: no test %s", table, r.line+1, name)
			}
			worst = max(worst, slices.Index(order, is))
		}
		r.cases[k] = "–"
		if worst >= 0 {
			r.cases[k] = order[worst]
		}
	}
}

// isTest reports whether a package below conformance has a test: "device.TestCensus".
func isTest(t *testing.T, name string) bool {
	t.Helper()
	folder, name, _ := strings.Cut(name, ".")
	files, err := filepath.Glob(filepath.Join("..", "..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	below, _ := filepath.Glob(filepath.Join("..", "..", "*", folder, "*_test.go")) // of the same form
	for _, f := range append(files, below...) {
		file, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if testName(d) == name {
				return true
			}
		}
	}
	return false
}

// everything is the row of all families.
const everything = "all"

// counts is the table of the families of which something is missing, and of all: their tests, and on each kernel how many of those that
// pass have a case or test of ours that shows the same there. A known defect counts: the case found what the test of theirs did not look
// at.
func counts(all []*row) []string {
	out := []string{"| family | tests | " + headings() + " |", "|---|---|---|---|---|"}
	type count struct{ tests, ok, shown int }
	line := func(name string, of func(r *row) bool) {
		var n [3]count
		for _, r := range all {
			for k := range n {
				if !of(r) {
					continue
				}
				n[k].tests++
				if r.theirs[k] == "ok" {
					n[k].ok++
					if !slices.Contains([]string{"–", "skip", notRun}, r.cases[k]) {
						n[k].shown++
					}
				}
			}
		}
		cells, complete := fmt.Sprintf("| %s | %d |", name, n[0].tests), true
		for _, c := range n {
			cells += fmt.Sprintf(" %d of %d |", c.shown, c.ok)
			complete = complete && c.shown == c.ok
		}
		if !complete || name == everything {
			out = append(out, cells)
		}
	}
	var families []string
	for _, r := range all {
		if !slices.Contains(families, r.family) {
			families = append(families, r.family)
		}
	}
	for _, f := range families {
		line(f, func(r *row) bool { return r.family == f })
	}
	line(everything, func(*row) bool { return true })
	return out
}
