package check

import (
	"math/big"
	"strings"

	"github.com/verbsgen/verbsgen/spec"
)

// broken tells at which place a rule is broken: what the message shows, and whose value.
type broken struct {
	subject string
	value   string
}

// add judges one rule and adds what comes of it to the result.
func (c *call) add(res *Result, r *spec.Rule) {
	if !c.usable[r] {
		return
	}
	worst, found, open := spec.AnswerAccepted, false, false
	for _, b := range c.bindings(walked(r), nil) {
		w, known := c.judge(r, b)
		if w == nil {
			open = open || !known
			continue
		}
		found = true
		if r.Severity != spec.SeverityLint {
			worst = spec.AnswerRefused
			res.Messages = append(res.Messages, message(r, *w))
			continue
		}
		applies := func(when []spec.Atom) bool { return c.hold(when, b) == yes }
		if a := r.AnswerOf(c.platform, applies); worst != spec.AnswerRefused && a != spec.AnswerAccepted {
			worst = a
		}
		res.Messages = append(res.Messages, message(r, *w)+whoAccepts(r, applies))
	}
	switch {
	case !found && open:
		res.NotJudged = append(res.NotJudged, r.ID)
	case !found, worst == spec.AnswerAccepted:
	case worst == spec.AnswerRefused:
		res.Rules = append(res.Rules, r.ID)
	default:
		res.Lints = append(res.Lints, r.ID)
	}
}

// judge judges one rule at one place: where it is broken, or nil. Known is false when it may be broken, but a capability or a
// property that the case does not give decides that.
func (c *call) judge(r *spec.Rule, b binding) (w *broken, known bool) {
	applies := c.hold(r.When, b)
	if applies == no {
		return nil, true
	}
	c.missing = false
	w = c.verdict(r, b)
	switch {
	case w == nil:
		return nil, !c.missing
	case applies == untold:
		return nil, false
	}
	return w, true
}

// walked is the path whose lists the rule walks, element by element: its subject, or else the first path that it
// speaks of.
func walked(r *spec.Rule) string {
	paths := append([]string{r.Subject}, r.Fields...)
	paths = append(paths, r.Mask)
	for _, a := range append(append([]spec.Atom(nil), r.When...), r.Must...) {
		paths = append(paths, a.Of)
	}
	if r.Subject != "" {
		paths = paths[:1]
	}
	longest := ""
	for _, p := range paths {
		if i := strings.LastIndex(p, "[]"); i >= 0 && i+2 > len(longest) {
			longest = p[:i+2]
		}
	}
	return longest
}

// hold tells whether all of some conditions hold; untold when that depends on a capability or a property that is not given.
func (c *call) hold(conditions []spec.Atom, b binding) truth {
	out := yes
	for _, a := range conditions {
		switch c.holds(a, b) {
		case no:
			return no
		case untold:
			out = untold
		}
	}
	return out
}

// verdict asks what the kind of the rule asks; nil when it is fulfilled, or cannot be decided. The field missing is set when
// that depends on a capability or a property that is not given.
func (c *call) verdict(r *spec.Rule, b binding) *broken {
	s := ref{st: unknown}
	if r.Subject != "" {
		s = c.look(r.Subject, b)
	}
	bad := false
	switch r.Kind {
	case spec.KindRequires, spec.KindMandatory, spec.KindAllowedSet:
		bad = c.flagRule(r, s, b)
	case spec.KindExcludes:
		bad = c.excludes(r, s, b)
	case spec.KindGatedBy:
		m := c.look(r.Mask, b)
		bits, ok := bits(m)
		bad = isSet(s) && m.st == given && ok && !hasAll(bits, c.facts, r.Bit)
	case spec.KindRequired:
		bad = c.required(r, b)
	case spec.KindNotNull:
		i, ok := number(s)
		bad = ok && i.Sign() == 0
	case spec.KindRange:
		return c.inRange(r, s, b)
	case spec.KindAligned:
		bad = c.unaligned(r, s, b)
	case spec.KindCapBound:
		bad = c.overCap(r, s, b)
	case spec.KindMaskForTransition:
		return c.transition(r, s, b)
	case spec.KindDependsOn:
		for _, a := range r.Must {
			bad = bad || !c.met(a, b)
		}
	}
	if !bad {
		return nil
	}
	return c.at(r, b)
}

