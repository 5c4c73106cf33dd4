package explain

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/verbsgen/verbsgen/spec"
)

// schema is that of the files.
func schema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	data, err := os.ReadFile("../../../../docs/rules.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// plain writes a file as JSON and reads it without types.
func plain(t *testing.T, f *File) (any, []byte) {
	t.Helper()
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v, data
}

// TestSchema validates the files of all modules. They are the same each time, and say of every rule what the pages do.
func TestSchema(t *testing.T) {
	s := schema(t)
	for _, name := range spec.Modules() {
		k := ofModule(t, name)
		file := fileOf(k)
		v, data := plain(t, file)
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, again := plain(t, fileOf(ofModule(t, name))); !bytes.Equal(data, again) {
			t.Errorf("%s: a second file differs", name)
		}
		rules := k.spec.Rules()
		if len(file.Rules) != len(rules) {
			t.Errorf("%s: %d rules, want %d", name, len(file.Rules), len(rules))
		}
		for i, r := range rules {
			if f := file.Rules[i]; f.ID != r.ID || len(f.AcceptedBy) != len(r.AcceptedBy) || len(f.RefusedBy) != len(r.RefusedBy) ||
				f.Broken == nil || f.Note != r.Note || f.Statement != r.Statement {
				t.Errorf("%s differs: %+v", r.ID, f)
			}
		}
	}
}

// TestSchemaRefuses damages a file: the schema notices each damage.
func TestSchemaRefuses(t *testing.T) {
	s := schema(t)
	k := ofModule(t, spec.DefaultModule)
	file := k.File(k.spec.Rules()[:1], nil)
	rule := func(v map[string]any) map[string]any { return v["rules"].([]any)[0].(map[string]any) }
	for what, damage := range map[string]func(v map[string]any){
		"another version":     func(v map[string]any) { v["version"] = 3 },
		"no constants":        func(v map[string]any) { delete(v, "constants") },
		"a key of its own":    func(v map[string]any) { rule(v)["go"] = "PD.RegMR" },
		"no condition":        func(v map[string]any) { delete(rule(v), "broken") },
		"a value for a test":  func(v map[string]any) { rule(v)["broken"] = map[string]any{"op": "page_size"} },
		"an unknown node":     func(v map[string]any) { rule(v)["broken"] = map[string]any{"op": "script", "of": []any{}} },
		"an ID without digit": func(v map[string]any) { rule(v)["id"] = "VR-x-y-z" },
		"a severity":          func(v map[string]any) { rule(v)["severity"] = "fatal" },
		"a source in words":   func(v map[string]any) { rule(v)["sources"] = "the kernel" },
	} {
		v, _ := plain(t, file)
		damage(v.(map[string]any))
		if s.Validate(v) == nil {
			t.Errorf("%s passes", what)
		}
	}
}

// TestNoGo looks for names of Go in the files: methods, types that are not called as something in C, and what only Go has.
func TestNoGo(t *testing.T) {
	for _, name := range spec.Modules() {
		k := ofModule(t, name)
		_, data := plain(t, fileOf(k))
		words := []string{`(?i:golang|goroutines?|cgo|generated (?:package|stream|code|binding)s?|gen/verbs|runtime/)`}
		for _, p := range k.spec.Pages {
			for i := range p.Verbs {
				for _, m := range p.Verbs[i].Methods {
					words = append(words, regexp.QuoteMeta(m.Go))
				}
			}
			for _, r := range p.Records {
				if strings.ToUpper(r.Go) != r.Go && len(r.Go) > len("Rate") {
					words = append(words, r.Go)
				}
			}
		}
		if found := regexp.MustCompile(`[^"]*\b(?:`+strings.Join(words, "|")+`)\b[^"]*`).FindAll(data, -1); found != nil {
			t.Errorf("%s:\n%s", name, bytes.Join(found, []byte("\n")))
		}
	}
}
