package spec

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/cond"
	"github.com/verbsgen/verbsgen/spec/role"
)

// release checks that the reference page of a page is of a release that there is. A page about a header of one's own may name
// any that is not newer.
func (c *checker) release(p *Page, rels []*api.Release) {
	stored, err := api.KnownOf(c.Module.Facts)
	if err != nil || stored.Newest() == "" {
		return
	}
	oldest, newest := stored.Oldest(), newest(rels)
	for _, r := range rels {
		if r.Release != "" && api.Compare(r.Release, oldest) < 0 {
			oldest = r.Release
		}
	}
	problem := ""
	switch {
	case newest == "" || p.Release == "":
		return
	case api.Compare(p.Release, newest) > 0:
		problem = "is newer than " + newest + ", the newest release that is known"
	case api.Compare(p.Release, oldest) < 0 && slices.ContainsFunc(rels, func(r *api.Release) bool { return r.Release != "" && p.about(r) }):
		problem = "is older than " + oldest + ", the oldest release that is known"
	default:
		return
	}
	c.add(p.At("release", p.Release), CodeUnknownName, p.Page, "release "+p.Release+" "+problem,
		"name the release whose page it follows")
}

// about reports whether a page binds a function, record or enum of a release.
func (p *Page) about(r *api.Release) bool {
	binds := map[string]bool{}
	for _, v := range p.Verbs {
		binds[v.C] = true
	}
	for t := range p.types() {
		binds[t.cName()] = true
	}
	return slices.ContainsFunc(r.Functions, func(f api.Function) bool { return binds[f.Name] }) ||
		slices.ContainsFunc(r.Records, func(x api.Record) bool { return binds[x.Tag] }) ||
		slices.ContainsFunc(r.Enums, func(e api.Enum) bool { return binds[e.Tag] })
}

// newest returns the newest of some releases; "" where none has a name.
func newest(rels []*api.Release) string {
	out := ""
	for _, r := range rels {
		if r.Release != "" && (out == "" || api.Compare(r.Release, out) > 0) {
			out = r.Release
		}
	}
	return out
}

// prefixed checks that the Go name of each member is made of what its C name has behind the prefix, or is given.
func (c *checker) prefixed(t enumParts) {
	e, members := c.f.Enum(t.enum), t.members
	if e != nil && len(members) == 0 {
		members = e.Names()
	}
	for _, name := range members {
		if owner := c.f.EnumOf(name); c.f.Const(name) == nil || e != nil && owner != nil && owner != e {
			continue // which is told of the member
		}
		if rest, ok := strings.CutPrefix(name, t.prefix); t.names[name] == "" && (!ok || strings.Trim(rest, "_") == "") {
			problem := "prefix: " + show(t.prefix) + " is not the beginning of " + show(name)
			if ok {
				problem = "prefix: " + show(t.prefix) + " leaves nothing of " + show(name)
			}
			c.add(t.At("prefix", t.prefix), CodeGoName, t.subject, problem, "correct it, or give the member a name under names:")
			return
		}
	}
}

// values holds a condition against the types of its places: what each test can be made of, and the constants beside it.
func (c *checker) values(r *Rule, fn *api.Function, n *Cond) {
	for n := range n.Nodes() {
		c.testable(r, fn, n)
		switch {
		case n.Joins() || len(n.Sub) < 2:
		case n.Op == cond.BadTransition:
			from, to := n.Sub[1], n.Sub[2]
			for from.Op == cond.IfGiven {
				from = from.Sub[0]
			}
			for to.Op == cond.IfGiven {
				to = to.Sub[1]
			}
			for _, way := range n.Sub[3:] {
				for i, of := range []*Cond{from, to, n.Sub[0], n.Sub[0]} {
					c.value(r, fn, of, way.Sub[i])
				}
			}
		case n.Op >= cond.Has && n.Op <= cond.In:
			for _, with := range n.Sub[1:] {
				c.value(r, fn, n.Sub[0], with)
			}
		}
	}
}

// testable notes places of a type that the test of them is not made for. A parameter whose role is right for the test is left to
// those who hold roles against types.
func (c *checker) testable(r *Rule, fn *api.Function, n *Cond) {
	flags, null := n.Op.OfFlags(), n.Op == cond.Null || n.Op == cond.NotNull
	numbers := n.Op == cond.Sum || n.Op == cond.Rest || n.Op == cond.Power || n.Op >= cond.Eq && n.Op <= cond.In
	for _, s := range n.Sub {
		t, _, err := c.f.TypeOfPath(fn, s.Of.Text)
		as, problem := c.roleOf(fn, s.Of.Text), ""
		switch {
		case s.Op != cond.Operand || err != nil:
		case flags && (t.Kind != CInt || t.Array) && (as == nil || !as.Flags):
			problem = "which has no flags"
		case numbers && t.Kind != CInt && t.Kind != CAddr && !as.Number():
			problem = "which is no number"
		case null && (t.Kind == CInt || t.Kind == CStruct && !t.Pointer) && !as.Pointer():
			problem = "which cannot be NULL"
		}
		if problem != "" {
			c.add(s.Of.at(s.Of.Text), CodeType, r.ID, s.Of.Key+": "+s.Of.Text+" is of type "+t.C+", "+problem,
				"correct the path, or take another kind of rule")
		}
	}
}

