package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/input"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/maintain/coverage"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestLimitationsNumbers computes the table of numbers in docs/guide/limitations.md; -update writes it. Rules and cases are rounded down,
// so that not every new one changes the page.
func TestLimitationsNumbers(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "guide", "limitations.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const end = "\n\n## "
	i := strings.Index(string(data), "## In numbers\n\n| | |\n|---|---|\n")
	if i < 0 {
		t.Fatal(file + " has no table of numbers")
	}
	i += len("## In numbers\n\n| | |\n|---|---|\n")
	j := i + strings.Index(string(data)[i:], end)
	want := strings.TrimSuffix(numbers(t), "\n")
	if *update {
		data = []byte(string(data)[:i] + want + string(data)[j:])
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := string(data)[i:j]; got != want {
		t.Errorf("docs/guide/limitations.md has other numbers than the pages and reports; "+
			"run go test ./cmd/verbsgen -run LimitationsNumbers -update\n%s\nwant\n%s", got, want)
	}
}

// numbers is the table.
func numbers(t *testing.T) string {
	var b strings.Builder
	rules := 0
	for _, module := range []string{spec.DefaultModule, "rdmacm"} {
		rel, sp, err := input.Load(input.Source{Module: module})
		if err != nil {
			t.Fatal(err)
		}
		bound, total := 0, 0
		r := coverage.New(rel, sp)
		for _, f := range r.Functions {
			total++
			if f.Status == "bound" {
				bound++
			}
		}
		rules += r.Rules.Total
		short, _, _ := strings.Cut(sp.Module.Library, ".so")
		names := "verbsgen coverage --names"
		if module != spec.DefaultModule {
			names += " --module " + module
		}
		fmt.Fprintf(&b, "| functions of %s %s with a method | %d of %d; `%s` has the reason for each other one |\n",
			short, rel.Release, bound, total, names)
	}
	known := api.Releases()
	fmt.Fprintf(&b, "| releases of rdma-core that it knows | %d, from %s to %s |\n", len(known), known[0], known[len(known)-1])
	fmt.Fprintf(&b, "| rules of their man pages | more than %d, each with its source |\n", rules/100*100)
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "reports", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no reports", err)
	}
	m, err := readReports(files)
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for _, f := range m.Families {
		cases += len(f.Rows)
	}
	fmt.Fprintf(&b, "| cases of the conformance suite | more than %d, on %d devices and releases: [results](../conformance-matrix.md) |\n",
		cases/25*25, len(m.Columns))
	return b.String()
}
