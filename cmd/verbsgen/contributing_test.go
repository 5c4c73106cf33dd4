package main

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// contributing returns CONTRIBUTING.md and the files of the repository.
func contributing(t *testing.T) (string, fs.FS) {
	t.Helper()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text), os.DirFS(root)
}

// TestContributingUpdate compares the table of -update flags with the packages whose tests have one.
func TestContributingUpdate(t *testing.T) {
	text, repo := contributing(t)
	has := map[string]bool{}
	err := fs.WalkDir(repo, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != "." {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		data, err := fs.ReadFile(repo, name)
		if bytes.Contains(data, []byte(`flag.Bool("`+`update"`)) {
			has[path.Dir(name)] = true
		}
		return err
	})
	if err != nil || len(has) < 5 {
		t.Fatalf("%d packages with the flag, %v", len(has), err)
	}
	listed := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `go test \\./(\\S+) .*?-update` \\|").FindAllStringSubmatch(text, -1) {
		listed[row[1]] = true
		if !has[row[1]] {
			t.Errorf("CONTRIBUTING.md lists -update of %s, whose tests do not have it", row[1])
		}
	}
	for dir := range has {
		if !listed[dir] {
			t.Errorf("tests in %s have a flag -update, which the table in CONTRIBUTING.md does not list", dir)
		}
	}
}

// TestContributingNames looks for the files and packages that CONTRIBUTING.md names; TestCommands of conformance/documents/guides looks for
// the tests and make targets.
func TestContributingNames(t *testing.T) {
	text, repo := contributing(t)
	named := regexp.MustCompile("[`(](?:\\./)?((?:[a-z]+/)*[A-Za-z._-]*(?:/|\\.(?:go|md|yaml|txt|json|tmpl|h))[a-z]*)[`)#]")
	tops := []string{"", "cmd/verbsgen/internal", "cmd/verbsgen/internal/diag"}
	found := 0
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		name := m[1]
		if strings.Contains(name, "NAME") || strings.Contains(name, "PAGE") || strings.HasPrefix(name, "try/") {
			continue
		}
		if !slices.ContainsFunc(tops, func(top string) bool { _, err := fs.Stat(repo, path.Join(top, name)); return err == nil }) {
			t.Errorf("CONTRIBUTING.md names %s, which is not there", name)
		}
		found++
	}
	if found < 20 {
		t.Errorf("only %d names of files were looked for", found)
	}
}
