package guides

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestForms checks the forms for issues as GitHub does, which silently leaves out a wrong form: each has a name, a description and elements
// of known types with labels, and no ID twice. The files and packages of this repository that a form names exist.
func TestForms(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	files, err := filepath.Glob(filepath.Join(root, ".github", "ISSUE_TEMPLATE", "*.yml"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	named := regexp.MustCompile(`(?:` + regexp.QuoteMeta(module) + `|\b)((?:cmd|conformance|docs)/[\w./-]+\w|CONTRIBUTING\.md)`)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(data), -1) {
			if _, err := os.Stat(filepath.Join(root, m[1])); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
		if filepath.Base(file) == "config.yml" {
			continue
		}
		var form struct {
			Name, Description, Title string
			Labels                   []string
			Body                     []struct {
				Type, ID   string
				Attributes struct {
					Label, Description, Value, Render string
					Options                           []struct{ Label string }
				}
				Validations struct{ Required bool }
			}
		}
		d := yaml.NewDecoder(strings.NewReader(string(data)))
		d.KnownFields(true)
		if err := d.Decode(&form); err != nil || form.Name == "" || form.Description == "" {
			t.Errorf("%s: %q, %q, %v", file, form.Name, form.Description, err)
		}
		var ids []string
		for _, e := range form.Body {
			text := e.Attributes.Label
			if e.Type == "markdown" {
				text = e.Attributes.Value
			}
			if !slices.Contains([]string{"markdown", "input", "textarea", "checkboxes"}, e.Type) || text == "" || slices.Contains(ids, e.ID) {
				t.Errorf("%s: element %+v", file, e)
			}
			if e.ID != "" {
				ids = append(ids, e.ID)
			}
		}
		if len(ids) == 0 {
			t.Errorf("%s: no field", file)
		}
	}
}
