package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindAllowedSet: the subject has no bits outside Allow, or its value is one of Values.
const KindAllowedSet = "allowed_set"

var _ = Register(Kind{
	Name: KindAllowedSet,
	Must: [][]string{{"subject"}, {"allow", "values"}},
	Broken: func(r *Rule) *Cond {
		if values := r.Operands("values"); len(values) > 0 {
			return cond.Of(cond.Not, cond.Test(cond.In, append([]*Cond{r.Operand("subject")}, values...)...))
		}
		return cond.Of(cond.Not, r.Test("subject", cond.Only, "allow"))
	},
})
