package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// transitions makes the table of a rule about transitions:
//
//	var transitions0220 = []validate.Transition{
//		{From: 0, To: 1, Need: 0x1, May: 0x2},
//	}
func (e *emitter) transitions(g *goFile, r *model.Rule) {
	if len(r.Ways) == 0 {
		return
	}
	var rows []jen.Code
	for _, w := range r.Ways {
		rows = append(rows, jen.Values(key("From", dec(w.From)), key("To", dec(w.To)), key("Need", inHex(w.Need)), key("May", inHex(w.May))))
	}
	name := transitionsVar(r)
	g.decl("// "+name+" are the transitions of "+r.ID+".", jen.Var().Id(name).Op("=").Index().Add(rt("validate", "Transition")).Add(lines(rows...)))
}

func transitionsVar(r *model.Rule) string {
	return "transitions" + strings.TrimPrefix(ruleConst(r), "rule")
}

// transitionArgs are the table of a rule, the mask, and the states that the call leads from and to.
func transitionArgs(r *model.Rule) []jen.Code {
	from := expr(*r.State)
	if r.Assumed != nil {
		from = given(r, r.Assumed, from)
	}
	return []jen.Code{id(transitionsVar(r)), bitsOf(*r.Subject), from, given(r, r.Next, from)}
}

// given is the value of a field when its bit in the mask is set, else another one: validate.Either(mask&0x1 != 0, x, other).
func given(r *model.Rule, field *model.Operand, other *jen.Statement) *jen.Statement {
	return rt("validate", "Either").Call(has(*r.Subject, field.Bit).code(), expr(*field), other)
}

// transitionText is what a violation shows of a transition: the Go names of the fields stand for the bits of the mask.
//
//	validate.TransitionText(transitions0220, mask, from, to, func(v uint64) string { return QPState(v).String() }, names)
func transitionText(r *model.Rule) *jen.Statement {
	state := rt("strconv", "FormatUint").Call(id("v"), jen.Lit(10))
	if r.Next.Field != nil && r.Next.Field.Enum != nil {
		state = id(r.Next.Field.Enum.Go).Call(id("v")).Dot("String").Call()
	}
	name := jen.Func().Params(param("v", "uint64")).String().Add(short(jen.Return(state)))
	return rt("validate", "TransitionText").Call(append(transitionArgs(r), name, maskNames(r.Subject.Param.Record))...)
}

// maskNames are the bits of a mask with the Go names of the fields that they say are given.
func maskNames(rec *model.Record) *jen.Statement {
	var names []jen.Code
	for _, f := range rec.Fields {
		if f.Bit != nil {
			names = append(names, flagName(uint64(f.BitValue), f.Go))
		}
	}
	return jen.Index().Add(rt("validate", "Flag")).Values(names...)
}

// flagName is an entry of a list of flags: {Bits: 0x1, Name: "A"}.
func flagName(bits uint64, name string) *jen.Statement {
	return jen.Values(key("Bits", inHex(bits)), key("Name", jen.Lit(name)))
}
