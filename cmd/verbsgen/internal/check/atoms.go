package check

import (
	"math/big"

	"github.com/verbsgen/verbsgen/spec"
)

// truth is the outcome of a comparison.
type truth uint8

const (
	no truth = iota
	yes
	untold // the case does not tell what is compared
)

func is(b bool) truth {
	if b {
		return yes
	}
	return no
}

// holds tells whether a condition of a rule holds: what the case does not tell does not hold, and of an open list
// one element is enough. It is untold where a capability or a property that is not given decides.
func (c *call) holds(a spec.Atom, b binding) truth {
	out := no
	for _, one := range c.bindings(a.Of, b) {
		c.missing = false
		switch t := c.compare(a, one, true); {
		case t == yes:
			return yes
		case t == untold && c.missing:
			out = untold
		}
	}
	return out
}

// met tells whether a demand of a rule is met: what the case does not tell is valid, and of an open list every
// element is asked.
func (c *call) met(a spec.Atom, b binding) bool {
	for _, one := range c.bindings(a.Of, b) {
		if c.compare(a, one, false) == no {
			return false
		}
	}
	return true
}

// compare judges one comparison. As a condition, a place that is left out is neutral; as a demand it is valid.
func (c *call) compare(a spec.Atom, b binding, condition bool) truth {
	r := c.subject(a.Of, b)
	if r.st == unknown || r.st == neutral && !condition {
		return untold
	}
	switch {
	case len(a.Has) > 0, len(a.All) > 0, len(a.Lacks) > 0:
		return c.compareFlags(a, r)
	case a.Null != nil:
		return c.compareNull(r, *a.Null)
	case a.Set != nil:
		return is(isSet(r) == *a.Set)
	case a.Same != "":
		return c.same(r, c.look(a.Same, b))
	}
	return c.compareNumbers(a, r, b)
}

// subject is what a comparison looks at: a place in the arguments, or a capability.
func (c *call) subject(path string, b binding) ref {
	if !c.facts.IsCap(c.fn, path) {
		return c.look(path, b)
	}
	i, ok := c.capValue(path, b)
	if !ok {
		return ref{st: unknown, path: path}
	}
	return ref{st: given, path: path, v: &val{kind: kInt, t: spec.CType{Kind: spec.CInt, Bits: 64}, i: i}}
}

func (c *call) compareFlags(a spec.Atom, r ref) truth {
	have, ok := bits(r)
	switch {
	case !ok:
		return untold
	case len(a.Has) > 0:
		return is(hasAny(have, c.facts, a.Has))
	case len(a.Lacks) > 0:
		return is(!hasAny(have, c.facts, a.Lacks))
	}
	for _, name := range a.All {
		if c.facts.Const(name) == nil {
			return no // the release has no such flag, so it cannot be set
		}
	}
	return is(hasAll(have, c.facts, a.All...))
}

// compareNull judges {null: want}. A pointer left out is valid: a parameter that must not be NULL is not NULL.
func (c *call) compareNull(r ref, want bool) truth {
	if r.st == neutral {
		return is(!want && c.mandatory(r.path))
	}
	if r.v.kind == kNull || r.v.kind == kInt && r.v.i.Sign() == 0 {
		return is(want)
	}
	return is(!want)
}

// mandatory tells whether a path is a parameter that may not be NULL.
func (c *call) mandatory(path string) bool {
	v := c.spec.VerbByC(c.fn.Name)
	if v == nil {
		return false
	}
	for i := range v.Params {
		if v.Params[i].C == path {
			return !v.Params[i].Null
		}
	}
	return false
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

func (c *call) compareNumbers(a spec.Atom, r ref, b binding) truth {
	i, ok := number(r)
	if !ok {
		return untold
	}
	with := func(o string, test func(cmp int) bool) truth {
		j, ok := c.operand(o, b)
		if !ok {
			return untold
		}
		return is(test(i.Cmp(j)))
	}
	switch {
	case len(a.In) > 0:
		return c.in(i, a.In, b)
	case a.Eq != "":
		return with(a.Eq, func(cmp int) bool { return cmp == 0 })
	case a.Ne != "":
		return with(a.Ne, func(cmp int) bool { return cmp != 0 })
	case a.Lt != "":
		return with(a.Lt, func(cmp int) bool { return cmp < 0 })
	case a.Le != "":
		return with(a.Le, func(cmp int) bool { return cmp <= 0 })
	case a.Gt != "":
		return with(a.Gt, func(cmp int) bool { return cmp > 0 })
	}
	return with(a.Ge, func(cmp int) bool { return cmp >= 0 })
}

// in judges whether a value is one of a list; constants that the release lacks are none of its values.
func (c *call) in(i *big.Int, list []string, b binding) truth {
	out := no
	for _, o := range list {
		switch j, ok := c.operand(o, b); {
		case ok && i.Cmp(j) == 0:
			return yes
		case !ok && c.isPath(o):
			out = untold
		}
	}
	return out
}

// isPath tells whether an operand is a path of the arguments.
func (c *call) isPath(o string) bool {
	_, _, err := c.facts.TypeOfPath(c.fn, o)
	return err == nil
}
