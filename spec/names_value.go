package spec

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec/api"
)

// release checks that the reference page of a page is of a release that there is. A page about a header of one's own may name
// any that is not newer.
func (c *checker) release(p *Page, rels []*api.Release) {
	oldest, newest := api.Releases()[0], newest(rels)
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
	c.add(p.marks.at("release", p.Release, p.Pos), CodeUnknownName, p.Page, "release "+p.Release+" "+problem, "name the release whose page it follows")
}

// about tells whether a page binds a function, record or enum of a release.
func (p *Page) about(r *api.Release) bool {
	binds := map[string]bool{}
	for _, v := range p.Verbs {
		binds[v.C] = true
	}
	for _, x := range p.Records {
		binds["struct "+x.C] = true
	}
	for _, o := range p.Objects {
		binds["struct "+o.C] = true
	}
	for _, f := range p.Flags {
		binds["enum "+f.Enum] = true
	}
	for _, e := range p.Enums {
		binds["enum "+e.Enum] = true
	}
	return slices.ContainsFunc(r.Functions, func(f api.Function) bool { return binds[f.Name] }) ||
		slices.ContainsFunc(r.Records, func(x api.Record) bool { return binds[x.Tag] }) ||
		slices.ContainsFunc(r.Enums, func(e api.Enum) bool { return binds[e.Tag] })
}

// newest gives the newest of some releases; "" where none has a name.
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
func (c *checker) prefixed(subject, prefix, enum string, members []string, names map[string]string, m marks, pos Pos) {
	e := c.f.Enum(enum)
	if e != nil && len(members) == 0 {
		members = enumerators(e)
	}
	for _, name := range members {
		if owner := c.f.EnumOf(name); c.f.Const(name) == nil || e != nil && owner != nil && owner != e {
			continue // which is told of the member
		}
		if rest, ok := strings.CutPrefix(name, prefix); names[name] == "" && (!ok || strings.Trim(rest, "_") == "") {
			problem := "prefix: " + show(prefix) + " is not the beginning of " + show(name)
			if ok {
				problem = "prefix: " + show(prefix) + " leaves nothing of " + show(name)
			}
			c.add(m.at("prefix", prefix, pos), CodeGoName, subject, problem, "correct it, or give the member a name under names:")
			return
		}
	}
}

// ruleValues holds the constants of a rule against the types of what they are compared with.
func (c *checker) ruleValues(r *Rule, fn *api.Function) {
	for _, l := range []struct {
		key, path string
		names     []string
	}{
		{"if", r.Subject, r.If}, {"need", r.Subject, r.Need}, {"not", r.Subject, r.Not}, {"allow", r.Subject, r.Allow}, {"values", r.Subject, r.Values},
		{"bit", r.Mask, one(r.Bit)}, {"bits", r.Mask, r.Bits},
	} {
		c.sameEnum(r.ID, fn, l.path, l.key, l.names, r.marks, r.Pos)
	}
	for _, l := range []struct {
		key    string
		values []string
	}{{"min", one(r.Min)}, {"max", one(r.Max)}, {"values", r.Values}} {
		c.inRange(r.ID, fn, r.Subject, l.key, l.values, r.marks, r.Pos)
	}
	c.subject(r, fn)
	if low, high := c.number(r.Min), c.number(r.Max); low != nil && high != nil && low.Cmp(high) > 0 {
		c.add(r.marks.at("min", r.Min, r.Pos), CodeValue, r.ID, fmt.Sprintf("min: %s is more than max: %s", r.Min, r.Max), "swap them, or correct one")
	}
	if to := c.number(r.To); to != nil && to.Sign() <= 0 {
		c.add(r.marks.at("to", r.To, r.Pos), CodeValue, r.ID, "to: nothing is a multiple of "+r.To, "write a number above 0")
	}
	for i := range r.Transitions {
		t := &r.Transitions[i]
		c.sameEnum(r.ID, fn, r.State, "from", t.From, t.marks, t.Pos)
		c.sameEnum(r.ID, fn, r.Next, "to", t.To, t.marks, t.Pos)
		c.sameEnum(r.ID, fn, r.Subject, "need", t.Need, t.marks, t.Pos)
		c.sameEnum(r.ID, fn, r.Subject, "may", t.May, t.marks, t.Pos)
	}
	for _, a := range slices.Concat(r.When, r.Must) {
		for _, l := range []struct {
			key    string
			values []string
			flags  bool
		}{
			{"has", a.Has, true}, {"all", a.All, true}, {"lacks", a.Lacks, true}, {"eq", one(a.Eq), false}, {"ne", one(a.Ne), false}, {"in", a.In, false},
			{"lt", one(a.Lt), false}, {"le", one(a.Le), false}, {"gt", one(a.Gt), false}, {"ge", one(a.Ge), false},
		} {
			c.sameEnum(r.ID, fn, a.Of, l.key, l.values, a.marks, a.Pos)
			if !l.flags {
				c.inRange(r.ID, fn, a.Of, l.key, l.values, a.marks, a.Pos)
			}
		}
	}
}

