package spec

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// keyNotNull is the key of a parameter that makes the rule that it is not NULL.
const keyNotNull = "not_null"

// keyReadBy is the key of not_null with the functions that read through the pointer.
const keyReadBy = "read_by"

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
		note("passage", false), note("source", false), note("note", false), note(keyReadBy, false), note(keyRefusedBy, false),
		note(keyAcceptedBy, false), note("severity", false), note("when", false), note("accept", false), note("reject", false)})
	if !ok || given["id"] == nil {
		return
	}
	d.readers(given, subject)
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line, Column: n.Column}
	text := func(s string) *yaml.Node { return textAt(n, s) }
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
		{"section", nil}, {"passage", nil}, {"source", nil}, {"note", nil}, {keyRefusedBy, nil},
		{keyAcceptedBy, nil}, {"severity", nil}, {"when", nil},
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

// readers makes parties of the functions under read_by, each of the library or provider whose file has it: the program crashes
// there. Where the page is silent, they are the source of the rule too.
func (d *decoder) readers(given map[string]*yaml.Node, subject string) {
	n := given[keyReadBy]
	if n == nil {
		return
	}
	if given[keyRefusedBy] != nil {
		d.add(n, CodeSharedRule, subject, keyReadBy+" beside "+keyRefusedBy, "write all under "+keyRefusedBy+", with crash: true")
		return
	}
	sources := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		sources = n.Content
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: n.Line, Column: n.Column}
	all := *list
	for _, s := range sources {
		who := owner(textOf(s, "file"))
		if who == "" {
			d.add(s, CodeValue, subject, keyReadBy+": this is no file of a library or of a provider of rdma-core",
				"name the file, or write "+keyRefusedBy)
			continue
		}
		cited := *s
		cited.Content = slices.Clone(s.Content)
		if !hasKey(s, "project") {
			cited.Content = append(cited.Content, textAt(s, "project"), textAt(s, ProjectRDMACore))
		}
		if !hasKey(s, "release") && !hasKey(s, "commit") {
			cited.Content = append(cited.Content, textAt(s, "release"), textAt(s, d.tag))
		}
		all.Content = append(all.Content, &cited)
		crash := textAt(s, "true")
		crash.Tag = "!!bool"
		party := *s
		party.Kind, party.Tag = yaml.MappingNode, "!!map"
		party.Content = []*yaml.Node{textAt(s, "provider"), textAt(s, who), textAt(s, keyCrash), crash, textAt(s, "source"), &cited}
		list.Content = append(list.Content, &party)
	}
	given[keyRefusedBy] = list
	if given["source"] == nil && given["passage"] == nil {
		given["source"] = &all
	}
}

// owner names the library, or the provider, that a file of rdma-core belongs to.
func owner(file string) string {
	first, rest, _ := strings.Cut(file, "/")
	switch {
	case slices.Contains(libraries, first):
		return first
	case first == "providers":
		provider, _, _ := strings.Cut(rest, "/")
		return provider
	}
	return ""
}

// textAt is a text at the place of a node.
func textAt(n *yaml.Node, s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, Line: n.Line, Column: n.Column}
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
