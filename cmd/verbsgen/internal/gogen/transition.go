package gogen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/cond"
	"github.com/verbsgen/verbsgen/spec/role"
)

// transitions makes the table of a rule about transitions:
//
//	var transitions0220 = []fail.Transition{
//		{From: uint64(QPStateReset), To: uint64(QPStateInit), Need: qpAttrHasState, May: qpAttrHasQKey},
//	}
func (e *emitter) transitions(g *goFile, r *model.Rule) {
	n := transition(r)
	if n == nil {
		return
	}
	var rows []jen.Code
	for _, w := range n.Sub[3:] {
		mask := *n.Sub[0].Of
		row := []jen.Code{key("From", e.state(n, w.Sub[0])), key("To", e.state(n, w.Sub[1]))}
		for i, name := range []string{"Need", "May"} {
			if bits := w.Sub[2+i].Of.Const; bits != 0 {
				row = append(row, key(name, e.flags(mask, bits, false)))
			}
		}
		rows = append(rows, jen.Values(row...))
	}
	name := transitionsVar(r)
	g.decl("// "+name+" are the transitions of "+r.ID+".",
		jen.Var().Id(name).Op("=").Index().Add(rt("fail", "Transition")).Add(lines(rows...)))
}

func transitionsVar(r *model.Rule) string {
	return "transitions" + strings.TrimPrefix(ruleVar(r), "rule")
}

// transition is the test of a transition that a rule has, or nil.
func transition(r *model.Rule) *model.Cond {
	for n := range r.Violated.Nodes() {
		if n.Op == cond.BadTransition {
			return n
		}
	}
	return nil
}

// transitionArgs are the table of a rule, the mask, and the states that the call leads from and to.
func (t *terms) transitionArgs(r *model.Rule, n *model.Cond) []jen.Code {
	return []jen.Code{id(transitionsVar(r)), bitsOf(*n.Sub[0].Of), t.state("from", n.Sub[1]), t.state("to", n.Sub[2])}
}

// state is a state of a transition. One that depends on the mask is in a variable, which rules share:
//
//	from := fail.Either(in.attrMask&qpAttrHasCurState != 0, in.attrCurQPState, in.qpState.V)
//	to := fail.Either(in.attrMask&qpAttrHasState != 0, in.attrQPState, from)
func (t *terms) state(name string, n *model.Cond) *jen.Statement {
	if n.Op != cond.IfGiven {
		return t.valueOf(n)
	}
	given := op(t.bitOf(n.Mask, n.Sub[1]), "!=", jen.Lit(0))
	value := rt("fail", "Either").Call(given, t.valueOf(n.Sub[1]), t.state("from", n.Sub[0]))
	text := fmt.Sprintf("%#v", value)
	if t.local[text] == "" {
		for i := 2; t.taken[name]; i++ {
			name = strings.TrimRight(name, "0123456789") + strconv.Itoa(i)
		}
		t.local[text], t.taken[name] = name, true
		t.locals = append(t.locals, define(name).Add(value))
	}
	return id(t.local[text])
}

// statesOf is the enum of the states of a transition, or nil.
func statesOf(n *model.Cond) *model.Enum {
	for next := range n.Sub[2].Nodes() {
		if o := next.Of; o != nil && o.Field != nil && o.Field.Enum != nil {
			return o.Field.Enum
		}
	}
	return nil
}

// state is a state in a table of transitions: uint64(QPStateReset).
func (e *emitter) state(n, state *model.Cond) *jen.Statement {
	if of := statesOf(n); of != nil {
		if name := e.member(of, state.Of.Const); name != "" {
			return jen.Uint64().Call(id(name))
		}
	}
	return dec(state.Of.Const)
}

// transitionText is the text of a transition in a violation. It has the Go names of fields where C has bits of the mask.
//
//	fail.TransitionText(transitions0220, mask, from, to, fail.Text[QPState], names)
func (t *terms) transitionText(r *model.Rule, n *model.Cond) *jen.Statement {
	name := rt("fail", "Signed")
	if states := statesOf(n); states != nil {
		name = enumText(states)
	}
	return rt("fail", "TransitionText").Call(append(t.transitionArgs(r, n), name, id(maskNamesVar(n.Sub[0].Of.Param.Record)))...)
}

// maskNames makes the bits of a mask with the Go names of the fields that they say are given, for the values of rules:
//
//	var qpAttrMaskNames = []fail.Flag{{Bits: qpAttrHasState, Name: "State"}}
func (e *emitter) maskNames(g *goFile, r *model.Rule) {
	rec := maskShown(r)
	if rec == nil || !e.first(maskNamesVar(rec)) {
		return
	}
	var names []jen.Code
	for _, b := range bitsOfMask(rec) {
		if b.fields != "" {
			names = append(names, flagName(id(b.name), b.fields))
		}
	}
	name := maskNamesVar(rec)
	g.decl("// "+name+" are the fields that the bits of a mask say are given.",
		jen.Var().Id(name).Op("=").Index().Add(rt("fail", "Flag"), values(names...)))
}

func maskNamesVar(rec *model.Record) string { return model.Unexported(rec.Go) + "MaskNames" }

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
func flagName(bits jen.Code, name string) *jen.Statement {
	return jen.Values(key("Bits", bits), key("Name", jen.Lit(name)))
}
