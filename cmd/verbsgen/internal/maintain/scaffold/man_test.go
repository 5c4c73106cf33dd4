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
		"tea_brew.3":    {Data: []byte(".TH TEA 3\n.SH NAME\ntea_brew, tea_pour \\- brew and pour\n.SH \"RETURN VALUE\"\n-1 on error.\n.SH NOTES\n")},
		"tea_drink.3":   {Data: []byte(".so man3/tea_brew.3\n")},
		"tea_cup.3.md":  {Data: []byte("---\ntitle: TEA_CUP\n---\n\n# NAME\n\ntea_cup,\ntea_saucer - cups\n\n# RETURN VALUE\n\n0, or errno.\n\n# NOTES\n\n-1\n")},
		"tea_saucer.md": {Data: []byte("no page")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for fn, want := range map[string][2]string{"tea_brew": {"tea_brew", spec.RetMinus1}, "tea_pour": {"tea_brew", spec.RetMinus1},
		"tea_drink": {"tea_brew", spec.RetMinus1}, "tea_cup": {"tea_cup", spec.RetErrno}, "tea_saucer": {"tea_cup", spec.RetErrno}, "cups": {"", ""}} {
		if page, ret := m.PageOf(fn), m.Returns(fn); page != want[0] || ret != want[1] {
			t.Errorf("%s: page %q, returns %q, want %q", fn, page, ret, want)
		}
	}
}
