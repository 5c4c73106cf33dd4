package gogen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file plans where memory regions lie, of which elements of work requests are pieces.

// placed tells a new region where it lies:
//
//	start := attrC.iova
//	if attrC.comp_mask&0x1 != 0 {
//		start = attrC.addr
//	}
//	o.place(start, "")
func (c *call) placed() (out []jen.Code) {
	from := c.v.IOVA
	if from == nil {
		return nil
	}
	start, unknown := jen.Lit(0), jen.Lit("")
	switch {
	case from.Vague != nil && c.v.Creates.Region.Vague != nil:
		unknown = rt("dpath", "Vague").Call(c.of(*from.Vague), inHex(uint64(c.v.Creates.Region.Vague.Value)))
	case from.Unknown:
		unknown = rt("dpath", "Elsewhere")
	}
	last := len(from.From) - 1
	if last >= 0 {
		start = c.of(from.From[last])
	}
	if last > 0 { // the first that is given is the last to be stored
		out = append(out, define("start").Add(start))
		for _, x := range slices.Backward(from.From[:last]) {
			given := op(op(id(x.Param.Go+"C", x.Param.Record.Mask), "&", inHex(uint64(x.Field.BitValue))), "!=", jen.Lit(0))
			out = append(out, jen.If(given).Block(assign(id("start"), c.of(x))))
		}
		start = id("start")
	}
	return append(out, id("o.place").Call(start, unknown))
}

// of is the value of a parameter or field, with 64 bits.
func (c *call) of(x model.IOVAFrom) *jen.Statement {
	if x.Field != nil {
		return converted("uint64", x.Field.Leaf.GoType, id(x.Param.Go+"C."+x.Field.Leaf.Go))
	}
	return converted("uint64", x.Param.GoType, id(x.Param.Go))
}
