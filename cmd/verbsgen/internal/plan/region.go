package plan

import "github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"

// This file plans where memory regions lie, of which elements of work requests are pieces.

// placed plans where a new region lies.
func (c *call) placed() []Step {
	from := c.v.IOVA
	if from == nil {
		return nil
	}
	s := Place{Start: zero, Unknown: text("")}
	if from.Unknown {
		s.Unknown = nameOf("dpath", "Elsewhere")
	}
	if last := len(from.From) - 1; last >= 0 {
		s.Start = c.of(from.From[last])
		for _, x := range from.From[:last] {
			given := operation(operation(val(x.Param.Go+"C."+x.Param.Record.Mask), "&", hex(uint64(x.Field.BitValue))), "!=", zero)
			s.First = append(s.First, Given{given, c.of(x)})
		}
	}
	if from.Vague != nil && c.v.Creates.Region.Vague != nil {
		s.Unknown = of("dpath", "Vague", c.of(*from.Vague), hex(uint64(c.v.Creates.Region.Vague.Value)))
	}
	return []Step{s}
}

// of is the value of a parameter or field, with 64 bits.
func (c *call) of(x model.IOVAFrom) Value {
	if x.Field != nil {
		return convert("uint64", x.Field.Leaf.GoType, val(x.Param.Go+"C."+x.Field.Leaf.Go))
	}
	return convert("uint64", x.Param.GoType, val(x.Param.Go))
}