// flagRule judges the kinds that look at the flags or the value of a subject that the case gives.
func (c *call) flagRule(r *spec.Rule, s ref, b binding) bool {
	have, ok := bits(s)
	if !ok || s.st != given {
		return false
	}
	switch r.Kind {
	case spec.KindRequires:
		return hasAny(have, c.facts, r.If) && !hasAll(have, c.facts, r.Need...)
	case spec.KindMandatory:
		return !hasAll(have, c.facts, r.Need...)
	}
	if len(r.Values) > 0 {
		i, ok := number(s)
		return ok && c.in(i, r.Values, b) == no
	}
	allow := mask(c.facts, r.Allow)
	return new(big.Int).AndNot(have, allow).Sign() != 0
}

func (c *call) excludes(r *spec.Rule, s ref, b binding) bool {
	if len(r.Fields) > 0 {
		n := 0
		for _, f := range r.Fields {
			if is, _ := c.isGiven(r, f, b); is {
				n++
			}
		}
		return n > 1
	}
	have, ok := bits(s)
	return ok && hasAny(have, c.facts, r.Not) && (len(r.If) == 0 || hasAny(have, c.facts, r.If))
}

// required asks for all Bits in Mask, or for one of Fields; what is left out is valid.
func (c *call) required(r *spec.Rule, b binding) bool {
	if len(r.Fields) > 0 {
		for _, f := range r.Fields {
			if is, known := c.isGiven(r, f, b); is || !known {
				return false
			}
		}
		return true
	}
	m := c.look(r.Mask, b)
	have, ok := bits(m)
	return ok && m.st == given && !hasAll(have, c.facts, r.Bits...)
}

// isGiven tells whether a field is given: by its bit where the rule names a mask that the case has and that gates
// the field, else by a value that is not neutral. A field left out is not known to be missing.
func (c *call) isGiven(r *spec.Rule, field string, b binding) (is, known bool) {
	if r.Mask != "" {
		m := c.look(r.Mask, b)
		if have, ok := bits(m); ok && m.st == given {
			for _, g := range c.gates[c.fn.Name][r.Mask] {
				if g.field == field {
					return new(big.Int).And(have, g.bit).Sign() != 0, true
				}
			}
		}
	}
	f := c.look(field, b)
	return isSet(f), f.st == given
}

// inRange judges Min <= subject <= Max, or the same of a sum; a sum beyond 64 bits wraps around and is out of range.
func (c *call) inRange(r *spec.Rule, s ref, b binding) *broken {
	i, ok := number(s)
	if len(r.Sum) > 0 {
		i, ok = c.sum(r.Sum, b)
	}
	if !ok {
		return nil
	}
	bad := len(r.Sum) > 0 && i.BitLen() > 64
	if low, ok := c.operand(r.Min, b); ok && r.Min != "" {
		bad = bad || i.Cmp(low) < 0
	}
	if high, ok := c.operand(r.Max, b); ok && r.Max != "" {
		bad = bad || i.Cmp(high) > 0
	}
	if !bad {
		return nil
	}
	w := c.at(r, b)
	if r.Subject == "" {
		w.value = i.String()
	}
	return w
}

// sum adds what is told; ok is false when nothing is.
func (c *call) sum(paths []string, b binding) (total *big.Int, ok bool) {
	total = new(big.Int)
	for _, p := range paths {
		for _, one := range c.bindings(p, b) {
			i, told := c.operand(p, one)
			if told {
				total.Add(total, i)
				ok = true
			}
		}
	}
	return total, ok
}

func (c *call) unaligned(r *spec.Rule, s ref, b binding) bool {
	i, ok := bits(s)
	if !ok || s.st != given {
		return false
	}
	to, ok := c.operand(r.To, b)
	if !ok || to.Sign() <= 0 {
		return false
	}
	rest := new(big.Int).Mod(i, to)
	if r.SameAs == "" {
		return rest.Sign() != 0
	}
	other := c.look(r.SameAs, b)
	j, ok := bits(other)
	return ok && other.st == given && rest.Cmp(new(big.Int).Mod(j, to)) != 0
}

// hasAny tells whether any of the flags is set. Flags that the release lacks are not.
func hasAny(have *big.Int, f *spec.Facts, flags []string) bool {
	return new(big.Int).And(have, mask(f, flags)).Sign() != 0
}

// hasAll tells whether all of the flags are set.
func hasAll(have *big.Int, f *spec.Facts, flags ...string) bool {
	m := mask(f, flags)
	return new(big.Int).And(have, m).Cmp(m) == 0
}

// mask ors flags by name, and numbers.
func mask(f *spec.Facts, flags []string) *big.Int {
	m := new(big.Int)
	for _, name := range flags {
		if i := f.Const(name); i != nil {
			m.Or(m, i)
		} else if i, ok := spec.ParseInt(name); ok {
			m.Or(m, i)
		}
	}
	return m
}
