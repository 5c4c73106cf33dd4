package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindRequired: all of Bits are set in Mask; or at least one of Fields is given, by its bit in Mask where that is named.
const KindRequired = "required"

var _ = Register(Kind{
	Name: KindRequired,
	Must: [][]string{{"mask", "fields"}, {"bits", "fields"}},
	May:  []string{"subject"},
	Broken: func(r *Rule) *Cond {
		if fields := r.Operands("fields"); len(fields) > 0 {
			return cond.Test(cond.Eq, cond.Of(cond.Given, fields...).Masked(r.Operand("mask")), Number("0"))
		}
		return cond.Of(cond.Not, r.Test("mask", cond.HasAll, "bits"))
	},
})
