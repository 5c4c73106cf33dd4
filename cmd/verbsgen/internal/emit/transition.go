package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec/cond"
	"github.com/verbsgen/verbsgen/spec/role"
)

// transitions makes the table of a rule about transitions:
//
//	var transitions0220 = []validate.Transition{
//		{From: 0, To: 1, Need: 0x1, May: 0x2},
//	}
func (e *emitter) transitions(g *goFile, r *model.Rule) {
	n := transition(r)
	if n == nil {
		return
	}
	var rows []jen.Code
	for _, w := range n.Sub[3:] {
		rows = append(rows, jen.Values(key("From", dec(w.Sub[0].Of.Const)), key("To", dec(w.Sub[1].Of.Const)),
			key("Need", inHex(w.Sub[2].Of.Const)), key("May", inHex(w.Sub[3].Of.Const))))
	}
	name := transitionsVar(r)
	g.decl("// "+name+" are the transitions of "+r.ID+".", jen.Var().Id(name).Op("=").Index().Add(rt("validate", "Transition")).Add(lines(rows...)))
}

func transitionsVar(r *model.Rule) string {
	return "transitions" + strings.TrimPrefix(ruleConst(r), "rule")
}

// transition is the test of a transition that a rule has, or nil.
func transition(r *model.Rule) (found *model.Cond) {
	r.Violated.Each(func(n *model.Cond) {
		if n.Op == cond.BadTransition {
			found = n
		}
	})
	return found
}

// transitionArgs are the table of a rule, the mask, and the states that the call leads from and to.
func transitionArgs(r *model.Rule, n *model.Cond) []jen.Code {
	return []jen.Code{id(transitionsVar(r)), bitsOf(*n.Sub[0].Of), valueOf(n.Sub[1]), valueOf(n.Sub[2])}
}

// transitionText is what a violation shows of a transition: the Go names of the fields stand for the bits of the mask.
//
//	validate.TransitionText(transitions0220, mask, from, to, func(v uint64) string { return QPState(v).String() }, names)
func transitionText(r *model.Rule, n *model.Cond) *jen.Statement {
	state := rt("strconv", "FormatUint").Call(id("v"), jen.Lit(10))
	n.Sub[2].Each(func(next *model.Cond) {
		if o := next.Of; o != nil && o.Field != nil && o.Field.Enum != nil {
			state = id(o.Field.Enum.Go).Call(id("v")).Dot("String").Call()
		}
	})
	name := jen.Func().Params(param("v", "uint64")).String().Add(short(jen.Return(state)))
	return rt("validate", "TransitionText").Call(append(transitionArgs(r, n), name, id(maskNamesVar(n.Sub[0].Of.Param.Record)))...)
}

// maskNames makes the bits of a mask with the Go names of the fields that they say are given, for the values of rules:
//
//	var qpAttrMaskNames = []validate.Flag{
//		{Bits: 0x1, Name: "State"},
//	}
func (e *emitter) maskNames(g *goFile, r *model.Rule) {
	rec := maskShown(r)
	if rec == nil || e.masks[rec] {
		return
	}
	e.masks[rec] = true
	var names []jen.Code
	seen := map[string]bool{}
	for _, f := range rec.Fields {
		if f.Bit != nil && !seen[f.Bit.C] {
			seen[f.Bit.C] = true
			names = append(names, flagName(uint64(f.BitValue), strings.Join(fieldsOf(rec, f.Bit.C), "/")))
		}
	}
	name := maskNamesVar(rec)
	g.decl("// "+name+" are the fields that the bits of a mask say are given.", jen.Var().Id(name).Op("=").Index().Add(rt("validate", "Flag")).Add(lines(names...)))
}

func maskNamesVar(rec *model.Record) string { return naming.Unexported(rec.Go) + "MaskNames" }

// maskShown is the record of the mask that is the value of a rule, nil when it shows none.
func maskShown(r *model.Rule) *model.Record {
	if n := transition(r); n != nil {
		return n.Sub[0].Of.Param.Record
	}
	if o := r.Subject; o != nil && o.Param != nil && o.Param.Role == role.Mask {
		return o.Param.Record
	}
	return nil
}

// fieldsOf are the Go names of the fields that a bit stands for.
func fieldsOf(rec *model.Record, bit string) (names []string) {
	for _, f := range rec.FieldsOf(bit) {
		names = append(names, f.Go)
	}
	return names
}

// flagName is an entry of a list of flags: {Bits: 0x1, Name: "A"}.
func flagName(bits uint64, name string) *jen.Statement {
	return jen.Values(key("Bits", inHex(bits)), key("Name", jen.Lit(name)))
}
