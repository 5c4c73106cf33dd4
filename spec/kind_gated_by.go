package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindGatedBy: a subject that is not neutral needs Bit set in Mask.
const KindGatedBy = "gated_by"

var _ = Register(Kind{
	Name: KindGatedBy,
	Must: [][]string{{"subject"}, {"mask"}, {"bit"}},
	Broken: func(r *Rule) *Cond {
		return cond.Of(cond.All,
			cond.Test(cond.Set, r.Operand("subject")),
			cond.Of(cond.Not, cond.Test(cond.Has, r.Operand("mask"), r.Operand("bit"))))
	},
	Gates: true,
})
