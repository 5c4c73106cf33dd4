package spec

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// call writes the accept or reject of an entry: what the rule gives `$` and `../name` goes where the entry's path leads, beside
// the arguments that the entry has for both cases.
func (w *writer) call(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.MappingNode || !hasKey(n, "args") {
		return w.args(n)
	}
	c := w.copy(n, w.plain)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "args" {
			c.Content[i+1] = w.args(n.Content[i+1])
		}
	}
	return c
}

// args writes the arguments of a case.
func (w *writer) args(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return w.copy(n, w.plain)
	}
	out := mapping(n)
	w.beside = map[*yaml.Node]bool{}
	if w.e.with != nil {
		w.put(out, w.e.with, true, func(v *yaml.Node) { w.beside[v] = true })
	}
	w.put(out, n, true, func(*yaml.Node) {})
	return out
}

// put puts the arguments of a mapping in. Those of the call itself, not those deeper in it, may be named by `$` or `../`. Made
// is called with each value that is new.
func (w *writer) put(into, n *yaml.Node, call bool, made func(*yaml.Node)) {
	w.d.pairs(n, w.at, func(k, v *yaml.Node) {
		key := w.plain(k)
		at, steps := into, []string{key} // as it is: anything may stand there, and is checked later
		if to := relative(w.e.path, key); call && to != key {
			steps = strings.Split(to, ".")
		}
		for _, step := range steps[:len(steps)-1] {
			at = w.below(at, k, step, made)
		}
		name := steps[len(steps)-1]
		old := valueOf(at, name)
		switch {
		case old != nil && v.Kind == yaml.MappingNode && old.Kind == yaml.MappingNode:
			w.put(old, v, false, made)
			return
		case old != nil && !w.beside[old]:
			w.d.add(k, CodeSharedRule, w.at.subject, w.at.key+": "+show(k.Value)+" is given twice", "keep one of them")
			return
		}
		c := w.copy(v, w.plain)
		if v.Kind == yaml.MappingNode {
			c = mapping(v)
			w.put(c, v, false, made)
		}
		made(c)
		set(at, k, name, c)
	})
}

// below returns the mapping at a name, or in the first element of the list there. It is made when it is not there.
func (w *writer) below(at, k *yaml.Node, step string, made func(*yaml.Node)) *yaml.Node {
	name, list := strings.CutSuffix(step, "[]")
	old := valueOf(at, name)
	if list && old != nil && old.Kind == yaml.SequenceNode && len(old.Content) > 0 {
		old = old.Content[0]
	}
	if old != nil && old.Kind == yaml.MappingNode {
		return old
	}
	m := mapping(k)
	v := m
	if list {
		c := *m
		c.Kind, c.Tag, c.Content = yaml.SequenceNode, "!!seq", []*yaml.Node{m}
		v = &c
	}
	made(v)
	set(at, k, name, v)
	return m
}

// mapping makes an empty mapping at the place of a node.
func mapping(at *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", HeadComment: at.HeadComment, Line: at.Line, Column: at.Column}
}

// set gives a name its value.
func set(at, k *yaml.Node, name string, v *yaml.Node) {
	for i := 0; i+1 < len(at.Content); i += 2 {
		if at.Content[i].Value == name {
			at.Content[i+1] = v
			return
		}
	}
	key := *k
	key.Value = name
	at.Content = append(at.Content, &key, v)
}

func valueOf(n *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	return nil
}
