package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindMandatory: all of Need are set in the subject.
const KindMandatory = "mandatory"

var _ = Register(Kind{
	Name:   KindMandatory,
	Must:   [][]string{{"subject"}, {"need"}},
	Broken: func(r *Rule) *Cond { return cond.Of(cond.Not, r.Test("subject", cond.HasAll, "need")) },
})
