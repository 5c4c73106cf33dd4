package emit

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryStepPrinted asks that emit prints each step and value of package plan, or the steps that it is made of, and that plan makes
// each.
func TestEveryStepPrinted(t *testing.T) {
	text := func(pattern string) (all string) {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all += string(data)
		}
		return all
	}
	names := func(in, pattern string) (list []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(in, -1) {
			list = append(list, m[1])
		}
		return list
	}
	steps := names(text("../plan/steps.go")+text("../plan/points.go"), `(?m)^\t(\w+) struct\b`)
	printed := names(text("[a-z]*.go"), `\bplan\.([A-Z]\w+)`)
	printed = append(printed, names(text("../plan/lower.go"), `(?m)^func \((?:s )?(\w+)\) Steps\(\)`)...)
	kinds := names(text("../plan/value.go"), `(?m)^\t(\w+) +As = "\w`)
	made := names(text("../plan/[a-z]*.go"), `\b([A-Z]\w+)\{`)
	made = append(made, names(text("../plan/[a-z]*.go"), `\bAs: ([A-Z]\w+)`)...)
	if len(steps) < 30 || len(kinds) < 8 {
		t.Fatalf("only %d steps and %d kinds of values", len(steps), len(kinds))
	}
	for _, s := range append(steps, kinds...) {
		if !slices.Contains(printed, s) {
			t.Errorf("nothing prints a plan.%s", s)
		}
		if !slices.Contains(made, s) {
			t.Errorf("no plan has a %s", s)
		}
	}
}
