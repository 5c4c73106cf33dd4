package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/verbsgen/verbsgen/spec/api"
)

// Fix says what to do about a call that breaks a rule, in one way or in several of which any will do.
type Fix []Way

// Way is one text of a fix, in parts: in "add {IBV_ACCESS_LOCAL_WRITE}" the second is a name.
type Way []FixPart

// FixPart is words, or a name of C: a constant, a function, a type ("enum ibv_mtu"), or a field of what the verb takes, of a handle
// or of the capabilities.
type FixPart struct {
	Text string
	Name bool
	Pos  Pos
}

// String is the fix with C names.
func (f Fix) String() string {
	return f.Text(func(c string) string { return c })
}

// Text is the fix with the names that say gives. A way with a name for which it gives none is left out.
func (f Fix) Text(say func(c string) string) string {
	var ways []string
	for _, w := range f {
		var b strings.Builder
		known := true
		for _, part := range w {
			text := part.Text
			if part.Name {
				text = say(part.Text)
			}
			known = known && text != ""
			b.WriteString(text)
		}
		if known {
			ways = append(ways, b.String())
		}
	}
	return strings.Join(ways, ", or ")
}

// fix reads a fix: a text, or a list of them.
func (d *decoder) fix(to *Fix) reader {
	return func(n *yaml.Node, at place) {
		if n.Kind != yaml.SequenceNode {
			d.way(n, at, to)
			return
		}
		if len(n.Content) == 0 {
			d.add(n, CodeValue, at.subject, at.key+": an empty list", "say what to do")
		}
		d.list(n, at, func(e *yaml.Node) { d.way(e, at, to) })
	}
}

// way reads one text of a fix.
func (d *decoder) way(n *yaml.Node, at place, to *Fix) {
	var rest string
	d.text(&rest)(n, at)
	if rest == "" {
		return
	}
	var w Way
	for rest != "" {
		words, after, opens := strings.Cut(rest, "{")
		name, next, closes := strings.Cut(after, "}")
		if strings.Contains(words, "}") || opens && (!closes || name == "" || strings.Contains(name, "{")) {
			d.add(n, CodeValue, at.subject, at.key+": "+show(n.Value)+" has a brace that marks no name", "write a name as {IBV_ACCESS_LOCAL_WRITE}")
			return
		}
		if words != "" {
			w = append(w, FixPart{Text: words, Pos: d.pos(n)})
		}
		if opens {
			w = append(w, FixPart{Text: name, Name: true, Pos: d.pos(n)})
		}
		rest = next
	}
	*to = append(*to, w)
}

// fix checks the names in the fix of a rule.
func (c *checker) fix(r *Rule, fn *api.Function) {
	for _, w := range r.Fix {
		for _, part := range w {
			name := part.Text
			switch {
			case !part.Name:
				continue
			case c.f.foreign(name):
				c.add(part.Pos, CodeUnknownName, r.ID, "fix: "+name+" is of another module, whose names this package does not have",
					"write it without braces")
				continue
			case c.f.Const(name) != nil || c.f.Has(name):
				continue
			}
			fields := c.fixFields(fn)
			if !slices.Contains(fields, name) {
				c.add(part.Pos, CodeUnknownName, r.ID, "fix: nothing that "+r.Verb+" could use is called "+show(name),
					DidYouMean(name, slices.Concat(c.allNames(), fields)))
			}
		}
	}
}

// foreign reports whether a constant or a type is declared by the header of another module.
func (f *Facts) foreign(name string) bool {
	if e := f.EnumOf(name); e != nil {
		return e.Foreign
	}
	if e := f.Enum(strings.TrimPrefix(name, "enum ")); e != nil {
		return e.Foreign
	}
	r := f.Record(name)
	return r != nil && r.Foreign
}

// fixFields lists the fields that a fix may name: those of what a function takes, of the capabilities, and of all handles.
func (c *checker) fixFields(fn *api.Function) []string {
	var out []string
	seen := map[string]bool{}
	var add func(t CType)
	add = func(t CType) {
		if t.Kind != CStruct && t.Kind != CObject || seen[t.Tag+" "+t.prefix] || c.f.foreign("struct "+t.Tag) {
			return
		}
		seen[t.Tag+" "+t.prefix] = true
		for _, name := range c.f.Members(t) {
			out = append(out, name)
			if m, ok := c.f.Member(t, name); ok {
				add(m)
			}
		}
	}
	for _, p := range fn.Params {
		add(c.f.TypeOf(p.Type))
	}
	for _, root := range sortedKeys(c.f.caps) {
		add(c.f.TypeOf("struct " + c.f.caps[root].Struct))
	}
	for _, tag := range sortedKeys(c.f.objects) {
		add(c.f.TypeOf("struct " + tag + " *"))
	}
	return out
}
