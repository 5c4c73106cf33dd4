package spec

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// writer writes one entry of a shared rule out: a copy of the rule's nodes with these signs replaced.
//
//	$         in a path: the path of the entry; in a statement or fix: its name, the path without the parameter that leads to it
//	../name   in a path: what stands beside it
//	$word     the word that the entry has for it
//
// A copy keeps the place of its original, so that an error in it is told where the text is.
type writer struct {
	d     *decoder
	e     *entry
	words map[string]bool // those that the rule uses

	at     place               // of what is being written
	beside map[*yaml.Node]bool // what the entry gave to the case being written
}

// prose are the keys whose texts are for people.
var prose = []string{"statement", "fix", "note", "source", "section", "passage", "but", "provider", "kernel"}

// rule returns the rule of an entry.
func (w *writer) rule(r *sharedRule) *yaml.Node {
	e := w.e
	w.at.subject = show(e.id.Value)
	own := func(name string) bool { return hasKeyIn(e.own, name) }
	var body []*yaml.Node
	var when *yaml.Node
	for i := 0; i+1 < len(r.body); i += 2 {
		switch k := r.body[i]; {
		case own(k.Value), replaced(k.Value, own):
		case k.Value == "when":
			when = r.body[i+1]
		default:
			body = append(body, w.copy(k, w.plain), w.value(k.Value, r.body[i+1]))
		}
	}
	for i := 0; i+1 < len(e.own); i += 2 {
		body = append(body, e.own[i], w.value(e.own[i].Value, e.own[i+1]))
	}
	if v := w.whens(when); v != nil {
		body = append(body, w.text("when", 0), v)
	}
	if !hasKeyIn(body, "fields") {
		body = append(body, w.text("subject", 0), w.text(e.path, e.in))
	}
	for _, name := range sortedKeys(e.words) {
		if !w.words[name] {
			w.d.add(e.words[name], CodeSharedRule, w.at.subject, "words: the rule has no $"+name, "take it out")
		}
	}
	out := mapping(r.node)
	out.Content = append([]*yaml.Node{w.text("id", 0), e.id, w.text("verb", 0), w.text(e.verb, 0)}, body...)
	return out
}

// replaced reports whether other keys of an entry replace a key of the rule: a source for a passage, and the other way round.
func replaced(name string, own func(string) bool) bool {
	switch name {
	case "section", "passage":
		return own("source")
	case "source":
		return own("section") || own("passage")
	}
	return false
}

// whens joins the comparisons of the entry and those of the rule.
func (w *writer) whens(of *yaml.Node) *yaml.Node {
	when := w.e.when
	switch {
	case when == nil && of == nil:
		return nil
	case when == nil || of != nil && of.Kind != yaml.SequenceNode: // one that is no list is reported when it is read
		return w.copy(of, w.path)
	case of == nil || when.Kind != yaml.SequenceNode:
		return w.copy(when, w.path)
	}
	v := w.copy(when, w.path)
	v.Content = append(v.Content, w.copy(of, w.path).Content...)
	return v
}

// value copies the value of a key of a rule.
func (w *writer) value(key string, v *yaml.Node) *yaml.Node {
	w.at.key = key
	switch {
	case slices.Contains(prose, key):
		return w.copy(v, w.prose)
	case key == "accept" || key == "reject":
		return w.call(v)
	}
	return w.copy(v, w.path)
}

// copy copies nodes with their texts changed; texts for people within them are changed as such.
func (w *writer) copy(n *yaml.Node, change func(*yaml.Node) string) *yaml.Node {
	c := *n
	if n.Kind == yaml.ScalarNode {
		c.Value = change(n)
	}
	c.Content = make([]*yaml.Node, 0, len(n.Content))
	for i, e := range n.Content {
		how := change
		if n.Kind == yaml.MappingNode && i%2 == 1 && slices.Contains(prose, n.Content[i-1].Value) {
			how = w.prose
		}
		c.Content = append(c.Content, w.copy(e, how))
	}
	return &c
}

// text makes a node for a text, at the place of the entry.
func (w *writer) text(s string, column int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s, HeadComment: w.e.at.HeadComment, Line: w.e.at.Line,
		Column: w.e.at.Column + column}
}

// wordSign is a word of the entry in a text of the rule.
var wordSign = regexp.MustCompile(`\$[a-z][a-z0-9_]*`)

// plain puts the words in.
func (w *writer) plain(n *yaml.Node) string {
	if !strings.Contains(n.Value, "$") {
		return n.Value
	}
	return wordSign.ReplaceAllStringFunc(n.Value, func(sign string) string {
		name := sign[1:]
		w.words[name] = true
		if v := w.e.words[name]; v != nil {
			return v.Value
		}
		w.d.add(n, CodeSharedRule, w.at.subject, "the entry has no word for "+sign, "give it under words:")
		return sign
	})
}

// path puts in the words, and the path of the entry where a path begins.
func (w *writer) path(n *yaml.Node) string { return resolve(w.e.path, w.plain(n)) }

// prose puts the words and the name of the subject into a text for people.
func (w *writer) prose(n *yaml.Node) string {
	name := w.e.path
	if _, rest, ok := strings.Cut(name, "."); ok {
		name = rest
	}
	return strings.ReplaceAll(w.plain(n), "$", name)
}

// resolve puts a path into a text that is a path, or that has one in brackets.
func resolve(path, s string) string {
	open := strings.IndexByte(s, '[')
	if open < 0 {
		return relative(path, s)
	}
	return relative(path, s[:open]) + "[" + relative(path, s[open+1:])
}

// relative resolves `$` and `../` at the beginning of a text. One that leads above the parameters stays, and is found to lead nowhere.
func relative(path, s string) string {
	if rest, ok := strings.CutPrefix(s, "$"); ok && (rest == "" || rest[0] == '.' || rest[0] == ']') {
		return path + rest
	}
	at, rest := path, s
	for strings.HasPrefix(rest, "../") {
		if at == "" {
			return s
		}
		at, rest = at[:max(strings.LastIndexByte(at, '.'), 0)], rest[len("../"):]
	}
	if rest == s || at == "" {
		return rest
	}
	return at + "." + rest
}

// hasSign reports whether a text has what only a shared rule has.
func hasSign(s string) bool {
	return strings.ContainsAny(s, "$/") && (resolve("x.y", s) != s || wordSign.MatchString(s))
}

func hasKeyIn(pairs []*yaml.Node, name string) bool {
	return hasKey(&yaml.Node{Content: pairs}, name)
}

// noSigns notes signs of shared rules in a rule that is none.
func (d *decoder) noSigns(n *yaml.Node, subject string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch k, v := n.Content[i].Value, n.Content[i+1]; {
		case k == "statement" || k == "fix":
			for _, text := range append(v.Content, v) {
				if strings.Contains(text.Value, "$") {
					d.foreignSign(text, subject)
				}
			}
		case !slices.Contains(prose, k):
			d.noSignsIn(v, subject)
		}
	}
}

// noSignsIn looks for signs in paths, constants and cases.
func (d *decoder) noSignsIn(n *yaml.Node, subject string) {
	if n.Kind == yaml.ScalarNode && hasSign(n.Value) {
		d.foreignSign(n, subject)
	}
	for i, c := range n.Content {
		if n.Kind != yaml.MappingNode || i%2 == 0 || !slices.Contains(prose, n.Content[i-1].Value) {
			d.noSignsIn(c, subject)
		}
	}
}

func (d *decoder) foreignSign(n *yaml.Node, subject string) {
	d.add(n, CodeSharedRule, subject, show(n.Value)+": $ and ../ are for shared rules, and this is none", "write out what is meant")
}
