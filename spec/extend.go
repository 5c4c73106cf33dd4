package spec

import (
	"cmp"
	"fmt"
	"reflect"
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
	return root.Kind == yaml.MappingNode && hasKey(root, keyExtends)
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
	keys := d.pageKeys(&x.Page)
	for i := range keys {
		k := &keys[i]
		k.must = false
		at := slices.IndexFunc(sections, func(s section) bool { return s.key == k.name })
		switch {
		case k.name == keyPage:
			k.read = func(n *yaml.Node, at place) {
				d.add(n, CodeExtends, at.subject, "page and extends cannot be used together", "keep extends to add to a page, or page to replace it")
			}
		case k.name == "title" || k.name == "release":
			k.read = d.settled(base.Pos)
		case at >= 0:
			k.read = d.named(func(name string, k, v *yaml.Node) { d.entry(x, &sections[at], base, pages, name, k, v) })
		}
	}
	d.object(n, place{pageName(d.file), ""}, keys)
	if hasOnly(n, "extends") {
		d.add(n, CodeExtends, pageName(d.file), "it adds nothing to page "+base.Page, "add to the page, or remove the file")
	}
	x.name()
	return x
}

// extended finds the page that a file extends.
func (d *decoder) extended(n *yaml.Node, pages []*Page) *Page {
	var name string
	at := valueOf(n, keyExtends)
	if d.text(&name)(at, place{pageName(d.file), keyExtends}); name == "" {
		return nil
	}
	var names []string
	for _, p := range pages {
		if p.Page == name {
			return p
		}
		names = append(names, p.Page)
	}
	d.add(at, CodeExtends, pageName(d.file), "extends: there is no page "+show(name),
		cmp.Or(DidYouMean(name, names), "name one of the pages (verbsgen coverage lists them), or write page: to begin one"))
	return nil
}

// entry reads one entry of an extension: a whole one, or what is added to one of the page.
func (d *decoder) entry(x *extension, s *section, base *Page, pages []*Page, name string, k, v *yaml.Node) {
	_, what, _ := strings.Cut(s.what, " ")
	at, adds := places(s.list(base))[name]
	switch {
	case adds:
		x.adds[s.key+" "+name] = true
		if hasOnly(v, "") {
			d.add(k, CodeExtends, show(name), "it adds nothing to the "+what+" at "+at.String(),
				"add "+strings.Join(s.adds, " or ")+", or take it out")
		}
		d.adding = &adding{at, s.adds}
	case v.Kind == yaml.MappingNode && !hasKey(v, s.first) && !hasKey(v, "code"): // not a whole entry: it was meant to add to one
		for _, p := range pages {
			if at, ok := places(s.list(p))[name]; ok {
				d.add(k, CodeExtends, show(name), fmt.Sprintf("page %s has no %s of this name; it is on page %s (%s)", base.Page, what, p.Page, at),
					"move this to a file that extends "+p.Page)
				return
			}
		}
		d.add(k, CodeExtends, show(name), fmt.Sprintf("page %s has no %s of this name to add to", base.Page, what),
			cmp.Or(DidYouMean(name, sortedKeys(places(s.list(base)))), "describe it in full, beginning with "+s.first+":"))
		return
	}
	list := s.list(&x.Page)
	list.Set(reflect.Append(list, d.namedStruct(list.Type().Elem(), name, k, v, place{name, ""})))
	d.adding = nil
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
