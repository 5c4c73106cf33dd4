package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindMaskForTransition: the subject, a mask, has all bits that the change from State (or Assumed, when its bit is set) to Next
// (when its bit is set, else there is none) needs, and none but those and the ones it may have. Transitions lists the changes.
const KindMaskForTransition = "mask_for_transition"

var _ = Register(Kind{
	Name: KindMaskForTransition,
	Must: [][]string{{"subject"}, {"state"}, {"next"}, {"transitions"}},
	May:  []string{"assumed"},
	Broken: func(r *Rule) *Cond {
		mask, from := r.Operand("subject"), r.Operand("state")
		if assumed := r.Operand("assumed"); assumed != nil {
			from = cond.Test(cond.IfGiven, from, assumed).Masked(mask)
		}
		n := cond.Test(cond.BadTransition, mask, from, cond.Test(cond.IfGiven, from, r.Operand("next")).Masked(mask))
		for i := range r.Transitions {
			n.Sub = append(n.Sub, r.Transitions[i].ways()...)
		}
		return n
	},
	check: func(c *checker, r *Rule) {
		seen := map[[2]string]bool{}
		for _, t := range r.Transitions {
			for _, from := range t.From {
				for _, to := range t.To {
					if way := [2]string{from, to}; seen[way] {
						c.add(t.Pos, CodeKindKey, r.ID, "a second transition from "+from+" to "+to, "keep one of them")
					} else {
						seen[way] = true
					}
				}
			}
		}
	},
})

// ways returns a way for each pair of states.
func (t *Transition) ways() (out []*Cond) {
	leaf := func(op cond.Op, r Ref) *Cond {
		r.entry = t.Entry
		return cond.Leaf(op, r)
	}
	for _, from := range t.From {
		for _, to := range t.To {
			out = append(out, cond.Test(cond.Way,
				leaf(cond.Operand, Ref{Key: "from", As: AsValue, Text: from}), leaf(cond.Operand, Ref{Key: "to", As: AsValue, Text: to}),
				leaf(cond.Flags, Ref{Key: "need", As: AsAllFlags, Flags: t.Need}), leaf(cond.Flags, Ref{Key: "may", As: AsFlags, Flags: t.May})))
		}
	}
	return out
}
