package exports_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/documents/exports"
)

var update = flag.Bool("update", false, "store what the packages export now in docs/api")

const stored = "../../../docs/api"

// TestExports compares what programs import with docs/api, where it stands as it was in the last release, or when `go test ./conformance/documents/exports -update` stored it.
// A difference that may break programs is an error unless CHANGELOG.md names it under its first heading. With -update, which a release
// runs, so is any other one.
func TestExports(t *testing.T) {
	before, now := storedLists(t), lists(t)
	if len(now) < 6 {
		t.Fatalf("only %d packages", len(now))
	}
	var changes []exports.Change
	all := maps.Clone(before)
	maps.Copy(all, now)
	for _, pkg := range slices.Sorted(maps.Keys(all)) {
		changes = append(changes, exports.Diff(pkg, before[pkg], now[pkg])...)
	}
	if !*update {
		changes = slices.DeleteFunc(changes, func(c exports.Change) bool { return !c.Breaks })
	}
	unnamed := exports.Unnamed(changes, unreleased(t))
	for _, c := range unnamed {
		kind := "addition"
		if c.Breaks {
			kind = "may break programs"
		}
		t.Errorf("%s (%s)", c, kind)
	}
	if len(unnamed) > 0 {
		t.Fatal("name each of them in a line under the first heading of CHANGELOG.md, as `verbs.QP.Modify` or `verbs.QPAttr.*`, in backticks")
	}
	if *update {
		store(t, now)
	}
}

// lists has what the packages of the tree export, by their paths without gen and runtime.
func lists(t *testing.T) map[string]exports.List {
	t.Helper()
	pkgs, err := exports.Load()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]exports.List{}
	for short, pkg := range pkgs {
		all[short] = exports.Of(pkg)
	}
	return all
}

// storedLists reads docs/api, where a package is a file.
func storedLists(t *testing.T) map[string]exports.List {
	t.Helper()
	files, err := filepath.Glob(stored + "/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]exports.List{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pkg := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".txt"), "-", "/")
		all[pkg] = exports.Read(string(text))
	}
	return all
}

// store replaces docs/api.
func store(t *testing.T, now map[string]exports.List) {
	t.Helper()
	if err := os.RemoveAll(stored); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(stored, 0o777); err != nil {
		t.Fatal(err)
	}
	for pkg, l := range now {
		if err := os.WriteFile(filepath.Join(stored, strings.ReplaceAll(pkg, "/", "-")+".txt"), []byte(l.Text()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// unreleased is the text under the first heading of the changelog.
func unreleased(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## ")
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}
