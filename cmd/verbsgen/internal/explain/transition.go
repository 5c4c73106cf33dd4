package explain

import (
	"math/big"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// transition judges whether a mask does not have the bits that go with a change of state: those that it lacks, and those that do
// not go with it; listed is false when there is no such change. A state that the case does not tell, or that no way begins with,
// decides nothing.
func (c *call) transition(n *spec.Cond, b binding) (t truth, missing, excess *big.Int, listed bool) {
	s := c.at(n.Sub[0], b)
	have, ok := bits(s)
	from, begin := c.number(n.Sub[1], b)
	to, end := c.number(n.Sub[2], b)
	if !ok || !begin || !end || s.st == unknown {
		return untold, nil, nil, false
	}
	begins := false
	for _, way := range n.Sub[3:] {
		if !c.isState(from, way.Sub[0]) {
			continue
		}
		begins = true
		if c.isState(to, way.Sub[1]) {
			need, _ := mask(c.facts, way.Sub[2].Of.Flags)
			may, _ := mask(c.facts, way.Sub[3].Of.Flags)
			missing = new(big.Int).AndNot(need, have)
			excess = new(big.Int).AndNot(have, may.Or(need, may))
			return is(missing.Sign() != 0 || excess.Sign() != 0), missing, excess, true
		}
	}
	return is(begins), nil, nil, false
}

// showTransition shows a change of state that does not go, and why: "STATE (0x1), RESET to INIT without PORT|QKEY".
func (c *call) showTransition(n *spec.Cond, b binding) string {
	s := c.at(n.Sub[0], b)
	from, _ := c.number(n.Sub[1], b)
	to, _ := c.number(n.Sub[2], b)
	_, missing, excess, listed := c.transition(n, b)
	text := c.show(s) + ", " + c.showState(n, from) + " to " + c.showState(n, to)
	if !listed {
		return text + ", which is no transition"
	}
	and := ""
	if missing.Sign() != 0 {
		text, and = text+" without "+c.bitNames(s, missing), " and"
	}
	if excess.Sign() != 0 {
		text += and + " with " + c.bitNames(s, excess)
	}
	return text
}

// isState reports whether a state is the one that a way names.
func (c *call) isState(state *big.Int, named *spec.Cond) bool {
	i := c.facts.Const(named.Of.Text)
	return i != nil && i.Cmp(state) == 0
}

// showState writes a state as the field for the next one is written.
func (c *call) showState(n *spec.Cond, state *big.Int) string {
	path := ""
	n.Sub[2].Each(func(o *spec.Cond) {
		if o.Op == cond.Operand {
			path = o.Of.Text
		}
	})
	t, _, _ := c.facts.TypeOfPath(c.fn, path)
	return c.show(ref{st: given, path: path, v: &val{kind: kInt, t: t, i: state}})
}

// bitNames writes some bits of a mask.
func (c *call) bitNames(s ref, some *big.Int) string {
	text, _, _ := strings.Cut(c.show(ref{st: given, path: s.path, v: &val{kind: kInt, t: s.v.t, i: some}}), " ")
	return text
}
