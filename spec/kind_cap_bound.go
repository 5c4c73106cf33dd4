package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindCapBound: the subject, or the sum of Sum, is at most the capability Cap; or flags of If in the subject (without If any
// value, without a subject any call) need CapHas in Cap.
const KindCapBound = "cap_bound"

var _ = Register(Kind{
	Name: KindCapBound,
	Must: [][]string{{"cap"}, {"subject", "cap_has"}},
	May:  []string{"if", "sum"},
	Broken: func(r *Rule) *Cond {
		if has := r.Operand("cap_has"); has != nil {
			asks := cond.Test(cond.Set, r.Operand("subject"))
			if flags := r.Operand("if"); flags != nil {
				asks = cond.Test(cond.Has, r.Operand("subject"), flags)
			}
			return cond.Of(cond.All, asks, cond.Of(cond.Not, cond.Test(cond.HasAll, r.Operand("cap"), has)))
		}
		of := r.Operand("subject")
		if sum := r.Operands("sum"); len(sum) > 0 {
			of = cond.Of(cond.Sum, sum...)
		}
		return cond.Test(cond.Gt, of, r.Operand("cap"))
	},
})
