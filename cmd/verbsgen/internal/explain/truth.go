package explain

import (
	"math/big"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// truth is the outcome of a condition.
type truth uint8

const (
	no truth = iota
	yes
	untold // the case does not tell what is compared, or it is left out and valid
	open   // a capability or a property that the case does not give decides
)

func is(b bool) truth {
	if b {
		return yes
	}
	return no
}

// hold judges a condition. Below Not stands a demand, which what the case leaves out or does not tell meets; elsewhere, what it
// leaves out is neutral, and a condition on what it does not tell does not hold. The outcome is yes, no or open.
func (c *call) hold(n *spec.Cond, b binding, demand bool) truth {
	switch n.Op {
	case cond.All:
		return c.first(n.Sub, b, demand, no)
	case cond.Any:
		return c.first(n.Sub, b, demand, yes)
	case cond.Not:
		switch t := c.hold(n.Sub[0], b, !demand); t {
		case open:
			return open
		default:
			return is(t == no)
		}
	}
	return c.elements(n, b, demand)
}

// first looks for the outcome of one of several conditions that decides all of them.
func (c *call) first(conditions []*spec.Cond, b binding, demand bool, decides truth) truth {
	out := is(decides == no)
	for _, n := range conditions {
		switch c.hold(n, b, demand) {
		case decides:
			return decides
		case open:
			out = open
		}
	}
	return out
}

// elements judges a test. Of a list that the rule does not walk, one element is enough for a condition, and a demand is made of all.
func (c *call) elements(n *spec.Cond, b binding, demand bool) truth {
	out := is(demand)
	path := ""
	if n.Sub[0].Op == cond.Operand {
		path = n.Sub[0].Of.Text
	}
	for _, one := range c.bindings(path, b) {
		c.missing = false
		switch t := c.test(n, one, demand); {
		case t == is(!demand):
			return t
		case c.missing:
			out = open
		}
	}
	return out
}

// test judges a test of one place.
func (c *call) test(n *spec.Cond, b binding, demand bool) truth {
	of := n.Sub[0]
	switch {
	case n.Op == cond.BadTransition:
		return c.badTransition(n, b)
	case of.Op == cond.Given:
		return c.count(n, b)
	case n.Op >= cond.Eq && n.Op <= cond.In:
		return c.compare(n, b)
	}
	r := c.at(of, b)
	if r.st == unknown || r.st == neutral && demand {
		return untold
	}
	switch n.Op {
	case cond.Null, cond.NotNull:
		return c.isNull(r, n.Op == cond.Null)
	case cond.Set, cond.Unset:
		return is(isSet(r) == (n.Op == cond.Set))
	case cond.Same:
		return c.same(r, c.at(n.Sub[1], b))
	}
	have, ok := bits(r)
	if !ok {
		return untold
	}
	return is(c.hasFlags(n.Op, have, n.Sub[1].Of.Flags))
}

// hasFlags tests bits. Flags that the release lacks are not set.
func (c *call) hasFlags(op cond.Op, have *big.Int, flags []string) bool {
	m, all := mask(c.facts, flags)
	switch some := new(big.Int).And(have, m).Sign() != 0; op {
	case cond.Has:
		return some
	case cond.Lacks:
		return !some
	case cond.Only:
		return new(big.Int).AndNot(have, m).Sign() == 0
	}
	return all && new(big.Int).And(have, m).Cmp(m) == 0
}

// isNull judges whether a pointer is NULL, or is not. One left out is valid: a parameter that must not be NULL is not NULL.
func (c *call) isNull(r ref, want bool) truth {
	if r.st == neutral {
		return is(!want && c.mandatory(r.path))
	}
	return is((r.v.kind == kNull || r.v.kind == kInt && r.v.i.Sign() == 0) == want)
}

// mandatory reports whether a path is a parameter that may not be NULL.
func (c *call) mandatory(path string) bool {
	v := c.spec.VerbByC(c.fn.Name)
	return v != nil && slices.ContainsFunc(v.Params, func(p spec.Param) bool { return p.C == path && !p.Null })
}

// same judges whether two places hold the same object: two names are two objects.
func (c *call) same(a, b ref) truth {
	if a.st != given || b.st != given {
		return untold
	}
	an, bn := a.v.kind == kNull, b.v.kind == kNull
	switch {
	case an || bn:
		return is(an == bn)
	case a.v.kind == kAny && b.v.kind == kAny:
		return is(a.v.name == b.v.name)
	case a.v.kind == kInt && b.v.kind == kInt:
		return is(a.v.i.Cmp(b.v.i) == 0)
	}
	return untold
}

// compare judges a comparison of numbers, or whether a number is one of a list; constants that the release lacks are none of it.
func (c *call) compare(n *spec.Cond, b binding) truth {
	i, ok := c.number(n.Sub[0], b)
	if !ok {
		return untold
	}
	if n.Sub[0].Op == cond.Sum && i.BitLen() > 64 {
		return is(compares(n.Op, 1))
	}
	out := no
	for _, with := range n.Sub[1:] {
		j, ok := c.number(with, b)
		switch {
		case ok && compares(n.Op, i.Cmp(j)):
			return yes
		case !ok && (n.Op != cond.In || c.path(c.fn, with.Of.Text)):
			out = untold
		}
	}
	return out
}

// compares says what a comparison makes of two numbers.
func compares(op cond.Op, cmp int) bool {
	switch op {
	case cond.Ne:
		return cmp != 0
	case cond.Lt:
		return cmp < 0
	case cond.Le:
		return cmp <= 0
	case cond.Gt:
		return cmp > 0
	case cond.Ge:
		return cmp >= 0
	}
	return cmp == 0
}

// count judges how many places are given: where that is not known of all, it may be each number between.
func (c *call) count(n *spec.Cond, b binding) truth {
	least, most := int64(0), int64(0)
	for _, f := range n.Sub[0].Sub {
		is, known := c.isGiven(n.Sub[0].Mask, f, b)
		if is {
			least++
		}
		if is || !known {
			most++
		}
	}
	limit, ok := c.number(n.Sub[1], b)
	if !ok {
		return untold
	}
	holds := func(i int64) bool { return compares(n.Op, big.NewInt(i).Cmp(limit)) }
	for i := least; i <= most; i++ {
		if holds(i) != holds(least) {
			return untold
		}
	}
	return is(holds(least))
}

// isGiven reports whether a field is given: by its bit where there is a mask that the case has and that gates the field, else by a
// value that is not neutral. A field left out is not known to be missing.
func (c *call) isGiven(mask, field *spec.Cond, b binding) (is, known bool) {
	if mask != nil {
		m := c.at(mask, b)
		bit := c.bitOf(mask, field)
		if have, ok := bits(m); ok && m.st == given && bit != nil {
			return new(big.Int).And(have, bit).Sign() != 0, true
		}
	}
	f := c.at(field, b)
	return isSet(f), f.st == given
}

// bitOf returns the bit of a mask that says that a field is given, or nil.
func (c *call) bitOf(mask, field *spec.Cond) *big.Int {
	for _, g := range c.gates[c.fn.Name][mask.Of.Text] {
		if g.field == field.Of.Text {
			return g.bit
		}
	}
	return nil
}

// at looks at what an operand names.
func (c *call) at(n *spec.Cond, b binding) ref {
	if n.Of.As == spec.AsCap {
		return c.capRef(n.Of.Text, b)
	}
	return c.look(n.Of.Text, b)
}

// number returns the value of a node; ok is false when the case does not tell it.
func (c *call) number(n *spec.Cond, b binding) (i *big.Int, ok bool) {
	switch n.Op {
	case cond.Sum:
		return c.sum(n.Sub, b)
	case cond.Rest:
		return c.rest(n.Sub[0], n.Sub[1], b)
	case cond.Power:
		if i, ok = c.number(n.Sub[0], b); !ok || i.Sign() < 0 {
			return nil, false
		}
		return new(big.Int).Lsh(big.NewInt(1), uint(min(i.Uint64(), 64))), true
	case cond.IfGiven:
		return c.ifGiven(n, b)
	}
	if _, i = c.operandOf(c.fn, n.Of); i != nil {
		return i, true
	}
	return number(c.at(n, b))
}

// sum adds what is told; ok is false when nothing is, or when a term is given and not known.
func (c *call) sum(terms []*spec.Cond, b binding) (total *big.Int, ok bool) {
	total = new(big.Int)
	for _, t := range terms {
		list, _, _ := strings.Cut(t.Of.Text, "[]")
		if c.unsaid(list, b) {
			return nil, false
		}
		for _, one := range c.bindings(t.Of.Text, b) {
			if c.unsaid(t.Of.Text, one) {
				return nil, false
			}
			if i, told := c.number(t, one); told {
				total.Add(total, i)
				ok = true
			}
		}
	}
	return total, ok
}

// rest divides what a place has, without its sign; nothing is a multiple of 0.
func (c *call) rest(of, by *spec.Cond, b binding) (i *big.Int, ok bool) {
	r := c.at(of, b)
	if i, ok = bits(r); !ok || r.st != given {
		return nil, false
	}
	to, ok := c.number(by, b)
	if !ok || to.Sign() <= 0 {
		return nil, false
	}
	return new(big.Int).Mod(i, to), true
}

// ifGiven is the value of a field when its bit of the mask is set and the case tells it, else the other value, which is not looked at
// before.
func (c *call) ifGiven(n *spec.Cond, b binding) (i *big.Int, ok bool) {
	have, told := bits(c.at(n.Mask, b))
	bit := c.bitOf(n.Mask, n.Sub[1])
	if bit != nil && c.unsaid(n.Mask.Of.Text, b) {
		return nil, false
	}
	if bit == nil || told && new(big.Int).And(have, bit).Sign() != 0 {
		if c.unsaid(n.Sub[1].Of.Text, b) {
			return nil, false
		}
		if given, is := c.number(n.Sub[1], b); is {
			return given, true
		}
	}
	return c.number(n.Sub[0], b)
}

// mask ors flags by name, and numbers; all says that the release has each.
func mask(f *spec.Facts, flags []string) (m *big.Int, all bool) {
	m, all = new(big.Int), true
	for _, name := range flags {
		if i := f.Const(name); i != nil {
			m.Or(m, i)
		} else if i, ok := spec.ParseInt(name); ok {
			m.Or(m, i)
		} else {
			all = false
		}
	}
	return m, all
}
