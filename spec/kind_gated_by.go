package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindGatedBy: a subject that is not neutral needs Bit set in Mask.
const KindGatedBy = "gated_by"

var _ = Register(Kind{
	Name: KindGatedBy,
	Must: [][]string{{"subject"}, {"mask"}, {"bit"}},
	Broken: func(r *Rule) *Cond {
		return cond.Of(cond.All, r.Test("subject", cond.Set), cond.Of(cond.Not, r.Test("mask", cond.Has, "bit")))
	},
	Gates: true,
})
