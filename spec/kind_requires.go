package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindRequires: with any of If set in the subject, all of Need are set in it.
const KindRequires = "requires"

var _ = Register(Kind{
	Name: KindRequires,
	Must: [][]string{{"subject"}, {"if"}, {"need"}},
	Broken: func(r *Rule) *Cond {
		return cond.Of(cond.All,
			cond.Test(cond.Has, r.Operand("subject"), r.Operand("if")),
			cond.Of(cond.Not, cond.Test(cond.HasAll, r.Operand("subject"), r.Operand("need"))))
	},
})
