package spec

import (
	"fmt"

	"github.com/verbsgen/verbsgen/spec/cond"
)

// KindRange: Min <= subject <= Max, or the same of the sum of Sum, which is above every Max when 64 bits cannot hold it.
const KindRange = "range"

var _ = Register(Kind{
	Name: KindRange,
	Must: [][]string{{"subject", "sum"}, {"min", "max", "sum"}},
	Broken: func(r *Rule) *Cond {
		of, most := cond.Of(cond.Sum, r.Operands("sum")...), r.Operand("max")
		switch {
		case of == nil:
			of = r.Operand("subject")
		case most == nil:
			most = Number("UINT64_MAX")
		}
		return cond.Of(cond.Any, cond.Test(cond.Lt, of, r.Operand("min")), cond.Test(cond.Gt, of, most))
	},
	check: func(c *checker, r *Rule) {
		if low, high := c.number(r.Min), c.number(r.Max); low != nil && high != nil && low.Cmp(high) > 0 {
			c.add(r.At("min", r.Min), CodeValue, r.ID, fmt.Sprintf("min: %s is more than max: %s", r.Min, r.Max),
				"swap them, or correct one")
		}
	},
})
