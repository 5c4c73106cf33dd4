package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// notes reads notes, which cite the man page or, with errno:, the source of a library or kernel.
func (d *decoder) notes(to *[]Note) reader {
	return func(n *yaml.Node, at place) {
		d.list(n, at, func(e *yaml.Node) {
			t := Note{Pos: d.pos(e)}
			keys := d.keys(&t)
			switch {
			case !hasKey(e, "errno"):
				keys = without(keys, "source")
			case hasKey(e, "source"):
				for i := range keys {
					keys[i].must = keys[i].name == "verb" || keys[i].name == "statement"
				}
			}
			d.object(e, at, keys)
			*to = append(*to, t)
		})
	}
}

func without(keys []key, names ...string) []key {
	return slices.DeleteFunc(keys, func(k key) bool { return slices.Contains(names, k.name) })
}

// leftOut reads the statements of a page that no rule checks.
func (d *decoder) leftOut(to *[]LeftOut) reader {
	return func(n *yaml.Node, at place) {
		d.list(n, at, func(e *yaml.Node) {
			l := LeftOut{Note: Note{Pos: d.pos(e)}}
			d.object(e, at, without(d.keys(&l), "errno", "source", "by"))
			*to = append(*to, l)
		})
	}
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
