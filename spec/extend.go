package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// extension is a file that adds to a page.
type extension struct {
	Page // what the file says; an entry that the page has already holds only what is added
	to   *Page
}

// adding limits the keys of one entry to those that an extension may add to an entry of the page.
type adding struct {
	to   Pos // the entry on the page
	keys []string
}

// limit makes the reader of every other key report that the page decides it. No key is mandatory.
func (a *adding) limit(d *decoder, keys []key) []key {
	out := slices.Clone(keys)
	for i := range out {
		out[i].must = false
		if !slices.Contains(a.keys, out[i].name) {
			out[i].read = d.settled(a.to)
		}
	}
	return out
}

// settled is the reader of a key that the page decides.
func (d *decoder) settled(at Pos) reader {
	return func(n *yaml.Node, p place) {
		d.add(n, CodeExtends, p.subject, "an extension cannot change "+p.key+": the page has it at "+at.String(),
			"remove it, or replace the whole page with a file of the same name")
	}
}

// isExtension reports whether the root of a file has the key extends.
func isExtension(root *yaml.Node) bool {
	if root.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "extends" {
			return true
		}
	}
	return false
}

// section is one kind of named entries of a page, as an extension sees it.
type section struct {
	key    string
	what   string   // an entry in words
	first  string   // a key that every whole entry has
	adds   []string // the keys that an entry of the page may be given more of
	places func(p *Page) map[string]Pos
	read   func(name string, k, v *yaml.Node)
}

func placesOf[T any](list []T, of func(*T) (string, Pos)) map[string]Pos {
	out := map[string]Pos{}
	for i := range list {
		name, pos := of(&list[i])
		out[name] = pos
	}
	return out
}

// sections lists what an extension reads into x.
func (d *decoder) sections(x *extension) []section {
	return []section{
		{"flags", "flag type", "prefix", []string{"members", "ranges", "names", "docs"},
			func(p *Page) map[string]Pos {
				return placesOf(p.Flags, func(t *FlagType) (string, Pos) { return t.Go, t.Pos })
			},
			func(name string, k, v *yaml.Node) { x.Flags = append(x.Flags, d.flagType(name, k, v)) }},
		{"enums", "enum type", "prefix", []string{"members", "names", "docs", "likely"},
			func(p *Page) map[string]Pos {
				return placesOf(p.Enums, func(t *EnumType) (string, Pos) { return t.Go, t.Pos })
			},
			func(name string, k, v *yaml.Node) { x.Enums = append(x.Enums, d.enumType(name, k, v)) }},
		{"records", "record", "c", []string{"fields", "hide", "switches"},
			func(p *Page) map[string]Pos {
				return placesOf(p.Records, func(r *Record) (string, Pos) { return r.Go, r.Pos })
			},
			func(name string, k, v *yaml.Node) { x.Records = append(x.Records, d.record(name, k, v)) }},
		{"unions", "union", "c", []string{"hide"},
			func(p *Page) map[string]Pos {
				return placesOf(p.Unions, func(u *Union) (string, Pos) { return u.Go, u.Pos })
			},
			func(name string, k, v *yaml.Node) { x.Unions = append(x.Unions, d.union(name, k, v)) }},
		{"objects", "object", "c", []string{"getters"},
			func(p *Page) map[string]Pos {
				return placesOf(p.Objects, func(o *Object) (string, Pos) { return o.Go, o.Pos })
			},
			func(name string, k, v *yaml.Node) { x.Objects = append(x.Objects, d.objectType(name, k, v)) }},
		{"verbs", "verb", "returns", []string{"methods"},
			func(p *Page) map[string]Pos {
				return placesOf(p.Verbs, func(b *Verb) (string, Pos) { return b.C, b.Pos })
			},
			func(name string, k, v *yaml.Node) { x.Verbs = append(x.Verbs, d.verb(name, k, v)) }},
	}
}

