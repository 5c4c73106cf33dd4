package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// changes are the mutants as "old>new", in the order of their places.
func changes(t *testing.T, found []mutant, text string) []string {
	t.Helper()
	slices.SortStableFunc(found, func(a, b mutant) int { return a.at - b.at })
	var out []string
	for _, m := range found {
		changed, err := m.of(text)
		if err != nil || changed == text {
			t.Errorf("%s: %v", m, err)
		}
		out = append(out, fmt.Sprintf("%d %s>%s", m.line, m.old, m.new))
	}
	return out
}

func compare(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestScanC(t *testing.T) {
	const text = `#define MORE (a + b)
// a == b
static int f(int a)
{
	if (a <= 3 && a != 1) // a > b
		return EINVAL;
	svb_drop(a);
	x |= 1;
	say("a + b");
	return 0;
}
`
	compare(t, "C", changes(t, scanC("a.c", text), text), "5 <=><", "5 &&>||", "5 !=>==", "6 EINVAL>0", "7 svb_drop(a);>;", "8 |=>=")
}

func TestScanPage(t *testing.T) {
	const text = `page: p
verbs:
    max: 9

rules:
  - id: VR-1
    kind: range
    max: 9
    values: [A, B, C]

  - id: VR-2
    kind: cap_bound
    severity: lint
    cap: device_attr.max_qp

  - kind: cap_bound
    cap: device_attr.max_cq
    severity: lint
`
	compare(t, "a page", changes(t, scanPage("p.yaml", text), text),
		"7 kind: range>kind: range\n    severity: lint", "8 9>10", "9 A, >",
		"13 severity: lint>severity: error", "14 device_attr.max_qp>device_attr.max_cq",
		"17 device_attr.max_cq>device_attr.max_qp", "18 severity: lint>severity: error")
}

func TestListed(t *testing.T) {
	const text = "package p\n\nvar ok = 1 <= 2 && 3 != 4\n"
	read := func(string) (string, error) { return text, nil }
	list := `{"files":[{"file_name":"p.go","mutations":[{"type":"CONDITIONALS_BOUNDARY","line":3,"column":12},
		{"type":"CONDITIONALS_NEGATION","line":3,"column":12},{"type":"INVERT_LOGICAL","line":3,"column":17}]},
		{"file_name":"p.gen.go","mutations":[{"type":"INVERT_LOGICAL","line":3,"column":17}]}]}`
	found, err := listed([]byte(list), "d", []string{"d/p.go"}, read)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "gremlins", changes(t, found, text), "3 <=><", "3 <=>>", "3 &&>||")
	for _, bad := range []string{`{"type":"INVERT_LOGICAL","line":3,"column":5}`, `{"type":"INVERT_LOGICAL","line":9,"column":1}`,
		`{"type":"NEW","line":3,"column":12}`} {
		if _, err := listed([]byte(`{"files":[{"file_name":"p.go","mutations":[`+bad+`]}]}`), "d", []string{"d/p.go"}, read); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// TestChoose takes the same mutants by the same seed, those listed by name first, and one of a line.
func TestChoose(t *testing.T) {
	var found []mutant
	for i := range 20 {
		text := fmt.Sprintf("a%d == b && c\n", i)
		found = append(found, newMutant(fmt.Sprint("f", i), text, strings.Index(text, "=="), "==", "!=", "negation"),
			newMutant(fmt.Sprint("f", i), text, strings.Index(text, "&&"), "&&", "||", "logic"))
	}
	found[30].name = "listed"
	alike := "\tif (a && b)\n\tif (c)\n\tif (a && b)\n"
	found = append(found, newMutant("g", alike, strings.Index(alike, "&&"), "&&", "||", "logic"),
		newMutant("g", alike, strings.LastIndex(alike, "&&"), "&&", "||", "logic"))
	order := func(seed uint64) []string {
		var out []string
		for _, m := range choose(found, seed) {
			out = append(out, m.id())
		}
		return out
	}
	one := order(1)
	if !slices.Equal(one, order(1)) || slices.Equal(one, order(2)) {
		t.Error("the order is not that of the seed")
	}
	if one[0] != found[30].id() || len(one) != 22 {
		t.Errorf("%d mutants, %s first", len(one), one[0])
	}
}

// TestKnown finds each mutant that is listed by name, once.
func TestKnown(t *testing.T) {
	tr := &tree{root: "../../.."}
	n := 0
	for _, a := range areas() {
		found, err := namedOf(a.name, tr)
		if err != nil {
			t.Error(err)
		}
		n += len(found)
	}
	if n != len(known) {
		t.Errorf("%d of %d are of an area", n, len(known))
	}
}

// TestAreas looks at the files of each area.
func TestAreas(t *testing.T) {
	for _, a := range areas() {
		files, err := a.sources("../../..")
		if err != nil || len(files) == 0 {
			t.Errorf("%s: %d files, %v", a.name, len(files), err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") || strings.Contains(f, ".gen.") {
				t.Errorf("%s: %s", a.name, f)
			}
		}
	}
}

func TestReport(t *testing.T) {
	all := []result{
		{ID: "a.go: one", Area: "gogen", Status: killed}, {ID: "a.go: two", Area: "gogen", Status: killed},
		{ID: "a.go: three", Area: "gogen", Status: invalid},
		{ID: "a.go: four", Area: "gogen", Status: survived, File: "a.go", Line: 7, Old: "||", New: "&&", Text: "if a || b {"},
		{ID: "b.go: five", Area: "gogen", Status: survived, File: "b.go", Line: 8, Old: "<", New: "<=", Text: "if a < b {"},
		{ID: "c.go: name", Area: "gogen", Status: killed, File: known[0].file, Name: known[0].name, By: "go test ./c"},
	}
	s, err := summarize([]area{{name: "gogen", most: 20}}, all, "# why\n\na.go: four => equal\n")
	if err != nil {
		t.Fatal(err)
	}
	page := s.page(1)
	for _, want := range []string{
		"| gogen | 20 | 5 | 3 | 2 | 60.0 % | 1 |\n", "| all | 20 | 5 | 3 | 2 | 60.0 % | 1 |\n",
		"| a.go:7 | `\\|\\|` to `&&` | `if a \\|\\| b {` | equal |\n", "| b.go:8 | `<` to `<=` | `if a < b {` | a test is missing |\n",
		"| " + known[0].name + " | " + known[0].file + " | killed | `go test ./c` |\n",
		"| " + known[1].name + " | " + known[1].file + " | not run yet | nothing |\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if _, err := summarize(nil, nil, "no reason\n"); err == nil {
		t.Error("a line without a reason is taken")
	}
}
