package spec

import (
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v3"
)

// Keys with calls.
const (
	keyAccept = "accept"
	keyReject = "reject"
)

var updateSchema = flag.Bool("update-schema", false, "write docs/page.schema.json, docs/verbsgen.schema.json and REFERENCE.md")

// shape is what is known of the values at a place of a page: its keys come from the tables of the decoder, its types from pages.
type shape struct {
	kinds map[string]bool   // JSON types that values have
	fixed bool              // a mapping with the keys of a table
	keys  map[string]*shape // of the table; "*" of a mapping by name
	items *shape
	text  string // what the key means
	had   int    // mappings of fixed form here
	must  int    // those around it that require the key
}

func newShape() *shape { return &shape{kinds: map[string]bool{}, keys: map[string]*shape{}} }

// at is the shape behind a key.
func (s *shape) at(key string) *shape {
	if s.keys[key] == nil {
		s.keys[key] = newShape()
	}
	return s.keys[key]
}

// learn adds what a value shows. tables has the keys of the mappings that the decoder reads as such.
func (s *shape) learn(n *yaml.Node, tables map[*yaml.Node][]key) {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" {
			s.kinds["null"] = true
			break
		}
		// Constants of C, numbers and words are written without quotes where a text belongs.
		s.kinds["string"], s.kinds["integer"], s.kinds["boolean"] = true, true, true
	case yaml.SequenceNode:
		s.kinds["array"] = true
		if s.items == nil {
			s.items = newShape()
		}
		for _, e := range n.Content {
			s.items.learn(e, tables)
		}
	case yaml.MappingNode:
		s.kinds["object"] = true
		table, fixed := tables[n]
		if s.fixed = s.fixed || fixed; fixed {
			s.had++
		}
		for _, k := range table {
			if s.at(k.name); k.must {
				s.keys[k.name].must++
			}
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := "*"
			if fixed {
				name = n.Content[i].Value
			}
			if name == keyAccept || name == keyReject { // calls, which may have any value
				continue
			}
			s.at(name).learn(n.Content[i+1], tables)
		}
	}
}

// schema is the shape as JSON schema. A key that no page has yet may have any value.
func (s *shape) schema() map[string]any {
	out := map[string]any{}
	if s.text != "" {
		out["description"] = s.text
	}
	if len(s.kinds) == 0 {
		return out
	}
	kinds := slices.Sorted(maps.Keys(s.kinds))
	out["type"] = kinds
	if len(kinds) == 1 {
		out["type"] = kinds[0]
	}
	if s.items != nil {
		out["items"] = s.items.schema()
	}
	if !s.kinds["object"] {
		return out
	}
	properties := map[string]any{}
	for name, k := range s.keys {
		if name != "*" {
			properties[name] = k.schema()
		}
	}
	if len(properties) > 0 {
		out["properties"] = properties
	}
	switch {
	case s.keys["*"] != nil:
		out["additionalProperties"] = s.keys["*"].schema()
	case s.fixed:
		out["additionalProperties"] = false
	}
	return out
}

// ownPages are the files of all pages, with their mappings of fixed form.
func ownPages(t *testing.T) (nodes map[string]*yaml.Node, all *shape) {
	t.Helper()
	nodes, all = map[string]*yaml.Node{}, newShape()
	for _, module := range Modules() {
		files := must(fs.Glob(pages, path.Join(folders()[module], "*.yaml")))(t)
		shared := must(fs.Glob(pages, path.Join(folders()[module], sharedFolder, "*.yaml")))(t)
		files = append(files, shared...)
		for _, file := range files {
			if isModule(file) || path.Base(file) == "pending.yaml" {
				continue
			}
			data := must(fs.ReadFile(pages, file))(t)
			tables := map[*yaml.Node][]key{}
			d := &decoder{file: file, maxNodes: maxPageNodes}
			d.tables = func(n *yaml.Node, keys []key) { tables[n] = keys }
			n := d.root(data, file)
			if n == nil {
				t.Fatal(d.errs)
			}
			if isShared(n) {
				d.sharedFile(n)
			} else {
				d.page(n) // half a page has errors; its tables are whole
			}
			nodes[file] = n
			all.learn(n, tables)
		}
	}
	// What only pages of others have.
	tables := map[*yaml.Node][]key{}
	d := &decoder{maxNodes: maxPageNodes, tables: func(n *yaml.Node, keys []key) { tables[n] = keys }}
	n := d.root([]byte("{extends: x, rules: [{extends: i, reason: r, values: [1], retired: true}]}"), "x.yaml")
	d.page(n)
	all.learn(n, tables)
	return nodes, all
}

