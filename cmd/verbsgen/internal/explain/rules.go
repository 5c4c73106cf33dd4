package explain

import (
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// broken tells at which place a rule is broken: what the message shows, and whose value.
type broken struct {
	subject string
	value   string
}

// add judges one rule and adds what comes of it to the result.
func (c *call) add(res *Result, r *spec.Rule) {
	by := c.usable[r]
	if by == nil {
		return
	}
	worst, found, open, limited := spec.AnswerAccepted, false, false, false
	for _, b := range c.bindings(by.walked, nil) {
		w, known := c.judge(r, b)
		if w == nil {
			open, limited = open || !known, limited || c.limited(r, b)
			continue
		}
		found = true
		res.Broken = append(res.Broken, Broken{Rule: r, Place: w.subject, Value: w.value})
		applies := func(when []spec.Atom) bool { return c.holds(when, b) }
		a, text := r.AnswerOf(c.platform, applies), message(r, *w, c.limit(r, b))
		switch {
		case r.Severity == spec.SeverityLint || c.platform.Below() && a != spec.AnswerUnknown:
			text += whoAccepts(r, func(p *spec.Party) bool {
				return (p.Provider == spec.VFIO) == (c.platform.Provider == spec.VFIO) && applies(p.When)
			})
		default:
			a = spec.AnswerRefused
		}
		if worst != spec.AnswerRefused && a != spec.AnswerAccepted {
			worst = a
		}
		res.Messages = append(res.Messages, text)
	}
	switch {
	case !found && open:
		res.NotJudged = append(res.NotJudged, r.ID)
	case !found && limited:
		res.OwnLimits = append(res.OwnLimits, r.ID)
	case !found, worst == spec.AnswerAccepted:
	case worst == spec.AnswerRefused:
		res.Rules = append(res.Rules, r.ID)
	default:
		res.Lints = append(res.Lints, r.ID)
	}
}

// limited reports whether a provider may refuse a value that the rule accepts, as it has a limit of its own.
func (c *call) limited(r *spec.Rule, b binding) bool {
	of := r.Operand("subject")
	if !r.OwnLimit || of == nil {
		return false
	}
	i, ok := c.number(of, b)
	return ok && i.Sign() > 0
}

// judge judges one rule at one place: where it is broken, or nil. Known is false when it may be broken, but a capability or a
// property that the case does not give decides that.
func (c *call) judge(r *spec.Rule, b binding) (w *broken, known bool) {
	switch c.hold(c.usable[r].broken, b, false) {
	case no:
		return nil, true
	case yes:
		return c.witness(r, b), true
	}
	return nil, false
}

// walked is the path whose lists the rule walks, element by element: its subject, or else the one with the most of those that
// its tests look at.
func walked(r *spec.Rule, broken *spec.Cond) string {
	longest := ""
	look := func(n *spec.Cond) {
		if i := strings.LastIndex(n.Of.Text, "[]"); i >= 0 && i+2 > len(longest) {
			longest = n.Of.Text[:i+2]
		}
	}
	if s := r.Operand("subject"); s != nil {
		look(s)
		return longest
	}
	for n := range broken.Nodes() {
		if n.Op < cond.Has || n.Op == cond.Way {
			continue
		}
		if of := n.Sub[0]; of.Op == cond.Operand || of.Op == cond.Given {
			for o := range of.Nodes() {
				look(o)
			}
		}
	}
	return longest
}

// holds reports whether all of some comparisons hold.
func (c *call) holds(atoms []spec.Atom, b binding) bool {
	all := spec.Conditions(atoms)
	return all == nil || c.hold(all, b, false) == yes
}
