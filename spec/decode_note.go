package spec

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// note reads a note, which cites the man page, or with errno: the source of a library or kernel.
func (d *decoder) note(n *yaml.Node, at place) Note {
	t := Note{Pos: d.pos(n)}
	cites := !hasKey(n, "errno") || !hasKey(n, "source")
	keys := append(d.noteKeys(&t, cites), key{"errno", false, d.matching(&t.Errno, forms["errno"])}, key{"by", false, d.texts(&t.By)})
	if hasKey(n, "errno") {
		keys = append(keys, key{"source", false, d.sources(&t.Source)})
	}
	d.object(n, at, keys)
	return t
}

// noteKeys are those of every note. One that cites the man page says where.
func (d *decoder) noteKeys(t *Note, cites bool) []key {
	return []key{
		{"verb", true, d.text(&t.Verb)},
		{"statement", true, d.text(&t.Statement)},
		{"section", cites, d.text(&t.Section)},
		{"passage", cites, d.matching(&t.Passage, forms["hash"])},
	}
}

// leftOut reads the statements of a page that no rule checks.
func (d *decoder) leftOut(p *Page) func(*yaml.Node, place) {
	return func(n *yaml.Node, at place) {
		d.list(n, at, func(e *yaml.Node) {
			l := LeftOut{Note: Note{Pos: d.pos(e)}}
			d.object(e, at, append(d.noteKeys(&l.Note, true), key{"reason", true, d.text(&l.Reason)}))
			p.LeftOut = append(p.LeftOut, l)
		})
	}
}

// plainPassages reads the passages that say nothing a call can break, by section.
func (d *decoder) plainPassages(p *Page) reader {
	return d.named(func(section string, _, v *yaml.Node) {
		at := place{section, "plain"}
		d.list(v, at, func(e *yaml.Node) {
			q := Plain{Section: section, Pos: d.pos(e)}
			d.matching(&q.Passage, forms["hash"])(e, at)
			p.Plain = append(p.Plain, q)
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
