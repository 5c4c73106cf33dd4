package bind

import (
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/cond"
	"github.com/verbsgen/verbsgen/spec/role"
)

// This file finds the rules that no call of a generated method can break, and those that nothing checks before a call: no validator
// is generated for either.

// Why a rule is kept by the Go types.
const (
	keptNull = model.KeptByType + "a method refuses a nil argument, and has its own memory for results"
	keptList = model.KeptByType + "a slice has its memory and its length together"
	keptBit  = model.KeptByType + "a builder sets a value and its bit together"
	keptBits = model.KeptByType + "a builder sets the bits of its fields, and no others"
	keptNone = model.KeptByType + "a method sets nothing in a struct that has nothing to set"
	keptPair = model.KeptByType + "an Allocator has all its methods"
)

// unchecked is why the rules of verbs are not checked that no method of their own calls.
const unchecked = "the data path checks nothing before a call"

// elsewhere finds the rules that hold by the Go types, and those of verbs that the generated package calls unchecked.
func (rb *ruleBinder) elsewhere(r *model.Rule) {
	if rb.why == newerConstant {
		return
	}
	if why := rb.kept(r); why != "" {
		rb.why = why
		return
	}
	reached := false
	for _, m := range rb.v.Methods {
		f := form.Of(rb.v.C, m.Form)
		why := f.Unchecked
		if r.Lint && f.UncheckedLints != "" {
			why = f.UncheckedLints
		}
		switch {
		case f.Unchecked == "":
			reached = true
		case f.RuleFirst:
			rb.cannot(why)
		default:
			rb.why = why
		}
	}
	if !reached {
		rb.cannot(unchecked)
	}
}

// kept is why no call of a method can break a rule; empty when one can.
func (rb *ruleBinder) kept(r *model.Rule) string {
	n := r.Violated
	switch {
	case r.Subject != nil && r.Subject.Leaf != nil && r.Subject.Param.Taken() != nil && r.Subject.Param.Record.Empty():
		return keptNone
	case rb.s.Gates():
		if builderMask(rb.operand(rb.s.Mask)) && (r.Subject.Field == nil || r.Subject.Field.Bit != nil) {
			return keptBit
		}
	case n.Op == cond.Not && n.Sub[0].Op == cond.Only:
		if of := n.Sub[0].Sub[0].Of; builderMask(of) && maskBits(of.Param.Record)&^n.Sub[0].Sub[1].Of.Const == 0 {
			return keptBits
		}
	case n.Op == cond.Null && n.Sub[0].Of.Kind == model.OpArg && n.Sub[0].Of.Leaf == nil:
		return rb.keptArg(r, n.Sub[0].Of)
	case n.Op == cond.Null && n.Sub[0].Of.Leaf != nil && n.Sub[0].Of.Param.Taken() != nil:
		return keptField(r, n.Sub[0].Of)
	}
	return ""
}

// keptArg is why a parameter that is a pointer is never NULL where a rule forbids it.
func (rb *ruleBinder) keptArg(r *model.Rule, of *model.Operand) string {
	if (of.Param.Role.List || of.Param.Role == role.Data) && ifAny(r, of.Param.Len) {
		return keptList
	}
	if of.Field != nil && of.Field.Handles != nil && strings.HasSuffix(of.Text, "[]") {
		return keptNull
	}
	if strings.ContainsAny(of.Text, ".[") {
		return ""
	}
	for _, m := range rb.v.Methods {
		_, fixed := m.Fixed[of.Param.C]
		if posts(rb.v) == nil && form.Of(rb.v.C, m.Form).Unchecked == "" && (fixed || !neverNull(of.Param)) {
			return ""
		}
	}
	return keptNull
}

// neverNull reports whether a method always has something to pass for a pointer.
func neverNull(p *model.Param) bool {
	gives := p.Role.Passes == role.PassesObject || p.Role.Passes == role.PassesMemory && !p.Role.List // an empty list is NULL
	return p.Union != nil || gives && !p.Null
}

// ifAny reports whether a rule applies only where a count is not 0.
func ifAny(r *model.Rule, count *model.Param) bool {
	for n := range r.Broken.Nodes() {
		if n.Op != cond.Gt && n.Op != cond.Ne {
			continue
		}
		if of := n.Sub[0].Of; of != nil && of.Param == count && of.Leaf == nil {
			return true
		}
	}
	return false
}

// keptField is why a field of a builder that is a pointer is never NULL where a rule forbids it.
func keptField(r *model.Rule, of *model.Operand) string {
	for _, f := range of.Param.Record.Fields {
		if f.Pair != nil && (f.Pair == of.Leaf || f.Leaf == of.Leaf) {
			return keptPair
		}
	}
	for n := range r.Broken.Nodes() {
		if n.Op != cond.Has && n.Op != cond.HasAll || of.Field == nil || of.Field.Object == nil || !builderMask(n.Sub[0].Of) {
			continue
		}
		if asked := n.Sub[1].Of.Const; asked == of.Bit || n.Op == cond.HasAll && asked&of.Bit != 0 {
			return keptBit
		}
	}
	return ""
}

// builderMask reports whether an operand is the mask of a record that only the setters of a builder set.
func builderMask(o *model.Operand) bool {
	if o == nil || o.Param == nil || o.Param.Record == nil || o.Param.Record.Runtime != "" || o.Param.Record.From != nil {
		return false
	}
	if o.Param.Role == role.Mask {
		return true
	}
	return o.Param.Taken() != nil && o.Leaf != nil && o.Leaf.Go == o.Param.Record.Mask && o.Field == nil
}

// maskBits are the bits that a builder sets in its mask.
func maskBits(r *model.Record) (all uint64) {
	for _, f := range r.Fields {
		all |= uint64(f.BitValue)
	}
	for _, b := range r.Bits {
		all |= uint64(b.Value)
	}
	return all
}
