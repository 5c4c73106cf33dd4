package check

import (
	"math/big"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
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
		if r.Kind == spec.KindGatedBy && k.usable[r] {
			k.gate(r.Verb, r.Mask, r.Subject, r.Bit, false)
		}
	}
	for _, p := range k.spec.Pages {
		for i := range p.Verbs {
			v := &p.Verbs[i]
			for _, param := range v.Params {
				rec := k.spec.RecordByGo(param.Type)
				if rec == nil || param.Role == spec.RoleMask || rec.Mask == "" && rec.MaskParam == "" {
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

// known tells whether the release has what a rule cannot do without: its paths, the flags that it asks for, and at
// least one of those that it forbids, allows or looks for.
func (k *Checker) known(fn *api.Function, r *spec.Rule) bool {
	for _, p := range append([]string{r.Subject, r.Mask, r.SameAs, r.State, r.Assumed, r.Next}, r.Fields...) {
		if p != "" && !k.path(fn, p) {
			return false
		}
	}
	for _, list := range [][]string{r.Need, r.Bits, one(r.Bit), r.CapHas} {
		for _, name := range list {
			if !k.constantKnown(name) {
				return false
			}
		}
	}
	for _, list := range [][]string{r.If, r.Not, r.Allow} {
		if len(list) > 0 && mask(k.facts, list).Sign() == 0 {
			return false
		}
	}
	for _, o := range append([]string{r.Min, r.Max, r.To}, r.Sum...) {
		if o != "" && !k.constantKnown(o) && !k.path(fn, o) {
			return false
		}
	}
	for _, a := range append(append([]spec.Atom(nil), r.When...), r.Must...) {
		if !k.path(fn, a.Of) && !k.facts.IsCap(fn, a.Of) {
			return false
		}
	}
	return true
}

func one(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func (k *Checker) path(fn *api.Function, p string) bool {
	_, _, err := k.facts.TypeOfPath(fn, p)
	return err == nil
}

func (k *Checker) constantKnown(name string) bool {
	_, number := spec.ParseInt(name)
	return number || name == "page" || k.facts.Const(name) != nil
}
