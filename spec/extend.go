package spec

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// adding limits the keys of the entry that is read next to those that an extension may add to an entry of the page.
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

// extension reads the root of a file into the page that it adds to.
func (d *decoder) extension(n *yaml.Node, base *Page, files []*file) {
	d.tag = "v" + base.Release
	d.sourceTable(valueOf(n, keySources))
	keys := d.pageKeys(base)
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
			k.read = d.named(func(name string, k, v *yaml.Node) { d.entry(&sections[at], base, files, name, k, v) })
		}
	}
	d.object(n, place{pageName(d.file), ""}, keys)
	if hasOnly(n, "extends") {
		d.add(n, CodeExtends, pageName(d.file), "it adds nothing to page "+base.Page, "add to the page, or remove the file")
	}
	base.name()
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
func (d *decoder) entry(s *section, base *Page, files []*file, name string, k, v *yaml.Node) {
	_, what, _ := strings.Cut(s.what, " ")
	list := s.list(base)
	if i := indexOf(list, name); i >= 0 {
		to := list.Index(i)
		at := posOf(to)
		if hasOnly(v, "") {
			d.add(k, CodeExtends, show(name), "it adds nothing to the "+what+" at "+at.String(),
				"add "+strings.Join(s.adds, " or ")+", or take it out")
		}
		m := valueOf(v, "members")
		if m != nil && len(m.Content) > 0 && slices.Contains(s.adds, "members") && fieldOf(to, "members").Len() == 0 {
			d.add(m.Content[0], CodeExtends, name, "the type at "+at.String()+" takes every member of its enum", "leave members: out")
		}
		d.adding = &adding{at, s.adds}
		d.read(to.Addr().Interface(), k, v, place{name, ""})
		d.adding = nil
		return
	}
	if v.Kind == yaml.MappingNode && !hasKey(v, s.first) && !hasKey(v, "code") { // not a whole entry: it was meant to add to one
		problem := fmt.Sprintf("page %s has no %s of this name", base.Page, what)
		for _, f := range files {
			if page, at := f.entryOf(s.key, name); at != nil && page != base.Page {
				d.add(k, CodeExtends, show(name), fmt.Sprintf("%s; it is on page %s (%s)", problem, page, d.pos(at)),
					"move this to a file that extends "+page)
				return
			}
		}
		var names []string
		for x := range entriesOf(list) {
			names = append(names, nameOf(x))
		}
		slices.Sort(names)
		d.add(k, CodeExtends, show(name), problem+" to add to",
			cmp.Or(DidYouMean(name, names), "describe it in full, beginning with "+s.first+":"))
		return
	}
	list.Set(reflect.Append(list, d.namedStruct(list.Type().Elem(), name, k, v, place{name, ""})))
}

// entryOf returns the key of a named entry in the file of a page, or in one that adds to it, and the name of the page.
func (f *file) entryOf(section, name string) (page string, key *yaml.Node) {
	if f.node == nil || f.kind() != keyPage && f.kind() != keyExtends {
		return "", nil
	}
	if list := valueOf(f.node, section); list != nil {
		for i := 0; i+1 < len(list.Content); i += 2 {
			if list.Content[i].Value == name {
				return cmp.Or(textOf(f.node, keyPage), textOf(f.node, keyExtends)), list.Content[i]
			}
		}
	}
	return "", nil
}

// clash notes that a name that a file adds is taken on the page.
func (d *decoder) clash(n *yaml.Node, at place, name string, first Pos) {
	what := at.key + ": "
	switch at.key {
	case "fields", "hide":
		what = "field "
	case "switches":
		what = "switch "
	case "getters":
		what = "the getter of "
	}
	d.add(n, CodeDuplicateName, at.subject, what+show(name)+" is already at "+first.String(),
		"remove it, or replace the whole page with a file of the same name")
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
