package check

import (
	"math/big"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// Gate is a bit of a mask and the field that it says is given.
type Gate struct {
	Field string
	Bit   *big.Int
	Zero  bool // given by 0 too: a mask of attributes, where 0 is a value like others
}

// findGates collects what gates what: from rules of kind gated_by, and from the records of parameters.
func (k *Checker) findGates() {
	for _, r := range k.spec.Rules() {
		if r.Gates() && k.usable[r] != nil {
			k.gate(r.Verb, r.Mask, r.Subject, r.Bit, false)
		}
	}
	for _, p := range k.spec.Pages {
		for i := range p.Verbs {
			v := &p.Verbs[i]
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
}

func (k *Checker) gate(verb, mask, field, bit string, zero bool) {
	value := k.facts.Const(bit)
	if value == nil {
		return
	}
	if k.gates[verb] == nil {
		k.gates[verb] = map[string][]Gate{}
	}
	for i, g := range k.gates[verb][mask] {
		if g.Field == field {
			k.gates[verb][mask][i].Zero = g.Zero || zero
			return
		}
	}
	k.gates[verb][mask] = append(k.gates[verb][mask], Gate{field, value, zero})
}

// known reports whether the release has what a rule cannot do without: its operands, the flags that it asks for, and at least one of
// those that it forbids, allows or looks for.
func (k *Checker) known(fn *api.Function, r *spec.Rule, broken *spec.Cond) bool {
	ok := r.Subject == "" || k.path(fn, r.Subject)
	broken.Each(func(n *spec.Cond) {
		if n.Op == cond.Way {
			return
		}
		if n.Mask != nil {
			ok = ok && k.operandKnown(fn, n.Mask.Of)
		}
		for i, s := range n.Sub {
			switch {
			case s.Op == cond.Operand && (i == 0 || n.Op != cond.In):
				ok = ok && k.operandKnown(fn, s.Of)
			case s.Op == cond.Flags && n.Op != cond.Lacks && len(s.Of.Flags) > 0:
				m, all := mask(k.facts, s.Of.Flags)
				ok = ok && (all || s.Of.As == spec.AsAnyFlags && m.Sign() != 0)
			}
		}
	})
	return ok
}

// operandKnown reports whether the release has what an operand names. A capability may be of a newer release.
func (k *Checker) operandKnown(fn *api.Function, o spec.Ref) bool {
	return o.As == spec.AsCap || k.path(fn, o.Text) || k.facts.IsCap(fn, o.Text) || k.constantKnown(o.Text)
}

func (k *Checker) path(fn *api.Function, p string) bool {
	_, _, err := k.facts.TypeOfPath(fn, p)
	return err == nil
}

func (k *Checker) constantKnown(name string) bool {
	_, number := spec.ParseInt(name)
	return number || name == "page" || k.facts.Const(name) != nil
}
