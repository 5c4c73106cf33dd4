package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// TestOwnPagesName holds the names of the own pages against all known releases, as the command does for the pages of
// others each time.
func TestOwnPagesName(t *testing.T) {
	sp, err := spec.Embedded("")
	if err != nil {
		t.Fatal(err)
	}
	var rels []*api.Release
	for _, name := range api.Releases() {
		rel, err := api.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		rels = append(rels, rel)
	}
	if err := sp.CheckNames(rels...); err != nil {
		t.Error(err)
	}
}

// TestPlaceOfKey changes the installed header so that it contradicts one key of a page: the error names the line of this key, also when
// other pages are laid over the project's own.
func TestPlaceOfKey(t *testing.T) {
	data, err := os.ReadFile(installedHeader)
	if err != nil {
		t.Skip("libibverbs-dev is not installed (make setup): ", err)
	}
	header, over := filepath.Join(t.TempDir(), "verbs.h"), t.TempDir()
	writeFile(t, header, []byte(strings.Replace(string(data), "int ibv_destroy_cq(", "void ibv_destroy_cq(", 1)))
	writeFile(t, filepath.Join(over, "more.yaml"), []byte("extends: ibv_create_cq\nnotes:\n"+
		"  - {verb: ibv_create_cq, statement: our device has none, section: NOTES, passage: 0123456789abcdef}\n"))
	for _, more := range [][]string{nil, {"--spec", over}} {
		args := append([]string{"generate", "--header", header, "-I", "/usr/include", "-o", t.TempDir(), "--allow-changed-abi"}, more...)
		var out strings.Builder
		_, list := runList(t.Context(), args, &out, &out)
		i := slices.IndexFunc(list, func(d diag.Diag) bool { return d.Subject == "ibv_destroy_cq" })
		if i < 0 {
			t.Errorf("%q: no error of ibv_destroy_cq:\n%s", more, clip(list.Error(), 1500))
			continue
		}
		page, err := os.ReadFile("../../" + list[i].File)
		if err != nil {
			t.Fatal(err)
		}
		line := strings.Split(string(page), "\n")[list[i].Line-1]
		if !strings.HasPrefix(line[list[i].Col-1:], "errno") || !strings.Contains(line, "returns: errno") {
			t.Errorf("%q: %v: the line is %q", more, list[i], line)
		}
	}
}
