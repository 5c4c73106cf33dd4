package guides

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

var (
	firstCell = regexp.MustCompile(`(?m)^\| (.*?) \|`)
	headerFn  = regexp.MustCompile(`(?m)^(?:(?:static inline|int|void) .*)?\b(rdma_[a-z0-9_]+)\([^;{}]*\)(?:;|\n\{)`)
)

// named lists the functions in the first column of a section of docs/rdmacm.md, sorted.
func named(t *testing.T, section string) []string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/rdmacm.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(page), "## "+section+"\n")
	if !ok {
		t.Fatalf("no section %q", section)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	var out []string
	for _, row := range firstCell.FindAllStringSubmatch(text, -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			if name = strings.Trim(name, "`"); strings.HasPrefix(name, "rdma_") {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return out
}

// TestWithoutMethod holds the document to the functions that the pages skip.
func TestWithoutMethod(t *testing.T) {
	s, err := spec.Embedded("rdmacm")
	if err != nil {
		t.Fatal(err)
	}
	known, err := api.KnownOf("rdmacm.txt")
	if err != nil {
		t.Fatal(err)
	}
	rel, err := known.Load(known.Newest())
	if err != nil {
		t.Fatal(err)
	}
	var skipped []string
	for _, f := range rel.Functions {
		if s.SkipByC(f.Name) != nil {
			skipped = append(skipped, f.Name)
		}
	}
	slices.Sort(skipped)
	if got := named(t, "Functions of rdma_cma.h without a method"); !slices.Equal(got, skipped) || len(got) < 10 {
		t.Errorf("docs/rdmacm.md has %q, the pages skip %q", got, skipped)
	}
}

// TestHelpers holds the document to the functions that the installed rdma_verbs.h declares.
func TestHelpers(t *testing.T) {
	const file = "/usr/include/rdma/rdma_verbs.h"
	header, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("the header of librdmacm is not installed: %v", err)
	}
	var declared []string
	for _, m := range headerFn.FindAllStringSubmatch(string(header), -1) {
		declared = append(declared, m[1])
	}
	slices.Sort(declared)
	if got := named(t, "Helpers of rdma_verbs.h"); !slices.Equal(got, declared) || len(got) < 10 {
		t.Errorf("docs/rdmacm.md has %q, %s declares %q", got, file, declared)
	}
}
