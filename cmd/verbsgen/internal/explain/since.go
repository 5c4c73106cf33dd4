package explain

import (
	"math/big"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// gate is a bit of a mask and the field that it says is given.
type gate struct {
	field string
	bit   *big.Int
	zero  bool // given by 0 too: a mask of attributes, where 0 is a value like others
}

// findGates collects what gates what: from rules of kind gated_by, and from the records of parameters.
func (k *Checker) findGates() {
	for _, r := range k.spec.Rules() {
		if r.Gates() && k.usable[r] != nil {
			k.gate(r.Verb, r.Mask, r.Subject, r.Bit, false)
		}
	}
	for v := range k.spec.Verbs() {
		for _, param := range v.Params {
			rec := k.spec.RecordByGo(param.Type)
			if rec == nil || param.Role.Derived || rec.Mask == "" && rec.MaskParam == "" {
				continue
			}
			mask := rec.MaskParam
			if mask == "" {
				mask = param.C + "." + rec.Mask
			}
			for _, f := range rec.Fields {
				if f.Bit != "" {
					k.gate(v.C, mask, param.C+"."+f.C, f.Bit, rec.MaskParam != "")
				}
			}
		}
	}
}

func (k *Checker) gate(verb, mask, field, bit string, zero bool) {
	value := k.facts.Const(bit)
	if value == nil {
		return
	}
	if k.gates[verb] == nil {
		k.gates[verb] = map[string][]gate{}
	}
	for i, g := range k.gates[verb][mask] {
		if g.field == field {
			k.gates[verb][mask][i].zero = g.zero || zero
			return
		}
	}
	k.gates[verb][mask] = append(k.gates[verb][mask], gate{field, value, zero})
}

// known reports whether the release has what a rule cannot do without: its operands, the flags that it asks for, and at least one of
// those that it forbids, allows or looks for.
func (k *Checker) known(fn *api.Function, r *spec.Rule, broken *spec.Cond) bool {
	ok := r.Subject == "" || k.path(fn, r.Subject)
	for n := range broken.Nodes() {
		if n.Op == cond.Way {
			continue
		}
		if n.Mask != nil {
			ok = ok && k.operandKnown(fn, n.Mask.Of)
		}
		for i, s := range n.Sub {
			switch {
			case s.Op == cond.Operand && (i == 0 || n.Op != cond.In):
				ok = ok && k.operandKnown(fn, s.Of)
			case s.Op == cond.Flags && n.Op != cond.Lacks:
				m, all := mask(k.facts, s.Of.Flags)
				ok = ok && (all || s.Of.As == spec.AsAnyFlags && m.Sign() != 0)
			}
		}
	}
	return ok
}

// operandKnown reports whether the release has what an operand names. A capability may be of a newer release.
func (k *Checker) operandKnown(fn *api.Function, o spec.Ref) bool {
	op, i := k.operandOf(fn, o)
	return op != opConstant || i != nil
}

func (k *Checker) path(fn *api.Function, p string) bool {
	_, _, err := k.facts.TypeOfPath(fn, p)
	return err == nil
}

// What operands name, as the file of rules writes it.
const (
	opNumber   = "number"
	opPage     = "page_size"
	opConstant = "constant"
	opCap      = "cap"
	opArg      = "arg"
)

// operandOf says what an operand names, and the value of a number or a constant. A constant without a value is one that the release
// lacks.
func (k *Checker) operandOf(fn *api.Function, of spec.Ref) (op string, value *big.Int) {
	if of.As == spec.AsValue {
		if i, ok := spec.ParseInt(of.Text); ok {
			return opNumber, i
		}
		if of.Text == "page" {
			return opPage, pageSize()
		}
		if i := k.facts.Const(of.Text); i != nil {
			return opConstant, i
		}
	}
	switch {
	case of.As == spec.AsCap || k.facts.IsCap(fn, of.Text):
		return opCap, nil
	case k.path(fn, of.Text):
		return opArg, nil
	}
	return opConstant, nil
}
