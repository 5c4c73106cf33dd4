package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindDependsOn: all of Must hold; used with When.
const KindDependsOn = "depends_on"

var _ = Register(Kind{
	Name:   KindDependsOn,
	Must:   [][]string{{"must"}},
	May:    []string{"subject"},
	Broken: func(r *Rule) *Cond { return cond.Of(cond.Not, Conditions(r.Must)) },
})