// TestSchemas makes the schemas of pages and of verbsgen.yaml, compares them with docs, and holds every page to the one of pages.
func TestSchemas(t *testing.T) {
	nodes, all := ownPages(t)
	list := chapters(t)
	optional := describe(t, list, "", all)
	maps.Copy(optional, describe(t, list, moduleFile, modules(t)))
	storedText(t, "REFERENCE.md", reference(list, optional))
	pageSchema := all.schema()
	pageSchema["$schema"], pageSchema["title"] = "https://json-schema.org/draft/2020-12/schema", "a page of verbsgen"
	stored(t, "page.schema.json", pageSchema)

	config := newShape()
	tables := map[*yaml.Node][]key{}
	d := &decoder{file: ConfigFile, maxNodes: maxPageNodes}
	d.tables = func(n *yaml.Node, keys []key) { tables[n] = keys }
	n := d.root([]byte("{release: '65.0', module: m, package: p, families: [a], only: [b], spec: [d], import: {m: p}}"), ConfigFile)
	c := &Config{Line: map[string]int{}}
	d.read(c, n, n, place{ConfigFile, ""})
	if len(d.errs) > 0 || len(c.Line) != len(tables[n]) {
		t.Fatalf("the sample of verbsgen.yaml does not have every key: %v", d.errs)
	}
	config.learn(n, tables)
	configSchema := config.schema()
	configSchema["$schema"], configSchema["title"] = "https://json-schema.org/draft/2020-12/schema", ConfigFile
	stored(t, "verbsgen.schema.json", configSchema)

	s := resolved(t, pageSchema)
	if len(nodes) < 100 {
		t.Fatalf("only %d pages", len(nodes))
	}
	for file, n := range nodes {
		if err := s.Validate(plain(n)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for text, want := range map[string]bool{
		"{page: x, title: t, release: '65.0'}":    true,
		"{page: x, tittle: t}":                    false,
		"{extends: x, verbs: {a: {retuns: int}}}": false,
		"{rules: {id: x}}":                        false,
		"{rules: [{id: x, shared: a.b}]}":         true,
		"{rules: [{id: x, shred: a.b}]}":          false,
		"{shared: a, rules: [{name: b}]}":         true,
		"{rules: [{extends: x, reason: y}]}":      true,
	} {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(text), &n); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(plain(n.Content[0])); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// plain is a node as JSON has it: keys are texts, also such as null, which YAML reads as another type.
func plain(n *yaml.Node) any {
	switch n.Kind {
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, e := range n.Content {
			list[i] = plain(e)
		}
		return list
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = plain(n.Content[i+1])
		}
		return m
	}
	var v any
	_ = n.Decode(&v) // a scalar that the schema was made of
	return v
}

func resolved(t *testing.T, schema map[string]any) *jsonschema.Resolved {
	t.Helper()
	data := must(json.Marshal(schema))(t)
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	r := must(s.Resolve(nil))(t)
	return r
}

// stored compares a schema with the file in docs.
func stored(t *testing.T, name string, schema map[string]any) {
	t.Helper()
	want := must(json.MarshalIndent(schema, "", " "))(t)
	want = append(want, '\n')
	storedText(t, filepath.Join("..", "docs", name), want)
}
