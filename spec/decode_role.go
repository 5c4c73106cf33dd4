package spec

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/role"
	"go.yaml.in/yaml/v3"
)

// Has reports whether the type has a shape. The condition of the shape is left to the caller.
func (t CType) Has(s role.Shape) bool {
	depth := t.Depth()
	is := map[role.To]bool{
		role.ToAnything: true, role.ToTagged: t.Tag != "", role.ToUntagged: t.Tag == "",
		role.ToNumber: t.Kind == CInt || t.Kind == CAddr && t.Bits > 0, role.ToText: t.Kind == CText,
	}
	switch {
	case t.Kind == CFunc || t.Array || !is[s.To]:
		return false
	case s.Depth == role.AnyDepth && depth == 0, s.Depth != role.AnyDepth && depth != s.Depth:
		return false
	case s.Tag != "" && t.Tag != s.Tag, t.Bits < s.Bits, s.Host && t.BigEndian():
		return false
	}
	if s.Counted && t.Counted() == nil {
		return false
	}
	return !(s.Const && !t.Const()) && !(s.Mutable && t.Const()) && !(s.Defined && (t.Record() == nil || t.Record().Incomplete))
}

// IsHandle reports whether a parameter is a handle of an object type.
func (p *Param) IsHandle(object string) bool { return p.Role == role.Handle && p.Type == object }

// IsOf reports whether all methods of the verb, at least one, are of an object type.
func (v *Verb) IsOf(object string) bool {
	return len(v.Methods) > 0 && !slices.ContainsFunc(v.Methods, func(m Method) bool { return !strings.HasPrefix(m.Go, object+".") })
}

// role reads the role of a parameter.
func (d *decoder) role(to **role.Role) reader {
	return func(n *yaml.Node, at place) {
		var names []string
		for _, r := range role.All() {
			names = append(names, r.Name)
		}
		var name string
		d.oneOf(&name, names...)(n, at)
		*to = role.Find(name)
	}
}

// paramKeys notes keys that a parameter lacks, and those that its role has no use for.
func (d *decoder) paramKeys(n *yaml.Node, subject string, r *role.Role) {
	if r == nil || n.Kind != yaml.MappingNode {
		return
	}
	given := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		given[k.Value] = true
		if !slices.Contains(role.Keys(), k.Value) || r.Takes(k.Value) {
			continue
		}
		with := k.Value + ":"
		if k.Value == "type" || k.Value == "len" {
			with += " " + v.Value
		}
		d.add(v, CodeRoleKey, subject, "a parameter of role "+r.Name+" cannot have "+with, fixOfKey(k.Value))
	}
	for _, key := range r.Must {
		if !given[key] {
			d.add(n, CodeRoleKey, subject, "a parameter of role "+r.Name+" needs "+key+":", "add it")
		}
	}
}

// fixOfKey says what to do about a key that a role does not take.
func fixOfKey(key string) string {
	if key == "type" {
		return "leave type: out: the Go type follows from the C type"
	}
	var taken []string
	for _, r := range role.All() {
		if r.Takes(key) {
			taken = append(taken, r.Name)
		}
	}
	if len(taken) == 1 {
		return "remove " + key + ":, or give the parameter the role " + taken[0]
	}
	return "remove " + key + ":, or correct role:"
}

// NullFix says what to pass for a parameter that takes no NULL.
func (p *Param) NullFix() string {
	if p.Role == nil || p.Role.Pass == "" || p.Type == "" && strings.Contains(p.Role.Pass, "type}") {
		return "pass a valid pointer"
	}
	if p.Type == "" {
		return p.Role.Pass
	}
	return strings.NewReplacer("{type}", p.Type, "{a type}", withArticle(p.Type)).Replace(p.Role.Pass)
}
