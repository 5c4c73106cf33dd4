package explain

import (
	"math/big"
	"strings"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// change returns the changes of state that a rule allows, and the one that a case makes; ok is false when the case does not tell it.
func (c *call) change(n *spec.Cond, b binding) (table []fail.Transition, have, from, to uint64, ok bool) {
	m, okMask := bits(c.at(n.Sub[0], b))
	begin, okFrom := c.number(n.Sub[1], b)
	end, okTo := c.number(n.Sub[2], b)
	if !okMask || !okFrom || !okTo {
		return nil, 0, 0, 0, false
	}
	for _, way := range n.Sub[3:] {
		from, to := c.facts.Const(way.Sub[0].Of.Text), c.facts.Const(way.Sub[1].Of.Text)
		if from == nil || to == nil {
			continue
		}
		need, _ := mask(c.facts, way.Sub[2].Of.Flags)
		may, _ := mask(c.facts, way.Sub[3].Of.Flags)
		table = append(table, fail.Transition{From: word(from), To: word(to), Need: word(need), May: word(may)})
	}
	return table, word(m), word(begin), word(end), true
}

// word is an integer of 64 bits as generated code compares it.
func word(i *big.Int) uint64 {
	if i.Sign() < 0 {
		return uint64(i.Int64())
	}
	return i.Uint64()
}

// badTransition judges whether a mask does not have the bits that go with a change of state.
func (c *call) badTransition(n *spec.Cond, b binding) truth {
	table, have, from, to, ok := c.change(n, b)
	if !ok {
		return untold
	}
	return is(fail.BadTransition(table, have, from, to))
}

// showTransition shows a change of state that does not go, and why: "STATE (0x1), RESET to INIT without PORT|QKEY". States are written as
// the field for the next one is.
func (c *call) showTransition(n *spec.Cond, b binding) string {
	table, have, from, to, _ := c.change(n, b)
	next := ""
	for o := range n.Sub[2].Nodes() {
		if o.Op == cond.Operand {
			next = o.Of.Text
		}
	}
	names := c.shower(n.Sub[0].Of.Text)
	some := func(v uint64) string {
		text, _, _ := strings.Cut(names(v), " ")
		return text
	}
	return names(have) + ", " + fail.ChangeText(table, have, from, to, c.shower(next), some)
}

// shower returns a function that shows values as those at a path.
func (c *call) shower(path string) func(uint64) string {
	t, _, _ := c.facts.TypeOfPath(c.fn, path)
	return func(v uint64) string {
		return c.show(ref{path: path, v: &val{kind: kInt, t: t, i: new(big.Int).SetUint64(v)}})
	}
}
