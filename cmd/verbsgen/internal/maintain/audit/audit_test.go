package audit

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/spec"
)

func teaSpec() []*spec.Page {
	rule := func(id, section, text string) spec.Rule {
		return spec.Rule{ID: id, Verb: "tea_brew", Section: section, Passage: Hash(text)}
	}
	offPage := spec.Rule{ID: "off", Source: spec.Sources{{Project: "tea", File: "src/brew.c"}}}
	retired := rule("gone", "NOTES", "no such text")
	retired.Retired = true
	return []*spec.Page{
		{Page: "tea_brew", Rules: []spec.Rule{
			rule("here", "DESCRIPTION", "The pot must be warm; a cold one cracks."),
			rule("case", "Description", "The pot must be warm;"),
			rule("moved", "DESCRIPTION", "Milk is not brewed."),
			rule("missing", "NOTES", "Sugar is not brewed."),
			offPage, retired, {ID: "bare"},
		}, Notes: []spec.Note{
			{Verb: "tea_brew", Section: "Serving", Passage: Hash("Two lines are one passage.")},
			{Verb: "tea_brew", Section: "Serving", Passage: Hash("Three lines are one passage.")},
			{Verb: "tea_brew", Errno: "ENOENT", Source: spec.Sources{{Project: "tea", File: "src/kettle.c"}}},
		}, LeftOut: []spec.LeftOut{
			{Note: spec.Note{Verb: "tea_brew", Section: "NOTES", Passage: Hash("Milk is not brewed.")}, Reason: "who would"},
		}},
		{Page: "tea_pour", Rules: []spec.Rule{rule("pour", "NOTES", "x")}},
		{Page: "no_rules"},
	}
}

func TestAudit(t *testing.T) {
	for _, tool := range tools(t) {
		report, err := tool.Audit(t.Context(), teaSpec(), "testdata")
		if err != nil {
			t.Fatal(err)
		}
		want := []struct {
			id     string
			status Status
			now    string
		}{
			{"here", Found, ""}, {"case", Found, ""}, {"moved", Moved, "NOTES"}, {"missing", Missing, ""},
			{"off", OffPage, ""}, {"bare", Unhashed, ""},
			{"note 1 of tea_brew", Found, ""}, {"note 2 of tea_brew", Missing, ""}, {"note 3 of tea_brew", OffPage, ""},
			{"left_out 1 of tea_brew", Found, ""}, {"pour", NoPage, ""},
		}
		if len(report.Entries) != len(want) {
			t.Fatalf("%s: %d entries, want %d: %+v", tool.Name, len(report.Entries), len(want), report.Entries)
		}
		for i, w := range want {
			e := report.Entries[i]
			if e.ID != w.id || e.Status != w.status || e.Now != w.now {
				t.Errorf("%s: entry %d is %s %s %q, want %s %s %q", tool.Name, i, e.ID, e.Status, e.Now, w.id, w.status, w.now)
			}
		}
		if len(report.Absent) != 1 || report.Absent[0] != "tea_pour" {
			t.Errorf("absent pages %q, want tea_pour alone", report.Absent)
		}
		if report.Count(Found) != 4 {
			t.Errorf("%d found; want 4", report.Count(Found))
		}
	}
}

// A page is found packed, behind a link page, and in a man3 folder.
func TestPagesAreFoundInEveryForm(t *testing.T) {
	src, err := os.ReadFile("testdata/tea_brew.3")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "man3"), 0o755); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(src); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, "man3", name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("tea_brew.3.gz", packed.Bytes())
	write("tea_make.3", []byte(".\\\" a link page\n.so man3/tea_brew.3\n"))
	write("tea_loop.3", []byte(".so man3/tea_make.3\n"))
	write("tea_lost.3", []byte(".so man3/tea_none.3\n"))
	write("tea_torn.3.gz", []byte("not packed"))

	for _, name := range []string{"tea_brew", "tea_make"} {
		file, err := pageFile(dir, name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := readPage(file); err != nil || !bytes.Equal(got, src) {
			t.Errorf("%s: not the page's source (error %v)", name, err)
		}
	}
	for name, say := range map[string]string{
		"tea_loop": "stands for another page", "tea_lost": "no such page", "tea_torn": "gzip",
	} {
		file, err := pageFile(dir, name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := readPage(file); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: error %v, want one with %q", name, err, say)
		}
	}
	if _, err := pageFile(dir, "tea_none"); !errors.Is(err, errAbsent) {
		t.Errorf("tea_none: error %v, want %v", err, errAbsent)
	}
}
