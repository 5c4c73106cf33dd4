package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed reasons.txt
var reasonsText string

// count is a row of the table.
type count struct {
	area                      string
	most                      int // mutants that are meant to be run, beside those listed
	invalid, killed, survived int
}

type summary struct {
	rows      []count
	survivors []result
	listed    []result
	reasons   map[string]string
}

// summarize counts the results of the areas. Each line of reasons is the ID of a mutant, " => " and why no test notices it.
func summarize(areas []area, all []result, reasons string) (*summary, error) {
	s := &summary{reasons: map[string]string{}}
	for line := range strings.Lines(reasons) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, why, found := strings.Cut(line, " => ")
		if !found {
			return nil, fmt.Errorf("reasons.txt: no => in %q", line)
		}
		s.reasons[id] = why
	}
	listed := map[string]result{}
	for _, a := range areas {
		row := count{area: a.name, most: a.most}
		for _, r := range all {
			if r.Area != a.name {
				continue
			}
			switch r.Status {
			case killed:
				row.killed++
			case invalid:
				row.invalid++
			case survived:
				row.survived++
				s.survivors = append(s.survivors, r)
			}
			if r.Name != "" {
				listed[r.File+r.Name] = r
			}
		}
		s.rows = append(s.rows, row)
	}
	slices.SortStableFunc(s.survivors, func(a, b result) int { return strings.Compare(a.ID, b.ID) })
	for _, k := range known {
		r, run := listed[k.file+k.name]
		if !run {
			r = result{File: k.file, Name: k.name, Status: "not run yet"}
		}
		s.listed = append(s.listed, r)
	}
	return s, nil
}

func (c count) rate() string {
	if c.killed+c.survived == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(c.killed)/float64(c.killed+c.survived))
}

func (s *summary) table() string {
	var b strings.Builder
	b.WriteString("| area | to run | run | killed | survived | kill rate | invalid |\n|---|---|---|---|---|---|---|\n")
	sum := count{area: "all"}
	for _, r := range append(s.rows, count{}) {
		if r.area == "" {
			r = sum
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %s | %d |\n", r.area, r.most, r.killed+r.survived, r.killed, r.survived, r.rate(), r.invalid)
		sum.most, sum.invalid = sum.most+r.most, sum.invalid+r.invalid
		sum.killed, sum.survived = sum.killed+r.killed, sum.survived+r.survived
	}
	return b.String()
}

// page is the report, in Markdown.
func (s *summary) page(seed uint64) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Mutants

A mutant is the code with one small change. It is killed when a test fails, and survives when none does. Mutants of Go code are found by
gremlins (%s); those of C code and of the pages by conformance/abuse/mutants, whose areas.go has the tests that are run for each area. They are chosen by seed %d,
at most one of a line, and of lines of a file that are alike. A mutant that does not compile is invalid and not counted.
In the table, "to run" leaves out the mutants listed by name; where fewer were run than that, the run was ended before. Mutants of the pages and of the templates are judged by the tests of the
bindings that are generated from them, since the comparison with what is checked in would notice every one.

%s
`, finder, seed, s.table())
	b.WriteString("## Listed by name\n\n| mutant | file | result | noticed by |\n|---|---|---|---|\n")
	for _, r := range s.listed {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Name, r.File, r.Status, code(r.By))
	}
	b.WriteString("\n## Survivors\n\n| place | change | line | why no test notices it |\n|---|---|---|---|\n")
	for _, r := range s.survivors {
		why := s.reasons[r.ID]
		if why == "" {
			why = "a test is missing"
		}
		fmt.Fprintf(&b, "| %s:%d | %s to %s | %s | %s |\n", r.File, r.Line, code(r.Old), code(r.New), code(r.Text), why)
	}
	return b.String()
}

// code is a text as code in a cell of a table.
func code(s string) string {
	if s == "" {
		return "nothing"
	}
	return "`" + strings.NewReplacer("|", "\\|", "\n", " ", "\t", " ", "`", "'").Replace(s) + "`"
}
