package audit

import (
	"slices"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

// Lines of C and single words need no entry, comments and sentences do.
func TestNeedless(t *testing.T) {
	pieces := []string{
		"A sentence.", "struct tea_pot {", "int cups;", "/* how many", "cups it has", "*/", "int lid; /* a lid */", "struct {", "int x;",
		"} knob;", "};", "More text;", "TEA_GREEN", "union tea_water {", "} a comment is no code",
	}
	want := []bool{false, true, true, false, false, true, false, true, true, true, true, false, true, true, true}
	if got := needless(pieces); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestUnaccounted(t *testing.T) {
	for _, tool := range tools(t) {
		page := &spec.Page{Page: "tea_brew"}
		all, absent, err := tool.Unaccounted(t.Context(), []*spec.Page{page, {Page: "tea_pour"}}, "testdata")
		if err != nil {
			t.Fatal(err)
		}
		if len(all) < 5 || !slices.Equal(absent, []string{"tea_pour"}) {
			t.Fatalf("%s: %+v, %q absent", tool.Name, all, absent)
		}
		for i, p := range all {
			if p.Page != "tea_brew" || p.Section == "NAME" {
				t.Errorf("%s: %+v", tool.Name, p)
			}
			if i > 0 {
				page.Plain = append(page.Plain, spec.Plain{Section: p.Section, Passage: p.Hash})
			}
		}
		rest, _, err := tool.Unaccounted(t.Context(), []*spec.Page{page}, "testdata")
		if err != nil || len(rest) != 1 || rest[0] != all[0] {
			t.Errorf("%s: %+v and %v, want %+v", tool.Name, rest, err, all[0])
		}
	}
}
