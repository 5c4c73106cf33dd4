package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// limit leaves a note the keys that it may have: it cites the man page or, with errno:, the source of a library or kernel.
func (t *Note) limit(n *yaml.Node, _ place, keys []key) []key {
	switch {
	case !hasKey(n, "errno"):
		return without(keys, "source")
	case hasKey(n, "source"):
		for i := range keys {
			keys[i].must = keys[i].name == "verb" || keys[i].name == "statement"
		}
	}
	return keys
}

func (l *LeftOut) limit(_ *yaml.Node, _ place, keys []key) []key {
	return without(keys, "errno", "source", "by")
}

func without(keys []key, names ...string) []key {
	return slices.DeleteFunc(keys, func(k key) bool { return slices.Contains(names, k.name) })
}

// plainPassages reads the passages that say nothing a call can break, by section.
func (d *decoder) plainPassages(to *[]Plain) reader {
	return d.named(func(section string, _, v *yaml.Node) {
		at := place{section, "plain"}
		d.list(v, at, func(e *yaml.Node) {
			q := Plain{Section: section, Pos: d.pos(e)}
			d.matching(&q.Passage, forms["hash"])(e, at)
			*to = append(*to, q)
		})
	})
}

// pending reads spec/verbs/pending.yaml.
func (d *decoder) pending(n *yaml.Node) []Pending {
	var out []Pending
	var keys []key
	for _, c := range categories {
		keys = append(keys, key{c, false, func(n *yaml.Node, at place) {
			d.list(n, at, func(e *yaml.Node) {
				p := Pending{Category: c, Pos: d.pos(e)}
				d.text(&p.C)(e, place{"pending", c})
				if strings.ContainsAny(p.C, "*?[]{}") {
					d.add(e, CodeGlob, "pending", c+": "+show(p.C)+" is a pattern", "list the names one by one")
				} else if p.C != "" {
					out = append(out, p)
				}
			})
		}})
	}
	d.object(n, place{"pending", ""}, keys)
	return out
}
