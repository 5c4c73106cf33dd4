package spec

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
)

// TestDiffering changes, adds and removes a page.
func TestDiffering(t *testing.T) {
	clone := fstest.MapFS{}
	for _, name := range globPages(pages) {
		data := must(fs.ReadFile(pages, name))(t)
		clone[name] = &fstest.MapFile{Data: data}
	}
	if got := Differing(clone); len(got) != 0 {
		t.Errorf("equal pages: %q", got)
	}
	clone["verbs/ibv_reg_mr.yaml"] = &fstest.MapFile{Data: []byte("page: ibv_reg_mr\n")}
	clone["label/module.yaml"] = &fstest.MapFile{}
	delete(clone, "verbs/ibv_alloc_pd.yaml")
	if got, want := Differing(clone), []string{"label/module.yaml", "verbs/ibv_alloc_pd.yaml",
		"verbs/ibv_reg_mr.yaml"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
