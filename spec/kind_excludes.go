package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindExcludes: with any of If set in the subject, or always without If, none of Not is set in it; or at most one of Fields is
// given, by its bit in Mask where that is named.
const KindExcludes = "excludes"

var _ = Register(Kind{
	Name: KindExcludes,
	Must: [][]string{{"subject", "fields"}, {"not", "fields"}},
	May:  []string{"if", "mask"},
	Broken: func(r *Rule) *Cond {
		if fields := r.Operands("fields"); len(fields) > 0 {
			return cond.Test(cond.Gt, cond.Of(cond.Given, fields...).Masked(r.Operand("mask")), Number("1"))
		}
		return cond.Of(cond.All, r.Test("subject", cond.Has, "if"), r.Test("subject", cond.Has, "not"))
	},
})