// extension reads the root of a file that adds to one of the pages; nil when it names none of them.
func (d *decoder) extension(n *yaml.Node, pages []*Page) *extension {
	base := d.extended(n, pages)
	if base == nil {
		return nil
	}
	d.tag = "v" + base.Release
	d.sourceTable(valueOf(n, keySources))
	x := &extension{to: base}
	x.Page.Page, x.Pos, x.adds = base.Page, d.pos(n), map[string]bool{}
	keys := []key{
		{"extends", true, func(*yaml.Node, place) {}},
		{"page", false, func(n *yaml.Node, at place) {
			d.add(n, CodeExtends, at.subject, "page and extends cannot be used together", "keep extends to add to a page, or page to replace it")
		}},
		{"title", false, d.settled(base.Pos)},
		{"release", false, d.settled(base.Pos)},
		{"rules", false, d.rules(&x.Page)},
		{"notes", false, func(n *yaml.Node, at place) {
			d.list(n, at, func(e *yaml.Node) { x.Notes = append(x.Notes, d.note(e, at)) })
		}},
		{"left_out", false, d.leftOut(&x.Page)},
		{"plain", false, d.plainPassages(&x.Page)},
		{"skip", false, d.skips(&x.Page)},
		{keySources, false, func(*yaml.Node, place) {}},
	}
	for _, s := range d.sections(x) {
		keys = append(keys, key{s.key, false, d.named(func(name string, k, v *yaml.Node) { d.entry(x, s, base, pages, name, k, v) })})
	}
	d.object(n, place{pageName(d.file), ""}, keys)
	if hasOnly(n, "extends") {
		d.add(n, CodeExtends, pageName(d.file), "it adds nothing to page "+base.Page, "add to the page, or remove the file")
	}
	for i := range x.Verbs {
		x.Verbs[i].Page = x.Page.Page
	}
	for i := range x.Rules {
		x.Rules[i].Page = cmp.Or(x.Rules[i].Page, x.Page.Page)
	}
	return x
}

// extended finds the page that a file extends.
func (d *decoder) extended(n *yaml.Node, pages []*Page) *Page {
	var name string
	var names []string
	var base *Page
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != "extends" {
			continue
		}
		at := n.Content[i+1]
		d.text(&name)(at, place{pageName(d.file), "extends"})
		for _, p := range pages {
			names = append(names, p.Page)
			if name != "" && p.Page == name {
				base = p
			}
		}
		if name != "" && base == nil {
			fix := didYouMean(name, names)
			if fix == "" {
				fix = "name one of the pages (verbsgen coverage lists them), or write page: to begin one"
			}
			d.add(at, CodeExtends, pageName(d.file), "extends: there is no page "+show(name), fix)
		}
		return base
	}
	return nil
}

// entry reads one entry of an extension: a whole one, or what is added to one of the page.
func (d *decoder) entry(x *extension, s section, base *Page, pages []*Page, name string, k, v *yaml.Node) {
	if at, ok := s.places(base)[name]; ok {
		x.adds[s.key+" "+name] = true
		if hasOnly(v, "") {
			d.add(k, CodeExtends, show(name), "it adds nothing to the "+s.what+" at "+at.String(),
				"add "+strings.Join(s.adds, " or ")+", or take it out")
		}
		d.adding = &adding{at, s.adds}
		s.read(name, k, v)
		d.adding = nil
		return
	}
	if v.Kind == yaml.MappingNode && !hasKey(v, s.first) && !hasKey(v, "code") { // not a whole entry: it was meant to add to one
		for _, p := range pages {
			if at, ok := s.places(p)[name]; ok {
				d.add(k, CodeExtends, show(name), fmt.Sprintf("page %s has no %s of this name; it is on page %s (%s)", base.Page, s.what, p.Page, at),
					"move this to a file that extends "+p.Page)
				return
			}
		}
		fix := didYouMean(name, sortedKeys(s.places(base)))
		if fix == "" {
			fix = "describe it in full, beginning with " + s.first + ":"
		}
		d.add(k, CodeExtends, show(name), fmt.Sprintf("page %s has no %s of this name to add to", base.Page, s.what), fix)
		return
	}
	s.read(name, k, v)
}

// hasOnly reports whether all values of a mapping, but for that of one key, are empty.
func hasOnly(n *yaml.Node, name string) bool {
	if n.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if v := n.Content[i+1]; n.Content[i].Value != name && (v.Kind == yaml.ScalarNode || len(v.Content) > 0) {
			return false
		}
	}
	return true
}

func hasKey(n *yaml.Node, name string) bool { return valueOf(n, name) != nil }

// textOf is the text under a key of a mapping, or "".
func textOf(n *yaml.Node, name string) string {
	if v := valueOf(n, name); v != nil {
		return v.Value
	}
	return ""
}
