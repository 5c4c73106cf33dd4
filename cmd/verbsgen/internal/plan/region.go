package plan

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// This file plans memory regions as what elements of work requests are pieces of.

// vagueBit is the access flag with which it depends on the device where addresses in a region begin; 0 without one.
func vagueBit(r *model.Region) uint64 {
	if r.Vague == nil {
		return 0
	}
	return uint64(r.Vague.Value)
}

// region plans the methods that make elements.
func (b *builder) region(o *model.Object) []Decl {
	place := on(o, "place", Says("place", nil), nil,
		do(result("o.region.Set", composite("dpath.Region", Entry{"Start", val("start")},
			Entry{"Length", val("o." + naming.Local(o.Region.Length.C))},
			Entry{"LKey", val("o." + naming.Local(o.Region.LKey.C))}, Entry{"Unknown", val("unknown")}))))
	place.Params = []Var{{Name: "start", Type: "uint64"}, {Name: "unknown", Type: "string"}}

	iova := on(o, "IOVA", "", one("uint64"), ret(result("o.region.Start")))
	iova.Doc, iova.Short = Doc{Text: Says("IOVA", nil)}, true

	off := Var{Name: "off", Type: "uint64"}
	sge := on(o, "SGE", "", []Var{{Type: "dpath.SGE"}, {Type: "error"}},
		Refuse{isNil("o"), of("verr", "NilHandle", text(""), text(o.Go))}, ret(result("o.region.SGE", val("off"), val("n"))))
	sge.Params, sge.Zero = []Var{off, {Name: "n", Type: "uint64"}}, []Value{composite("dpath.SGE")}
	sge.Doc = Doc{Text: Says("SGE", nil)}

	unchecked := on(o, "UncheckedSGE", "", one("dpath.SGE"), ret(result("o.region.UncheckedSGE", val("off"), val("n"))))
	unchecked.Params, unchecked.Short = []Var{off, {Name: "n", Type: "uint32"}}, true
	unchecked.Doc = Doc{Text: Says("UncheckedSGE", nil)}
	return []Decl{place, iova, sge, unchecked}
}

// placed plans where a new region lies.
func (c *call) placed() []Step {
	from := c.v.IOVA
	if from == nil {
		return nil
	}
	s := Place{Handle: "o", Start: zero, Unknown: text("")}
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
	if flags := from.Vague; flags != nil {
		s.Unknown = of("dpath", "Vague", c.of(*flags), hex(vagueBit(c.v.Creates.Region)))
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
