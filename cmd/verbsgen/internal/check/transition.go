package check

import (
	"math/big"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
)

// transition judges whether a mask has the bits that go with the way from one state to another. A state that the case
// does not tell, or that no way of the rule begins with, decides nothing.
func (c *call) transition(r *spec.Rule, s ref, b binding) *broken {
	have, ok := bits(s)
	from, to, told := c.way(r, have, b)
	if !ok || !told || s.st == unknown {
		return nil
	}
	begins := false
	for _, t := range r.Transitions {
		begins = begins || c.among(from, t.From)
		if !c.among(from, t.From) || !c.among(to, t.To) {
			continue
		}
		need := mask(c.facts, t.Need)
		missing := new(big.Int).AndNot(need, have)
		excess := new(big.Int).AndNot(have, need.Or(need, mask(c.facts, t.May)))
		if missing.Sign() == 0 && excess.Sign() == 0 {
			return nil
		}
		return c.astray(r, s, b, from, to, missing, excess)
	}
	if !begins {
		return nil
	}
	return c.astray(r, s, b, from, to, nil, nil)
}

// way is where the transition begins and ends; told is false when the case does not say.
func (c *call) way(r *spec.Rule, have *big.Int, b binding) (from, to *big.Int, told bool) {
	read := func(path string) (*big.Int, bool) {
		for _, g := range c.gates[c.fn.Name][r.Subject] {
			if g.field == path && (have == nil || new(big.Int).And(have, g.bit).Sign() == 0) {
				return nil, false
			}
		}
		return number(c.look(path, b))
	}
	if from, told = number(c.look(r.State, b)); r.Assumed != "" {
		if i, ok := read(r.Assumed); ok {
			from, told = i, true
		}
	}
	to = from
	if i, ok := read(r.Next); ok {
		to = i
	}
	return from, to, told
}

// among tells whether a state is one of those named.
func (c *call) among(state *big.Int, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		i := c.facts.Const(n)
		return i != nil && i.Cmp(state) == 0
	})
}

// astray shows the way, and the bits that it lacks or does not take: "STATE (0x1), RESET to INIT without PORT|QKEY".
func (c *call) astray(r *spec.Rule, s ref, b binding, from, to, missing, excess *big.Int) *broken {
	state := func(i *big.Int) string {
		t, _, _ := c.facts.TypeOfPath(c.fn, r.State)
		return c.show(ref{st: given, path: r.Next, v: &val{kind: kInt, t: t, i: i}})
	}
	flags := func(i *big.Int) string {
		text, _, _ := strings.Cut(c.show(ref{st: given, path: r.Subject, v: &val{kind: kInt, t: s.v.t, i: i}}), " ")
		return text
	}
	text := c.show(s) + ", " + state(from) + " to " + state(to)
	switch {
	case missing == nil:
		text += ", which is no transition"
	case missing.Sign() != 0 && excess.Sign() != 0:
		text += " without " + flags(missing) + " and with " + flags(excess)
	case missing.Sign() != 0:
		text += " without " + flags(missing)
	default:
		text += " with " + flags(excess)
	}
	return &broken{place(r.Subject, b), text}
}
