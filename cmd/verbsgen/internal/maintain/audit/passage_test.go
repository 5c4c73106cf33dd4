package audit

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// tools returns every renderer of this machine.
func tools(t *testing.T) []Tool {
	t.Helper()
	var out []Tool
	for _, name := range []string{"groff", "mandoc"} {
		if path, err := exec.LookPath(name); err == nil {
			out = append(out, Tool{Name: name, Path: path})
		}
	}
	if len(out) == 0 {
		t.Skip("neither groff nor mandoc is installed")
	}
	return out
}

// The hashes of the fake page are pinned: rules keep such hashes for years, so a change of rendering, normalising
// or splitting that moves them is a break, not a clean-up.
func TestHashesOfAPageAreStable(t *testing.T) {
	want := []struct{ section, text, hash string }{
		{"DESCRIPTION", "tea_brew() brews tea in pot.", "e5abc3faec309871"},
		{"DESCRIPTION", "The pot must be warm;", "c7ecd88581c7676e"},
		{"DESCRIPTION", "The pot must be warm; a cold one cracks.", "99c266e8c473030a"},
		{"DESCRIPTION", "TEA_GREEN Green tea, at less-than-boiling heat.", "c909a577cdb7243b"},
		{"DESCRIPTION", "TEA_LONG A tag and its text can be one passage.", "f9fdb83d30ae9442"},
		{"DESCRIPTION", "one bulleted item", "15cd22c490f806ea"},
		{"Serving", "Lines that are not filled break where the author broke them.", "93d89b980836c33e"},
		{"Serving", "Two lines are one passage.", "cebd497a2a209655"},
		{"NOTES", "Milk is not brewed.", "5717dc5d33b49dc3"},
	}
	for _, tool := range tools(t) {
		sections, err := tool.sections(t.Context(), "testdata", "tea_brew")
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		all := passages(sections, maxRun)
		for _, w := range want {
			i := slices.IndexFunc(all, func(p Passage) bool { return p.Section == w.section && p.Text == w.text })
			if i < 0 {
				t.Errorf("%s: no passage %q in section %s", tool.Name, w.text, w.section)
			} else if all[i].Hash != w.hash {
				t.Errorf("%s: hash of %q is %s, want %s", tool.Name, w.text, all[i].Hash, w.hash)
			}
		}
	}
}

func TestToolsAgree(t *testing.T) {
	found := tools(t)
	if len(found) < 2 {
		t.Skipf("only %s is installed", found[0].Name)
	}
	var all [2][]Passage
	for i, tool := range found[:2] {
		sections, err := tool.sections(t.Context(), "testdata", "tea_brew")
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		all[i] = passages(sections, maxRun)
	}
	if len(all[0]) == 0 || !slices.Equal(all[0], all[1]) {
		t.Errorf("%s gives %d passages, %s %d; they must be the same", found[0].Name, len(all[0]), found[1].Name, len(all[1]))
	}
}

func TestParseDropsHeaderAndFooter(t *testing.T) {
	got := parse("TEA(3)   Manual   TEA(3)\n\nNAME\n    tea - a drink\n\ntea   2024   TEA(3)\n")
	if len(got) != 1 || got[0].name != "NAME" || !slices.Equal(got[0].pieces, []string{"tea - a drink"}) {
		t.Errorf("got %q", got)
	}
	for _, short := range []string{"", "\n", "TEA(3)\n"} {
		if got := parse(short); len(got) != 0 {
			t.Errorf("parse(%q) = %q, want nothing", short, got)
		}
	}
}

func TestParseJoinsBrokenLines(t *testing.T) {
	half := strings.Repeat("word ", lineWidth/5-3)
	got := parse("H\nS\n  " + half + "less-\n  than the rest.\n  Own line\n  and another\nF\n")
	want := []string{half + "less-than the rest.", "Own line", "and another"}
	if len(got) != 1 || !slices.Equal(got[0].pieces, want) {
		t.Errorf("got %q", got)
	}
}

func TestNormalise(t *testing.T) {
	for in, want := range map[string]string{
		"  two\t words ":            "two words",
		"kettle\u2019s":             "kettle's",
		"\u201cfresh\u201d ``x''":   `"fresh" "x"`,
		"write\u2010after \u2212 x": "write-after - x",
		"\u2022 item":               "item",
		"+o item":                   "item",
		"o item":                    "item",
		"\u27e8a@b\u27e9":           "<a@b>",
		"to go":                     "to go",
		"soft\u00adhyphen":          "softhyphen",
	} {
		if got := normalise(strip(in)); got != want {
			t.Errorf("normalise(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestStrip(t *testing.T) {
	for in, want := range map[string]string{
		"N\bNA\bAME":            "NAME",
		"_\bp_\bo_\bt":          "pot",
		"\x1b[1mbold\x1b[0m":    "bold",
		"\x1b[4;22mlow\x1b[24m": "low",
		"\bx":                   "x",
		"+\bo item":             "o item",
	} {
		if got := strip(in); got != want {
			t.Errorf("strip(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSentences(t *testing.T) {
	got := sentences("One. Two; three: a.b e.g. x?")
	want := []string{"One.", "Two;", "three:", "a.b e.g.", "x?"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if back := strings.Join(got, " "); back != "One. Two; three: a.b e.g. x?" {
		t.Errorf("pieces joined give %q", back)
	}
}
