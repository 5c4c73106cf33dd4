package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const overPage = `page: over
title: names of opcodes
release: "65.0"
verbs:
  over_name:
    returns: value
    doc: returns the name of an opcode
    params:
      opcode: {role: enum, type: WROpcode}
    methods:
      Lib.OverName: {}
skip:
  struct over_wr: another page will have it
  over_flags: another page will have it
`

const overPending = "functions: [over_name]\nrecords: [struct over_wr]\nenums: [enum over_flags]\nmacros: []\n"

// TestOverlayDecidesWhatIsPending lays a page over a folder that leaves pending what it binds and skips.
func TestOverlayDecidesWhatIsPending(t *testing.T) {
	own := must(Embedded(""))(t)
	names := []string{"over_name", "struct over_wr", "enum over_flags"}
	list, page := map[string]string{"pending.yaml": overPending}, map[string]string{"over.yaml": overPage}
	s, err := layers(t, list)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range names {
		if s.PendingByC(c) == nil {
			t.Errorf("%s is not pending", c)
		}
	}
	if s, err = layers(t, list, page); err != nil {
		t.Fatal(err)
	}
	for _, c := range names {
		if s.PendingByC(c) != nil {
			t.Errorf("%s is pending still", c)
		}
	}
	if s.VerbByC("over_name") == nil || len(s.Pending) != len(own.Pending) {
		t.Errorf("%d names are pending, of %d before", len(s.Pending), len(own.Pending))
	}

	// A list and a page of one folder are to agree.
	page["pending.yaml"] = "functions: [over_name]\nrecords: []\nenums: []\nmacros: []\n"
	if _, err := layers(t, list, page); err == nil ||
		!strings.Contains(err.Error(), "over_name: this C name is pending; it is also defined at ") {
		t.Errorf("a name both bound and pending in one folder: %v", err)
	}
}

// layers writes folders of YAML files and loads them over the own pages.
func layers(t *testing.T, folders ...map[string]string) (*Spec, error) {
	t.Helper()
	var dirs []string
	for _, files := range folders {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		dirs = append(dirs, dir)
	}
	return Embedded("", dirs...)
}

// TestExtendsAdds extends a page twice, by files of any name, one of them that of the page.
func TestExtendsAdds(t *testing.T) {
	own := must(Embedded(""))(t)
	s, err := layers(t,
		map[string]string{"ibv_query_device_ex.yaml": "extends: ibv_query_device_ex\nrecords: {DeviceInfoEx: {fields: {widgets: {go: " +
			"Widgets}}, hide: {cogs: none}}}\n",
			"mine.yaml": "extends: ibv_query_device_ex\nrecords:\n  Widget: {c: ibv_widget, role: out, doc: A widget., fields: {size: {go: " +
				"Size}}}\n"},
		map[string]string{"more.yaml": "extends: ibv_query_device_ex\nrecords: {Widget: {fields: {colour: {go: Colour}}}}\n"})
	if err != nil {
		t.Fatal(err)
	}
	before, after := own.RecordByGo("DeviceInfoEx"), s.RecordByGo("DeviceInfoEx")
	if len(after.Fields) != len(before.Fields)+1 || after.Hide["cogs"] != "none" || after.Hide["comp_mask"] != before.Hide["comp_mask"] {
		t.Errorf("%d fields after %d, hidden: %v", len(after.Fields), len(before.Fields), after.Hide)
	}
	if w := s.RecordByGo("Widget"); w == nil || len(w.Fields) != 2 || w.C != "ibv_widget" {
		t.Errorf("Widget: %+v", w)
	}
	if len(s.Pages) != len(own.Pages) || len(s.Rules()) != len(own.Rules()) {
		t.Errorf("%d pages, %d rules", len(s.Pages), len(s.Rules()))
	}
}

// TestExtendsReplacedPage adds to the page that replaces another, wherever the file stands.
func TestExtendsReplacedPage(t *testing.T) {
	page := "page: over\ntitle: TITLE\nrelease: \"65.0\"\nskip: {over_name: called by programs}\n"
	s, err := layers(t, map[string]string{"over.yaml": page, "a.yaml": "extends: over\nskip: {over_wr: no use}\n"},
		map[string]string{"over.yaml": strings.Replace(page, "TITLE", "mine", 1)})
	if err != nil {
		t.Fatal(err)
	}
	if p := s.PageByName("over"); p.Title != "mine" || len(p.Skip) != 2 {
		t.Errorf("%+v", p)
	}
}

// TestPendingAdds lists names in two folders: they are pending beside the project's own, each once, until a later folder decides.
func TestPendingAdds(t *testing.T) {
	own := must(Embedded(""))(t)
	lists := []map[string]string{{"pending.yaml": "functions: [ibv_new, ibv_newer]\n"}, {"pending.yaml": "functions: [ibv_new]\n"}}
	s, err := layers(t, lists...)
	if err != nil {
		t.Fatal(err)
	}
	if s.PendingByC("ibv_new") == nil || s.PendingByC("ibv_newer") == nil || len(s.Pending) != len(own.Pending)+2 {
		t.Errorf("%d names are pending, of %d before", len(s.Pending), len(own.Pending))
	}
	s, err = layers(t, append(lists, map[string]string{"x.yaml": "extends: ibv_alloc_pd\nskip: {ibv_new: no use}\n"})...)
	if err != nil || s.PendingByC("ibv_new") != nil || s.SkipByC("ibv_new") == nil {
		t.Errorf("ibv_new is pending still, %v", err)
	}
}
