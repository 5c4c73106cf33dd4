package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindNotNull: the subject is not NULL.
const KindNotNull = "not_null"

var _ = Register(Kind{
	Name:   KindNotNull,
	Must:   [][]string{{"subject"}},
	Broken: func(r *Rule) *Cond { return r.Test("subject", cond.Null) },
	fill:   nullDefaults,
})