// roleOf returns the role of a parameter on its page; nil for another path.
func (c *checker) roleOf(fn *api.Function, path string) *role.Role {
	if v := c.VerbByC(fn.Name); v != nil {
		for i := range v.Params {
			if v.Params[i].C == path {
				return v.Params[i].Role
			}
		}
	}
	return nil
}

// value holds a constant against the type of a place that it is compared with.
func (c *checker) value(r *Rule, fn *api.Function, place, with *Cond) {
	if place.Op != cond.Operand {
		return
	}
	of, ref := place.Of.Text, with.Of
	if with.Op == cond.Flags {
		c.sameEnum(r.ID, fn, of, ref.Key, ref.Flags, ref.entry)
		return
	}
	c.sameEnum(r.ID, fn, of, ref.Key, one(ref.Text), ref.entry)
	c.inRange(r.ID, fn, of, ref.Key, one(ref.Text), ref.entry)
}

// sameEnum notes enumerators of another enum than that of what a path leads to.
func (c *checker) sameEnum(subject string, fn *api.Function, path, key string, names []string, at Entry) {
	want := c.enumOf(fn, path)
	for _, name := range names {
		if e := c.f.EnumOf(name); want != nil && e != nil && e != want && !c.listed(want, name) {
			c.add(at.At(key, name), CodeUnknownName, subject,
				fmt.Sprintf("%s: %s is of %s, and %s of %s", key, name, e.Tag, path, want.Tag), "write a member of "+want.Tag)
		}
	}
}

// listed reports whether a type of an enum has a name among its members or ranges, whichever enum the name is of.
func (c *checker) listed(want *api.Enum, name string) bool {
	for t := range c.Flags() {
		if c.f.Enum(t.Enum) == want && (slices.Contains(t.Ranges, name) || slices.Contains(t.Members, name)) {
			return true
		}
	}
	return false
}

// enumOf returns the enum of what a path leads to: by its C type, or by the type that the page gives to it; nil when it is of none
// that is known.
func (c *checker) enumOf(fn *api.Function, path string) *api.Enum {
	if path == "" {
		return nil
	}
	if t, _, err := c.f.TypeOfPath(fn, path); err == nil && t.Kind == CInt && t.Tag != "" {
		return c.f.Enum(t.Tag)
	}
	v := c.VerbByC(fn.Name)
	if v == nil {
		return nil
	}
	root, rest, _ := strings.Cut(path, ".")
	for i := range v.Params {
		p := &v.Params[i]
		switch {
		case p.C != strings.TrimSuffix(root, "[]"):
		case rest != "":
			return c.enumOfField(c.RecordByGo(p.Type), rest, len(path))
		case p.Role == role.Mask:
			return c.enumOfBits(c.RecordByGo(p.Type))
		default:
			return c.enumOfType(p.Type)
		}
	}
	return nil
}

// enumOfType returns the C enum of a Go type.
func (c *checker) enumOfType(name string) *api.Enum {
	if t := c.FlagByGo(name); t != nil {
		return c.f.Enum(t.Enum)
	}
	if t := c.EnumByGo(name); t != nil && t.Enum != "" {
		return c.f.Enum(t.Enum)
	}
	return nil
}

// enumOfField returns the enum of a field of a record, which may lead through others; depth bounds how many.
func (c *checker) enumOfField(r *Record, path string, depth int) *api.Enum {
	if r == nil || depth == 0 {
		return nil
	}
	if path == r.Mask {
		return c.enumOfBits(r)
	}
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.C == path {
			return c.enumOfType(f.Type)
		}
		if rest, ok := strings.CutPrefix(path, f.C+"."); ok {
			if f.Nested != "" {
				return c.enumOfField(c.RecordByGo(f.Nested), rest, depth-1)
			}
			return c.enumOfField(c.RecordByGo(f.Type), rest, depth-1)
		}
	}
	return nil
}

// enumOfBits returns the enum that all mask bits of a record are of.
func (c *checker) enumOfBits(r *Record) *api.Enum {
	if r == nil {
		return nil
	}
	var bits []string
	for i := range r.Fields {
		bits = append(bits, r.Fields[i].Bit)
	}
	for _, s := range r.Switches {
		bits = append(bits, s.C)
	}
	var all *api.Enum
	for _, bit := range bits {
		e := c.f.EnumOf(bit)
		if bit == "" {
			continue
		}
		if e == nil || all != nil && e != all {
			return nil
		}
		all = e
	}
	return all
}

// number returns the value of an operand that is an integer or a constant; nil for another.
func (c *checker) number(text string) *big.Int {
	if text == "" {
		return nil
	}
	if i, ok := ParseInt(text); ok {
		return i
	}
	return c.f.Const(text)
}

// inRange notes numbers that what a path leads to can never be.
func (c *checker) inRange(subject string, fn *api.Function, path, key string, values []string, at Entry) {
	if path == "" {
		return
	}
	t, _, err := c.f.TypeOfPath(fn, path)
	if err != nil || t.Kind != CInt && t.Kind != CAddr || t.Array {
		return
	}
	low, high := t.Range()
	for _, text := range values {
		if v := c.number(text); v != nil && (v.Cmp(low) < 0 || v.Cmp(high) > 0) {
			c.add(at.At(key, text), CodeValue, subject,
				fmt.Sprintf("%s: %s is out of the range of %s, which is of type %s: %v to %v", key, text, path, t.C, low, high),
				"write a number that it can have")
		}
	}
}