// subject holds the type of a rule's subject against what its kind does with it.
func (c *checker) subject(r *Rule, fn *api.Function) {
	t, _, err := c.f.TypeOfPath(fn, r.Subject)
	problem := ""
	switch {
	case err != nil || t.C == "":
	case r.Kind == KindNotNull && t.Kind == CInt:
		problem = ", which is never NULL"
	case slices.Contains(numeric, r.Kind) && (t.Kind == CObject || t.Kind == CStruct):
		problem = ", and a rule of kind " + r.Kind + " is about a number"
	}
	if problem != "" {
		c.add(r.marks.at("subject", r.Subject, r.Pos), CodeValue, r.ID, r.Subject+" is of type "+t.C+problem, "correct subject: or kind:")
	}
}

// numeric are the kinds of rules whose subject is a number or a set of flags.
var numeric = []string{KindRequires, KindAllowedSet, KindMandatory, KindRange, KindAligned, KindCapBound, KindMaskForTransition}

// sameEnum notes enumerators of another enum than that of what a path leads to.
func (c *checker) sameEnum(subject string, fn *api.Function, path, key string, names []string, m marks, pos Pos) {
	want := c.enumOf(fn, path)
	for _, name := range names {
		if e := c.f.EnumOf(name); want != nil && e != nil && e != want && !c.listed(want, name) {
			c.add(m.at(key, name, pos), CodeUnknownName, subject, fmt.Sprintf("%s: %s is of %s, and %s of %s", key, name, e.Tag, path, want.Tag), "write a member of "+want.Tag)
		}
	}
}

// listed tells whether a type of an enum has a name among its members or ranges, whichever enum the name is of.
func (c *checker) listed(want *api.Enum, name string) bool {
	for _, p := range c.Pages {
		for i := range p.Flags {
			t := &p.Flags[i]
			if c.f.Enum(t.Enum) == want && (slices.Contains(t.Ranges, name) || slices.Contains(t.Members, name)) {
				return true
			}
		}
	}
	return false
}

// enumOf gives the enum of what a path leads to: by its C type, or by the type that the page gives to it; nil when it is of none
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
		case p.Role == RoleMask:
			return c.enumOfBits(c.RecordByGo(p.Type))
		default:
			return c.enumOfType(p.Type)
		}
	}
	return nil
}

// enumOfType gives the C enum of a Go type.
func (c *checker) enumOfType(name string) *api.Enum {
	if t := c.FlagByGo(name); t != nil {
		return c.f.Enum(t.Enum)
	}
	if t := c.EnumByGo(name); t != nil && t.Enum != "" {
		return c.f.Enum(t.Enum)
	}
	return nil
}

// enumOfField gives the enum of a field of a record, which may lead through others; depth bounds how many.
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

// enumOfBits gives the enum that all mask bits of a record are of.
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

// number gives the value of an operand that is an integer or a constant; nil for another.
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
func (c *checker) inRange(subject string, fn *api.Function, path, key string, values []string, m marks, pos Pos) {
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
			c.add(m.at(key, text, pos), CodeValue, subject, fmt.Sprintf("%s: %s is out of the range of %s, which is of type %s: %v to %v", key, text, path, t.C, low, high), "write a number that it can have")
		}
	}
}
