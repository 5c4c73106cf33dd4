package spec

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/verbsgen/verbsgen/spec/role"
)

// chapter is a part of the reference: text, and the keys of mappings, whose places end as one under Of.
type chapter struct {
	Title  string
	Text   string
	As     string // heading of the table
	Of     []string
	Silent bool // for editors only
	Keys   yaml.Node
}

// keysFile has what the reference and the schema say of each key.
const keysFile = "../docs/page.keys.yaml"

func chapters(t *testing.T) []chapter {
	t.Helper()
	data := must(os.ReadFile(keysFile))(t)
	var list []chapter
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

// each calls f for the keys of a chapter, in order.
func (s *chapter) each(f func(name, text string)) {
	for i := 0; i+1 < len(s.Keys.Content); i += 2 {
		f(s.Keys.Content[i].Value, s.Keys.Content[i+1].Value)
	}
}

// describe gives the keys of the mappings at and below a place what the chapters say of them, and names those that lack it. It
// returns the keys that some of the mappings may leave out.
func describe(t *testing.T, list []chapter, root string, all *shape) (optional map[string]bool) {
	t.Helper()
	optional, used := map[string]bool{}, map[string]bool{}
	var walk func(at string, s *shape)
	walk = func(at string, s *shape) {
		if s.fixed {
			i := slices.IndexFunc(list, func(x chapter) bool {
				return slices.ContainsFunc(x.Of, func(of string) bool { return at == of || of != "" && strings.HasSuffix(at, "."+of) })
			})
			texts := map[string]string{}
			if i >= 0 {
				list[i].each(func(name, text string) { texts[name] = text })
			}
			for _, name := range slices.Sorted(maps.Keys(s.keys)) {
				if name == "*" {
					continue
				}
				k := s.keys[name]
				if k.text = texts[name]; k.text == "" {
					t.Errorf("%s does not say what the key %q of %q means", keysFile, name, at)
				} else {
					used[list[i].Of[0]+" "+name] = true
				}
				if k.must < s.had && i >= 0 {
					optional[list[i].Of[0]+" "+name] = true
				}
			}
		}
		for name, k := range s.keys {
			walk(strings.TrimPrefix(at+"."+name, "."), k)
		}
		if s.items != nil {
			walk(at+"[]", s.items)
		}
	}
	walk(root, all)
	for _, s := range list {
		if len(s.Of) == 0 || (s.Of[0] == moduleFile) != (root == moduleFile) {
			continue
		}
		s.each(func(name, _ string) {
			if !used[s.Of[0]+" "+name] {
				t.Errorf("%s explains a key %q of %v, which nothing reads", keysFile, name, s.Of)
			}
		})
	}
	return optional
}

// reference writes the chapters as Markdown.
func reference(list []chapter, optional map[string]bool) []byte {
	var b bytes.Buffer
	b.WriteString("<!-- Made by make generate from docs/page.keys.yaml. Do not edit. -->\n\n# The keys of the pages\n\n" +
		"[README.md](README.md) shows how to write a page. This page lists its keys; required ones are bold.\n" +
		"[An editor](../docs/editors.md) shows the same texts.\n\n")
	var titles []string
	for _, s := range list {
		if s.Title != "" {
			titles = append(titles, "["+s.Title+"](#"+anchor(s.Title)+")")
		}
	}
	b.WriteString(strings.Join(titles, " ·\n") + "\n")
	for _, s := range list {
		if s.Silent {
			continue
		}
		if s.Title != "" {
			b.WriteString("\n## " + s.Title + "\n")
		}
		if s.Text != "" {
			b.WriteString("\n" + strings.Replace(s.Text, "{{roles}}\n", roleTable(), 1))
		}
		if s.Keys.IsZero() {
			continue
		}
		as := s.As
		if as == "" {
			as = "key"
		}
		b.WriteString("\n| " + as + " | meaning |\n|---|---|\n")
		s.each(func(name, text string) {
			name = "`" + name + "`"
			if !optional[s.Of[0]+" "+strings.Trim(name, "`")] {
				name = "**" + name + "**"
			}
			b.WriteString("| " + name + " | " + strings.ReplaceAll(text, "|", `\|`) + " |\n")
		})
	}
	return b.Bytes()
}

// anchor is the link of a heading, as GitHub makes it.
func anchor(title string) string {
	return strings.NewReplacer(" ", "-", ",", "", ".", "", ":", "").Replace(strings.ToLower(title))
}

// roleTable lists the roles.
func roleTable() string {
	var b strings.Builder
	b.WriteString("| role | parameter | Go | further keys |\n|---|---|---|---|\n")
	for _, r := range role.All() {
		var takes []string
		for _, key := range r.Must {
			takes = append(takes, "**`"+key+"`**")
		}
		for _, key := range r.May {
			takes = append(takes, "`"+key+"`")
		}
		b.WriteString("| `" + r.Name + "` | " + r.C + " | " + r.Go + " | " + strings.Join(takes, ", ") + " |\n")
	}
	return b.String()
}

// modules is the shape of module.yaml.
func modules(t *testing.T) *shape {
	t.Helper()
	all := newShape()
	for _, folder := range folders() {
		data := must(pages.ReadFile(folder + "/" + moduleFile))(t)
		tables := map[*yaml.Node][]key{}
		d := &decoder{file: moduleFile, maxNodes: maxPageNodes}
		d.tables = func(n *yaml.Node, keys []key) { tables[n] = keys }
		n := d.root(data, "module")
		d.module(n)
		all.learn(n, tables)
	}
	for _, k := range all.keys { // the keys of their values are explained with them
		k.keys, k.items = map[string]*shape{}, nil
	}
	return all
}

// TestReference finds kinds of rules, the keys of each and ways to return that the reference does not explain.
func TestReference(t *testing.T) {
	data := must(os.ReadFile("REFERENCE.md"))(t)
	text := string(data)
	for _, ret := range []string{RetErrno, RetEither, RetNullErrno, RetArgument, RetMinus1, RetNumber, RetNegated, RetVoid, RetValue, RetRereg} {
		if !strings.Contains(text, "| `"+ret+"` |") {
			t.Errorf("%s does not explain returns: %s", keysFile, ret)
		}
	}
	for _, name := range Kinds() {
		var rows string
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "| "+name+" | ") {
				rows += line
			}
		}
		for _, group := range append(byName[name].Must, byName[name].May) {
			for _, key := range group {
				if !strings.Contains(rows, " "+key) && key != "subject" {
					t.Errorf("%s does not list the key %s of kind %s", keysFile, key, name)
				}
			}
		}
	}
}

// storedText compares a file with what it should be; -update-schema writes it.
func storedText(t *testing.T, file string, want []byte) {
	t.Helper()
	if *updateSchema {
		if err := os.WriteFile(file, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the decoder reads, %v; run go test ./spec -run Schemas -update-schema", filepath.Base(file), err)
	}
}
