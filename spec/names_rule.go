package spec

import (
	"cmp"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// rule checks the flags, constants and paths of a rule.
func (c *checker) rule(r *Rule) {
	fn := c.function(r.At("verb", r.Verb), r.ID, r.Verb)
	if fn == nil {
		return
	}
	state := c.names(r, fn, r.Operand("subject"), r.Broken())
	for _, p := range slices.Concat(r.AcceptedBy, r.RefusedBy) {
		c.names(r, fn, Conditions(p.When))
	}
	c.values(r, fn, r.Broken())
	c.fix(r, fn)
	c.cases(r, fn)
	if k := byName[r.Kind]; k != nil && k.check != nil {
		k.check(c, r)
	}
	if state != (r.Needs == NeedsState) && r.Needs != NeedsCaps {
		fix := "write needs: " + NeedsState
		if !state {
			fix = "write needs: " + NeedsArgs
		}
		c.add(r.At("needs", r.Needs), CodeKindKey, r.ID, "needs: "+r.Needs+" does not match its paths", fix)
	}
}

// names checks that there is what some conditions name; state says that a path leads through a property of an object.
func (c *checker) names(r *Rule, fn *api.Function, conditions ...*Cond) (state bool) {
	for _, all := range conditions {
		for n := range all.Nodes() {
			switch n.Op {
			case cond.Operand:
				state = c.ref(n.Of.at(n.Of.Text), r, fn, n.Of) || state
			case cond.Flags:
				for _, name := range n.Of.Flags {
					if !isNumber(name) {
						c.flag(n.Of.at(name), r, name)
					}
				}
			}
		}
	}
	return state
}

// ref checks one operand, and reports whether it leads through a property of an object.
func (c *checker) ref(at Pos, r *Rule, fn *api.Function, ref Ref) (state bool) {
	switch {
	case ref.As == AsValue:
		return c.operand(at, r, fn, ref.Text)
	case ref.As == AsCap, ref.As == AsPlace && c.f.IsCap(fn, ref.Text):
		_, _, err := c.f.CapType(ref.Text)
		c.nowhere(at, r.ID, show(ref.Text), err)
		return false
	}
	return c.path(at, r, fn, ref.Text)
}

func one(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// flag checks the name of a flag; the enum to look for a like name in is that of the rule's other flags.
func (c *checker) flag(pos Pos, r *Rule, name string) {
	if c.f.Const(name) != nil {
		return
	}
	var enum *api.Enum
	for n := range r.Violated().Nodes() {
		for _, other := range n.Of.Flags {
			if enum == nil {
				enum = c.f.EnumOf(other)
			}
		}
	}
	if enum == nil {
		enum = c.f.EnumOf(Closest(name, c.f.ConstNames()))
	}
	if enum != nil {
		c.member(pos, r.ID, strings.TrimPrefix(enum.Tag, "enum "), name)
		return
	}
	c.constant(pos, r.ID, name)
}

// path checks a path, and reports whether it leads through a property of an object.
func (c *checker) path(pos Pos, r *Rule, fn *api.Function, p string) (state bool) {
	_, state, err := c.f.TypeOfPath(fn, p)
	c.nowhere(pos, r.ID, show(p), err)
	return state
}

// nowhere notes a path that leads nowhere, if err says so.
func (c *checker) nowhere(pos Pos, subject, path string, err error) {
	if e, ok := err.(*PathError); ok {
		c.add(pos, CodeUnknownPath, subject, path+" leads nowhere: "+e.Problem, e.Fix)
	}
}

// operand checks an integer, a constant, "page" or a path.
func (c *checker) operand(pos Pos, r *Rule, fn *api.Function, o string) (state bool) {
	switch {
	case isNumber(o), o == "page", c.f.Const(o) != nil && !IsEnum(o):
		return false
	case !strings.ContainsAny(o, ".[") && strings.ToUpper(o) == o:
		c.constant(pos, r.ID, o)
		return false
	}
	return c.path(pos, r, fn, o)
}

func isNumber(s string) bool {
	_, ok := ParseInt(s)
	return ok
}

// CapType returns the type of a capability path such as "device_attr_ex.max_dm_size"; the error is a *PathError.
// A root whose struct no known release has is not looked into: known is false.
func (f *Facts) CapType(p string) (t CType, known bool, err error) {
	root, _, rest := f.CapParts(p)
	word, ok := f.caps[root]
	tag := word.Struct
	if !ok {
		fix := cmp.Or(DidYouMean(root, sortedKeys(f.caps)), "the roots are "+strings.Join(sortedKeys(f.caps), ", "))
		return t, false, &PathError{p, "no capabilities are called " + show(root), fix}
	}
	t = f.TypeOf("struct " + tag)
	if t.record == nil {
		return t, false, nil
	}
	for _, step := range strings.Split(rest, ".") {
		at := t
		if t, ok = f.Member(at, strings.TrimSuffix(step, "[]")); !ok {
			return t, false, &PathError{p, "struct " + tag + " has no field " + show(step), DidYouMean(step, f.Members(at))}
		}
	}
	return t, true, nil
}

// IsCap reports whether a path of a comparison is a capability: its root is one, and no parameter is called so.
func (f *Facts) IsCap(fn *api.Function, p string) bool {
	root, _, _ := f.CapParts(p)
	if _, ok := f.caps[root]; !ok {
		return false
	}
	first, _, _ := strings.Cut(root, ".")
	_, param := f.Param(fn, first)
	return !param
}
