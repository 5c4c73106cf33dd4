package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindCapBound: the subject, the sum of Sum, or 2 to the power of Log2, is at most the capability Cap; or flags of If in the
// subject (without If any
// value, without a subject any call) need CapHas in Cap.
const KindCapBound = "cap_bound"

var _ = Register(Kind{
	Name: KindCapBound,
	Must: [][]string{{"cap"}, {"subject", "cap_has"}},
	May:  []string{"if", "sum", "log2"},
	Broken: func(r *Rule) *Cond {
		if lacks := cond.Of(cond.Not, r.Test("cap", cond.HasAll, "cap_has")); lacks != nil {
			asks := r.Test("subject", cond.Has, "if")
			if asks == nil {
				asks = r.Test("subject", cond.Set)
			}
			return cond.Of(cond.All, asks, lacks)
		}
		if sum := cond.Of(cond.Sum, r.Operands("sum")...); sum != nil {
			return cond.Test(cond.Gt, sum, r.Operand("cap"))
		}
		if power := cond.Of(cond.Power, r.Operand("log2")); power != nil {
			return cond.Test(cond.Gt, power, r.Operand("cap"))
		}
		return r.Test("subject", cond.Gt, "cap")
	},
})
