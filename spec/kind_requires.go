package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindRequires: with any of If set in the subject, all of Need are set in it.
const KindRequires = "requires"

var _ = Register(Kind{
	Name: KindRequires,
	Must: [][]string{{"subject"}, {"if"}, {"need"}},
	Broken: func(r *Rule) *Cond {
		return cond.Of(cond.All, r.Test("subject", cond.Has, "if"), cond.Of(cond.Not, r.Test("subject", cond.HasAll, "need")))
	},
})
