package form

import (
	"os"
	"strings"
	"testing"
)

// TestForms asks that every form is told of in spec/REFERENCE.md, with what it does and the parts that it needs, and that no two
// have the same name.
func TestForms(t *testing.T) {
	readme, err := os.ReadFile("../../../../spec/REFERENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(readme)) {
		if cells := strings.Split(line, " | "); len(cells) > 1 {
			rows[strings.Trim(cells[0], "|` ")] = line
		}
	}
	seen := map[string]bool{}
	for _, f := range All() {
		if seen[f.Name] {
			t.Errorf("two forms are called %s", f.Name)
		}
		seen[f.Name] = true
		if f.Does == "" {
			t.Errorf("form %s does not say what it does", f.Name)
		}
		if f.Name == Plain {
			continue
		}
		if !strings.Contains(rows[f.Name], f.Does) {
			t.Errorf("docs/page.keys.yaml does not say of form %s that it %s", f.Name, f.Does)
		}
		for _, p := range f.Parts {
			if !strings.Contains(rows[f.Name], p.Name) {
				t.Errorf("docs/page.keys.yaml does not name the part %s of form %s", p.Name, f.Name)
			}
		}
	}
}
