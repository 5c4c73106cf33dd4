package bind

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
)

// bindRules resolves the rules of the bound verbs. A rule that the validator cannot check is kept with its reason:
// `rules` and `explain` have it all the same.
func (b *binder) bindRules() {
	for _, p := range b.in.Spec.Pages {
		for i := range p.Rules {
			s := &p.Rules[i]
			v := b.verbs[s.Verb]
			if v == nil || s.Retired {
				continue
			}
			r := b.bindRule(p, s, v)
			if r.Why == newerConstant { // the release knows nothing of it
				continue
			}
			v.Rules = append(v.Rules, r)
			b.pkg.Rules = append(b.pkg.Rules, r)
		}
	}
}

// parties names each of a list once.
func parties(list []spec.Party) []string {
	var out []string
	for _, p := range list {
		name := p.Describe()
		if len(p.When) > 0 {
			name += ", not in all cases"
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// ruleBinder resolves one rule; the first reason why the validator cannot check it stands in why.
type ruleBinder struct {
	*binder
	s   *spec.Rule
	v   *model.Verb
	why string
}

func (b *binder) bindRule(p *spec.Page, s *spec.Rule, v *model.Verb) *model.Rule {
	rb := &ruleBinder{binder: b, s: s, v: v}
	r := &model.Rule{ID: s.ID, Verb: s.Verb, Page: p.Page, Section: s.Section, Kind: s.Kind, Lint: s.Severity == spec.SeverityLint,
		Statement: s.Statement, Fix: s.Fix, Needs: s.Needs, Accept: s.Accept.Args, Reject: s.Reject.Args,
		AcceptCaps: s.Accept.Caps, RejectCaps: s.Reject.Caps, Pos: pos(s.Pos),
		AcceptedBy: parties(s.AcceptedBy), RefusedBy: parties(s.RefusedBy)}
	if s.Subject != "" {
		r.Subject = rb.operand(s.Subject)
	}
	r.If, r.Not, r.Allow = rb.anyFlags(s.If), rb.anyFlags(s.Not), rb.anyFlags(s.Allow)
	r.Need, r.Bits, r.CapHas = rb.allFlags(s.Need), rb.allFlags(s.Bits), rb.allFlags(s.CapHas)
	if s.Bit != "" {
		r.Bits = rb.allFlags([]string{s.Bit})
	}
	for _, x := range s.Values {
		r.Values = append(r.Values, *rb.operand(x))
	}
	for _, x := range s.Fields {
		r.Fields = append(r.Fields, *rb.operand(x))
	}
	for _, x := range s.Sum {
		r.Sum = append(r.Sum, *rb.operand(x))
	}
	r.Mask, r.Min, r.Max = rb.optional(s.Mask), rb.optional(s.Min), rb.optional(s.Max)
	r.To, r.SameAs = rb.optional(s.To), rb.optional(s.SameAs)
	if s.Cap != "" {
		r.Cap = rb.capability(s.Cap)
	}
	r.When, r.Must = rb.tests(s.When), rb.tests(s.Must)
	r.State, r.Assumed, r.Next, r.Ways = rb.optional(s.State), rb.optional(s.Assumed), rb.optional(s.Next), rb.ways(s.Transitions)
	rb.elsewhere(r)
	r.Checked, r.Why = rb.why == "", rb.why
	if r.Checked {
		rb.numbers(r)
	}
	return r
}

// numbers refuses a rule that compares a field that is no number in this header.
func (rb *ruleBinder) numbers(r *model.Rule) {
	for _, o := range r.Operands() {
		if o.Leaf == nil || goSizes[o.Leaf.GoType] > 0 {
			continue
		}
		at, text := rb.s.Pos, o.Text+" is a "+o.Leaf.CType+", which no rule can compare"
		rb.errorf(diag.RuleOperand, at, rb.s.ID, text, "correct the path, or take the header that the page was written for")
	}
}

func (rb *ruleBinder) cannot(why string) {
	if rb.why == "" {
		rb.why = why
	}
}

// elsewhere finds the rules that hold by the Go types, and those of verbs that the generated package calls unchecked.
func (rb *ruleBinder) elsewhere(r *model.Rule) {
	if rb.why == newerConstant {
		return
	}
	if r.Kind == spec.KindGatedBy && r.Mask != nil && r.Mask.Param != nil && r.Mask.Param.Role == spec.RoleMask {
		rb.why = "kept by the handles: a builder sets a value and its bit together"
	}
	for _, m := range rb.v.Methods {
		f := form.Find(m.Form)
		switch {
		case f.Unchecked == "":
			continue
		case f.RuleFirst:
			rb.cannot(f.Unchecked)
		default:
			rb.why = f.Unchecked
		}
		if r.Kind == spec.KindNotNull && !strings.ContainsAny(r.Subject.Text, ".[") {
			rb.why = "kept by the handles: the Go method has no place for NULL"
		}
	}
}

// newerConstant is why a rule is left out that asks for a flag or a capability of a later release.
const newerConstant = "names a flag or a capability of a later release"

// anyFlags gives the bits of flags of which any one counts. Those of a later release are left out; with all of them
// the rule is.
func (rb *ruleBinder) anyFlags(names []string) uint64 {
	bits, missing := rb.flags(names)
	if missing > 0 && missing == len(names) {
		rb.cannot(newerConstant)
	}
	return bits
}

// allFlags gives the bits of flags that all count: with one of them the rule is of a later release.
func (rb *ruleBinder) allFlags(names []string) uint64 {
	bits, missing := rb.flags(names)
	if missing > 0 {
		rb.cannot(newerConstant)
	}
	return bits
}

// flags gives the bits of flag names and hex numbers, and how many the release does not have yet.
func (rb *ruleBinder) flags(names []string) (bits uint64, missing int) {
	for _, n := range names {
		if v, err := strconv.ParseUint(n, 0, 64); err == nil {
			bits |= v
			continue
		}
		v, ok := rb.lookup(n, rb.s.Pos, rb.s.ID)
		if !ok {
			missing++
		}
		bits |= uint64(v)
	}
	return bits, missing
}

// ways resolves transitions: one for each pair of states. Flags of a later release are left out.
func (rb *ruleBinder) ways(transitions []spec.Transition) []model.Way {
	var out []model.Way
	for _, t := range transitions {
		need, may := rb.allFlags(t.Need), uint64(0)
		may, _ = rb.flags(t.May)
		for _, from := range t.From {
			for _, to := range t.To {
				out = append(out, model.Way{From: rb.operand(from).Const, To: rb.operand(to).Const, Need: need, May: may})
			}
		}
	}
	return out
}

func (rb *ruleBinder) optional(text string) *model.Operand {
	if text == "" {
		return nil
	}
	return rb.operand(text)
}

// limits are the C constants that no header of ours declares.
var limits = map[string]uint64{
	"SIZE_MAX": 1<<64 - 1, "UINT64_MAX": 1<<64 - 1, "UINT32_MAX": 1<<32 - 1, "UINT16_MAX": 1<<16 - 1, "UINT8_MAX": 1<<8 - 1,
	"INT_MAX": 1<<31 - 1, "INT32_MAX": 1<<31 - 1, "INT64_MAX": 1<<63 - 1, "NULL": 0,
}

// operand resolves a constant or a path of the verb's arguments.
func (rb *ruleBinder) operand(text string) *model.Operand {
	o := &model.Operand{Kind: model.OpConst, Text: text}
	if v, err := strconv.ParseUint(text, 0, 64); err == nil {
		o.Const = v
		return o
	}
	if v, err := strconv.ParseInt(text, 0, 64); err == nil {
		o.Const, o.Signed = uint64(v), true
		return o
	}
	if v, ok := limits[text]; ok {
		o.Const = v
		return o
	}
	if text == "page" {
		o.Kind = model.OpPage
		return o
	}
	root, rest, dotted := strings.Cut(text, ".")
	if p := rb.v.Param(root); p != nil {
		return rb.argument(o, p, rest)
	}
	if e, ok := rb.enumr[text]; ok && !dotted {
		o.Const = uint64(e.value)
		return o
	}
	if spec.IsCapPath(text) {
		return rb.capability(text)
	}
	if strings.Contains(root, "[]") {
		rb.cannot("looks into the elements of a list")
		return o
	}
	if !rb.newer(text) {
		rb.errorf(diag.RuleOperand, rb.s.Pos, rb.s.ID, strconv.Quote(text)+" is no integer, constant, parameter or path of "+rb.v.C, "correct it")
	}
	rb.cannot(newerConstant)
	return o
}

// argument resolves a parameter, a field of the struct it points to, or a property of the object it is.
func (rb *ruleBinder) argument(o *model.Operand, p *model.Param, rest string) *model.Operand {
	o.Kind, o.Param, o.Name = model.OpArg, p, naming.Local(p.C)
	if rest == "" {
		o.Signed = p.GoType == "int" || p.GoType == "int64"
		return o
	}
	o.Name = naming.Local(p.C + "_" + strings.ReplaceAll(rest, ".", "_"))
	if p.Record != nil {
		if o.Leaf = rb.leaf(p.Record.Mirror, rest); o.Leaf == nil {
			if strings.Contains(rest, ".") { // a property of an object in a field
				rb.cannot("looks into an object that a field points to")
			} else if !rb.newer("struct " + p.Record.C + "." + rest) {
				rb.errorf(diag.RuleOperand, rb.s.Pos, rb.s.ID, "struct "+p.Record.C+" has no field "+rest, "correct the path "+o.Text)
			} else {
				rb.cannot(newerConstant)
			}
			return o
		}
		if o.Field = p.Record.Field(rest); o.Field != nil {
			o.Bit = uint64(o.Field.BitValue)
		}
		o.Signed = (o.Leaf.GoType == "int32" || o.Leaf.GoType == "int64") && (o.Field == nil || o.Field.Enum == nil)
		return o
	}
	o.Kind, o.Prop = model.OpProp, rest
	switch {
	case p.Object == nil:
		rb.cannot("looks into " + p.C + ", which has no Go type of its own")
	case p.Object.State[rest] == spec.StateObject:
		o.CField = rest
		if t := rb.fieldType("struct "+p.Object.C, rest); !rb.isInteger(t) || rb.maxOf(t) > math.MaxUint32 || rb.maxOf(t) < math.MaxInt32 {
			rb.errorf(diag.RuleOperand, rb.s.Pos, rb.s.ID, "struct "+p.Object.C+"."+rest+" is no integer of 32 bits in this header", "take the header as rdma-core has it")
		}
	case p.Object.State[rest] == spec.StateNone:
		rb.cannot("the handles do not count " + rest)
	case p.Object.State[rest] != spec.StateHandle:
		rb.cannot("kept by the handles: Close and use after Close")
	}
	return o
}

// keptCaps finds the record that a device keeps as its capabilities, and the field of it that has those of a root. It is nil
// when the package keeps none, or none of that root.
func (rb *ruleBinder) keptCaps(root string) (r *model.Record, field string) {
	for _, p := range rb.in.Spec.Pages {
		for _, s := range p.Records {
			field := s.CapsFrom[root]
			filled := slices.ContainsFunc(rb.pkg.Verbs, func(v *model.Verb) bool {
				return slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.Role == spec.RoleOutRec && p.Record == rb.records[s.Go] })
			})
			if field != "" && filled {
				return rb.records[s.Go], field
			}
		}
	}
	return nil, ""
}

// capability resolves a capability path; the generated validators know those of the record that a device keeps.
func (rb *ruleBinder) capability(text string) *model.Operand {
	o := &model.Operand{Kind: model.OpCap, Text: text, Name: naming.Local("cap_" + strings.ReplaceAll(text, ".", "_"))}
	root, path, _ := strings.Cut(text, ".")
	kept, field := rb.keptCaps(root)
	if kept == nil {
		rb.cannot("needs a capability that the package does not keep")
	} else {
		if field != spec.CapsSelf {
			path = field + "." + path
		}
		o.Leaf = kept.Mirror.Find(path)
		if outer, inner, nested := strings.Cut(path, "."); o.Leaf == nil && nested {
			if l := kept.Mirror.Find(outer); l != nil {
				if m := rb.mirrors[strings.TrimPrefix(l.CType, "struct ")]; m != nil {
					o.Prop, o.Leaf = l.Go, m.Find(inner)
				}
			}
		}
	}
	if o.Leaf == nil && rb.why == "" && kept != nil && rb.newerCap(kept, path) {
		rb.cannot(newerConstant)
	}
	if o.Leaf == nil && rb.why == "" {
		rb.errorf(diag.RuleOperand, rb.s.Pos, rb.s.ID, "no capability "+text+" in this header", "correct cap:")
	}
	return o
}

// newerCap tells whether a field of the record that a device keeps is one of a later release.
func (rb *ruleBinder) newerCap(kept *model.Record, path string) bool {
	if rb.newer("struct " + kept.C + "." + path) {
		return true
	}
	outer, inner, nested := strings.Cut(path, ".")
	l := kept.Mirror.Find(outer)
	return nested && l != nil && rb.newer(l.CType+"."+inner)
}

// tests resolves the atoms of a condition.
func (rb *ruleBinder) tests(atoms []spec.Atom) []model.Test {
	var out []model.Test
	for _, a := range atoms {
		t := model.Test{Of: *rb.operand(a.Of)}
		one := func(kind, value string) { t.Test, t.Value = kind, *rb.operand(value) }
		switch {
		case len(a.Has) > 0:
			t.Test, t.Flags = model.TestHas, rb.anyFlags(a.Has)
		case len(a.All) > 0:
			t.Test, t.Flags = model.TestAll, rb.allFlags(a.All)
		case len(a.Lacks) > 0:
			t.Test, t.Flags = model.TestLacks, rb.anyFlags(a.Lacks)
		case len(a.In) > 0:
			t.Test = model.TestIn
			for _, x := range a.In {
				t.In = append(t.In, *rb.operand(x))
			}
		case a.Eq != "":
			one(model.TestEq, a.Eq)
		case a.Ne != "":
			one(model.TestNe, a.Ne)
		case a.Lt != "":
			one(model.TestLt, a.Lt)
		case a.Le != "":
			one(model.TestLe, a.Le)
		case a.Gt != "":
			one(model.TestGt, a.Gt)
		case a.Ge != "":
			one(model.TestGe, a.Ge)
		case a.Null != nil:
			t.Test, t.Yes = model.TestNull, *a.Null
		case a.Set != nil:
			t.Test, t.Yes = model.TestSet, *a.Set
		case a.Same != "":
			t.Test = model.TestSame
			rb.cannot("compares objects")
		}
		out = append(out, t)
	}
	return out
}
