package spec

import (
	"cmp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// keyNotNull is the key of a parameter that makes the rule that it is not NULL.
const keyNotNull = "not_null"

// notNull makes the rule of a parameter that takes no NULL. What is not given follows from the parameter.
func (d *decoder) notNull(n *yaml.Node, verb string, p *Param) {
	subject := cmp.Or(ruleSubject(n, ""), verb+"."+p.C)
	if p.Null {
		d.add(n, CodeSharedRule, subject, "not_null beside null: true", "keep one of them")
		return
	}
	given := map[string]*yaml.Node{}
	note := func(name string, must bool) key {
		return key{name, must, func(v *yaml.Node, _ place) { given[name] = v }}
	}
	ok := d.object(n, place{subject, ""}, []key{note("id", true), note("statement", false), note("fix", false), note("section", false),
		note("passage", false), note("source", false), note("note", false), note("accept", false), note("reject", false)})
	if !ok || given["id"] == nil {
		return
	}
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
	text := func(s string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Line: n.Line, Column: n.Column}
	}
	mapping := func(value *yaml.Node) *yaml.Node {
		m := *out
		m.Content = []*yaml.Node{text(p.C), value}
		return &m
	}
	null := text("null")
	null.Tag = "!!null"
	for _, k := range []struct {
		name  string
		value *yaml.Node
	}{
		{"id", nil}, {"verb", text(verb)}, {"subject", text(p.C)}, {"kind", text(KindNotNull)}, {"needs", text(NeedsArgs)},
		{"statement", text(p.C + " must not be NULL")}, {"fix", text(p.NullFix())},
		{"section", nil}, {"passage", nil}, {"source", nil}, {"note", nil},
		{"accept", mapping(text("@" + p.C))}, {"reject", mapping(null)},
	} {
		if given[k.name] != nil {
			k.value = given[k.name]
		}
		if k.value != nil {
			out.Content = append(out.Content, text(k.name), k.value)
		}
	}
	d.nulls = append(d.nulls, d.rule(out, place{subject, ""}))
}

// withArticle puts a or an before a Go name, as it is spoken: a PD, an MR, a Device, an AllocDMAttr.
func withArticle(name string) string {
	vowels := "AEIOU"
	if len(name) > 1 && strings.ToUpper(name[:2]) == name[:2] {
		vowels = "AEFHILMNORSX" // the name begins with letters that are spelled
	}
	if strings.ContainsRune(vowels, rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}
