package scaffold

import (
	"testing"
	"testing/fstest"

	"github.com/verbsgen/verbsgen/spec"
)

// TestReadMan reads the man pages of a package and those in the source of rdma-core: there some are Markdown, and a page names the
// functions that it is about.
func TestReadMan(t *testing.T) {
	m, err := ReadMan(fstest.MapFS{
		"tea_brew.3": {Data: []byte(".TH TEA 3\n.SH NAME\ntea_brew, tea_pour \\- brew and pour\n" +
			".SH \"RETURN VALUE\"\n-1 on error.\n.SH NOTES\n")},
		"tea_drink.3": {Data: []byte(".so man3/tea_brew.3\n")},
		"tea_cup.3.md": {Data: []byte("---\ntitle: TEA_CUP\n---\n\n# NAME\n\ntea_cup,\ntea_saucer - cups\n\n" +
			"# RETURN VALUE\n\n0, or errno.\n\n# NOTES\n\n-1\n")},
		"tea_saucer.md": {Data: []byte("no page")},
	})
	if err != nil {
		t.Fatal(err)
	}
	brew, cup := [2]string{"tea_brew", spec.RetMinus1}, [2]string{"tea_cup", spec.RetErrno}
	want := map[string][2]string{"tea_brew": brew, "tea_pour": brew, "tea_drink": brew, "tea_cup": cup, "tea_saucer": cup, "cups": {}}
	for fn, want := range want {
		if page, ret := m.PageOf(fn), m.Returns(fn); page != want[0] || ret != want[1] {
			t.Errorf("%s: page %q, returns %q, want %q", fn, page, ret, want)
		}
	}
}
