package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestScan finds the mutants of C, of Go and of a page.
func TestScan(t *testing.T) {
	for file, c := range map[string]struct {
		text string
		want []string
	}{
		"a.c": {`#define MORE (a + b)
// a == b
	if (a <= 3 && a != 1) // a > b
		return EINVAL;
	svb_drop(a);
	x |= 1;
	say("a + b");
`, []string{"3 !=>==", "3 &&>||", "3 <=><", "4 EINVAL>0", "5 svb_drop(a)>", "6 |=>="}},
		"a.go": {`package a
	// a == b
	if !ok && a == b+"x" {
	if !ok {
	for ; i < n; i++ {
		break
	lib.close()
`, []string{"4 !>", "5 <><=", "5 ++>--", "6 break>continue", "7 lib.close()>"}},
		"p.yaml": {`page: p
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
`, []string{"7 kind: range>kind: range\n    severity: lint", "8 9>10", "9 A,>", "13 lint>error", "14 device_attr.max_qp>device_attr.max_cq",
			"17 device_attr.max_cq>device_attr.max_qp", "18 lint>error"}},
	} {
		var got []string
		for _, m := range scan(file, c.text) {
			got = append(got, fmt.Sprintf("%d %s>%s", m.line, m.old, m.new))
			if m.file != file || m.changed == c.text || len(m.changed) < len(c.text)-len(m.old)-3 {
				t.Errorf("%v makes\n%s", m, m.changed)
			}
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", file, got, c.want)
		}
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

// TestJudge makes mutants that a test notices, that none does, and that do not compile; and runs a test that fails without a mutant.
func TestJudge(t *testing.T) {
	dir := t.TempDir()
	const text = "package small\n\nfunc Twice(n int) int { return n + n }\n\nfunc Less(n int) int { return n - 1 }\n\n" +
		"func Name(a, b string) string { return a + b }\n"
	for name, content := range map[string]string{"go.mod": "module example.com/small\n\ngo 1.26\n", "small.go": text,
		"small_test.go": "package small\n\nimport \"testing\"\n\n" +
			"func TestTwice(t *testing.T) {\n\tif Twice(3) != 6 {\n\t\tt.Error(\"not twice\")\n\t}\n}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "."}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	a := area{files: []string{"*.go"}, tests: []string{"test ./..."}}
	counts, err := tree(dir).area(t.Context(), a, 9, 1)
	if err != nil || counts[killed] != 1 || counts[survived] != 1 || counts[invalid] != 1 {
		t.Errorf("%v, %v", counts, err)
	}
	if now, err := os.ReadFile(filepath.Join(dir, "small.go")); err != nil || string(now) != text {
		t.Errorf("a mutant is left behind: %v\n%s", err, now)
	}
	a.tests = append(a.tests, "test ./absent")
	if _, err := tree(dir).area(t.Context(), a, 9, 1); err == nil || !strings.Contains(err.Error(), "without a mutant: go test ./absent") {
		t.Error(err)
	}
}
