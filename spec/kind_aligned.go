package spec

import "github.com/verbsgen/verbsgen/spec/cond"

// KindAligned: the subject is a multiple of To, or has the same remainder as SameAs modulo To.
const KindAligned = "aligned"

var _ = Register(Kind{
	Name: KindAligned,
	Must: [][]string{{"subject"}, {"to"}},
	May:  []string{"same_as"},
	Broken: func(r *Rule) *Cond {
		want := r.Test("same_as", cond.Rest, "to")
		if want == nil {
			want = Number("0")
		}
		return cond.Test(cond.Ne, r.Test("subject", cond.Rest, "to"), want)
	},
	check: func(c *checker, r *Rule) {
		if to := c.number(r.To); to != nil && to.Sign() <= 0 {
			c.add(r.At("to", r.To), CodeValue, r.ID, "to: nothing is a multiple of "+r.To, "write a number above 0")
		}
	},
})
