package bind

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// bindRules resolves the rules of the bound verbs. A rule that the validator cannot check is kept with its reason:
// `rules` and `explain` have it all the same.
func (b *binder) bindRules() {
	for _, p := range b.Pages {
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
	s    *spec.Rule
	v    *model.Verb
	why  string
	done map[string]*model.Operand // by text, so that a mistake in one is noted once
}

func (b *binder) bindRule(p *spec.Page, s *spec.Rule, v *model.Verb) *model.Rule {
	rb := &ruleBinder{binder: b, s: s, v: v, done: map[string]*model.Operand{}}
	r := &model.Rule{ID: s.ID, Verb: s.Verb, Page: p.Page, Section: s.Section, Lint: s.Severity == spec.SeverityLint,
		Statement: s.Statement, Needs: s.Needs, Accept: s.Accept.Args, Reject: s.Reject.Args,
		AcceptCaps: s.Accept.Caps, RejectCaps: s.Reject.Caps, Pos: api.Pos(s.Pos)}
	if r.Lint { // who refuses what the bindings refuse themselves is of no use at run time
		r.AcceptedBy, r.RefusedBy = parties(s.AcceptedBy), parties(s.RefusedBy)
	}
	if s.Subject != "" {
		r.Subject = rb.operand(s.Subject)
	}
	when := cond.Map(spec.Conditions(s.When), rb.resolve)
	r.Violated = decided(when, cond.Map(s.Violated(), rb.resolve))
	r.Broken = rb.unlessNull(cond.Of(cond.All, when, r.Violated))
	rb.lists(r.Broken)
	rb.tests(r)
	rb.elsewhere(r)
	r.Checked, r.Why = rb.why == "", rb.why
	if r.Checked {
		rb.numbers(r)
	}
	return r
}

// decided is a condition that is looked at only where another holds: a value that depends on a bit of a mask is the one that the bit, set
// or clear by then, leaves.
func decided(when, n *model.Cond) *model.Cond {
	tests := []*model.Cond{when}
	if when != nil && when.Op == cond.All {
		tests = when.Sub
	}
	set, clear := map[*model.Operand]uint64{}, map[*model.Operand]uint64{}
	for _, t := range tests {
		switch {
		case t == nil:
		case t.Op == cond.HasAll, t.Op == cond.Has && t.Sub[1].Of.Const&(t.Sub[1].Of.Const-1) == 0: // one bit
			set[t.Sub[0].Of] |= t.Sub[1].Of.Const
		case t.Op == cond.Lacks:
			clear[t.Sub[0].Of] |= t.Sub[1].Of.Const
		}
	}
	return n.Edit(func(n *model.Cond) *model.Cond {
		if n.Op != cond.IfGiven {
			return n
		}
		switch mask, bit := n.Mask.Of, n.Sub[1].Of.Bit; {
		case set[mask]&bit != 0:
			return n.Sub[1]
		case clear[mask]&bit != 0:
			return n.Sub[0]
		}
		return n
	})
}

// unlessNull lets a condition hold only if the records that it looks into are not NULL.
func (rb *ruleBinder) unlessNull(n *model.Cond) *model.Cond {
	var given []*model.Cond
	seen := map[*model.Param]bool{}
	for n := range n.Nodes() {
		if o := n.Of; n.Op == cond.Operand && o.Kind == model.OpArg && o.Leaf != nil && o.Param.Null && !seen[o.Param] {
			seen[o.Param] = true
			given = append(given, cond.Test(cond.NotNull, cond.Leaf(cond.Operand, rb.operand(o.Param.C))))
		}
	}
	return cond.Of(cond.All, append(given, n)...)
}

// resolve finds what an operand of a condition names.
func (rb *ruleBinder) resolve(ref spec.Ref) *model.Operand {
	switch ref.As {
	case spec.AsAllFlags, spec.AsAnyFlags, spec.AsFlags:
		return &model.Operand{Kind: model.OpConst, Const: rb.flags(ref.Flags, ref.As)}
	case spec.AsCap:
		return rb.capability(ref.Text)
	}
	return rb.operand(ref.Text)
}

// tests looks at what the conditions of a rule test: some tests the validators do not have.
func (rb *ruleBinder) tests(r *model.Rule) {
	for n := range r.Broken.Nodes() {
		switch {
		case n.Op == cond.Same:
			rb.cannot("compares objects")
		case !n.Joins() && !computable(n):
			rb.cannot("compares what the validators cannot compute")
		}
	}
	for n := range r.Violated.Nodes() {
		if n.Op.OfFlags() && n.Sub[0].Of.Kind == model.OpCap {
			r.Unsupported = true
		}
	}
}

// computable reports whether the parts of a node are as the validators can take them: of values that are themselves computed, they
// compare one with a limit, and of sums those of two values.
func computable(n *model.Cond) bool {
	for i, s := range n.Sub {
		ok := s.Op == cond.Operand || s.Op == cond.Flags
		switch s.Op {
		case cond.Way:
			ok = n.Op == cond.BadTransition
		case cond.IfGiven:
			ok = n.Op == cond.BadTransition || n.Op == cond.IfGiven
		case cond.Rest, cond.Power, cond.Given:
			ok = n.Op.Compares()
		case cond.Sum:
			ok = (n.Op == cond.Gt || n.Op == cond.Le) && i == 0 && len(s.Sub) == 2 && n.Sub[1].Op == cond.Operand
		}
		if !ok {
			return false
		}
	}
	return true
}

// numbers refuses a rule that compares a field that is no number in this header.
func (rb *ruleBinder) numbers(r *model.Rule) {
	for _, o := range r.Operands() {
		if o.Leaf == nil || isScalar(o.Leaf.GoType) {
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

// newerConstant is why a rule is left out that asks for a flag or a capability of a later release.
const newerConstant = "names a flag or a capability of a later release"

// flags returns the bits of flag names and numbers. A rule that asks for a flag which the release does not have yet is of a later
// release; others are left out.
func (rb *ruleBinder) flags(names []string, as spec.RefAs) (all uint64) {
	missing := 0
	for _, n := range names {
		if i, ok := spec.ParseInt(n); ok && i.IsUint64() {
			all |= i.Uint64()
			continue
		}
		if x := rb.member(n); x != nil {
			all |= uint64(x.Value)
		} else {
			missing++
		}
	}
	if missing > 0 && (as == spec.AsAllFlags || as == spec.AsAnyFlags && missing == len(names)) {
		rb.cannot(newerConstant)
	}
	return all
}

// operand resolves a constant or a path of the verb's arguments, once.
func (rb *ruleBinder) operand(text string) *model.Operand {
	if rb.done[text] == nil {
		rb.done[text] = rb.constantOrPath(text)
	}
	return rb.done[text]
}

func (rb *ruleBinder) constantOrPath(text string) *model.Operand {
	o := &model.Operand{Kind: model.OpConst, Text: text}
	if n, ok := spec.ParseInt(text); ok && (n.IsUint64() || n.IsInt64()) {
		o.Const, o.Signed = bitsOf(n), n.Sign() < 0
		return o
	}
	if text == "page" {
		o.Kind = model.OpPage
		return o
	}
	root, rest, _ := strings.Cut(text, ".")
	if p := rb.v.Param(root); p != nil {
		return rb.argument(o, p, rest)
	}
	if n := rb.facts.Const(text); n != nil {
		o.Const = bitsOf(n)
		return o
	}
	if rb.facts.IsCapPath(text) {
		return rb.capability(text)
	}
	if list, _, ok := strings.Cut(root, "[]"); ok {
		if p := rb.v.Param(list); p != nil && p.Handles != nil && p.Handles.State[rest] == spec.StateMarks {
			o.Kind, o.Param, o.Name, o.Prop, o.List = model.OpProp, p, rb.called(text), rest, listed
			return o
		}
		return rb.request(o, rb.v.Param(list), rest)
	}
	if !rb.newer(text) {
		rb.errorf(diag.RuleOperand, rb.s.Pos, rb.s.ID, strconv.Quote(text)+" is no integer, constant, parameter or path of "+rb.v.C, "correct it")
	}
	rb.cannot(newerConstant)
	return o
}

// called names what is at a path: as short as it is beside the parameters.
func (rb *ruleBinder) called(path string) string {
	joined := model.Joined(strings.ReplaceAll(path, "[]", ""))
	if rb.v.Param(joined) != nil {
		joined = strings.NewReplacer("[]", "", ".", "_").Replace(path)
	}
	return model.Local(joined)
}

// argument resolves a parameter, a field of the struct it points to, or a property of the object it is.
func (rb *ruleBinder) argument(o *model.Operand, p *model.Param, rest string) *model.Operand {
	o.Kind, o.Param, o.Name = model.OpArg, p, model.Local(p.C)
	if rest == "" {
		o.Signed = p.Signed()
		return o
	}
	o.Name = rb.called(o.Text)
	if p.Record != nil && p.Record.From != nil {
		rb.cannot("looks into a record of another package")
		return o
	}
	if p.Record != nil {
		if o.Leaf = rb.leaf(p.Record.Mirror, rest); o.Leaf == nil {
			list, _, ofList := strings.Cut(rest, "[]")
			if ofList && rb.leaf(p.Record.Mirror, list) != nil {
				o.Field = p.Record.Field(list)
				rb.cannot(inLists)
			} else if strings.Contains(rest, ".") { // a property of an object in a field
				rb.cannot("looks into an object that a field points to")
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
	case p.Object.From != nil:
		if p.Object.Getter(rest) == nil {
			rb.cannot("package " + p.Object.From.Name + " has no method for " + rest)
		}
	case p.Object.State[rest] == spec.StateObject:
		o.CField = rest
		if x, _ := rb.fieldAt("struct "+p.Object.C, rest); x != nil {
			o.Enum = rb.enumShown(x.Type)
		}
	case p.Object.State[rest] == spec.StateMade:
		return rb.made(o, p, rest)
	case p.Object.State[rest] == "" && posts(rb.v) != nil:
		rb.cannot("the handles do not know " + rest)
	case p.Object.State[rest] == spec.StateNone:
		rb.cannot("the handles do not count " + rest)
	case p.Object.State[rest] != spec.StateHandle && p.Object.State[rest] != spec.StateMarks:
		rb.cannot(model.KeptByHandles + "Close and use after Close")
	}
	return o
}

// keptCaps finds the record that a device keeps as its capabilities, and the field of it that has those of a root. It is nil
// when the package keeps none, or none of that root.
func (rb *ruleBinder) keptCaps(root string) (r *model.Record, field string) {
	for _, p := range rb.Pages {
		for _, s := range p.Records {
			field, r := s.CapsFrom[root], rb.records[s.Go]
			if field == "" || r == nil {
				continue
			}
			if slices.ContainsFunc(rb.pkg.Verbs, func(v *model.Verb) bool {
				return slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.Filled() == r })
			}) {
				return r, field
			}
		}
	}
	return nil, ""
}

// capability resolves a capability path; the generated validators know those of the record that a device keeps.
func (rb *ruleBinder) capability(text string) *model.Operand {
	root, path, _ := strings.Cut(text, ".")
	o := &model.Operand{Kind: model.OpCap, Text: text, Name: model.Local("cap_" + model.Joined(path))}
	if first := rb.capNames[o.Name]; first == "" {
		rb.capNames[o.Name] = text
	} else if first != text { // of another record
		o.Name = model.Local("cap_" + model.Joined(text))
	}
	if p := rb.v.Param(root); p != nil && p.Object != nil && posts(rb.v) != nil {
		return rb.made(o, p, path)
	}
	kept, field := rb.keptCaps(root)
	if kept == nil {
		rb.cannot("needs a capability that the package does not keep")
	} else {
		if field != spec.CapsSelf {
			path = field + "." + path
		}
		o.Leaf = kept.Mirror.Find(path)
		if o.Leaf == nil {
			outer, inner, _ := strings.Cut(path, ".")
			if l := kept.Mirror.Find(outer); l != nil {
				if m := rb.mirrors[strings.TrimPrefix(l.CType, "struct ")]; m != nil {
					o.Prop, o.Leaf = l.Go, m.Find(inner)
				}
			}
		}
	}
	if o.Leaf == nil {
		rb.cannot(newerConstant)
	}
	return o
}

// bindCases resolves the constants in the rules' own cases to numbers. A flag of a later release counts for nothing there.
func (b *binder) bindCases() {
	for _, r := range b.pkg.Rules {
		for _, part := range []*map[string]any{&r.Accept, &r.AcceptCaps, &r.Reject, &r.RejectCaps} {
			*part = b.caseValue(*part).(map[string]any)
		}
	}
}

// caseValue resolves one value: flags and numbers joined by |, or a list of them. An object, which begins with @, stays.
func (b *binder) caseValue(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name := range x {
			out[name] = b.caseValue(x[name])
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = b.caseValue(x[i])
		}
		return out
	case string:
		if strings.HasPrefix(x, "@") {
			return x
		}
		sum := new(big.Int)
		for part := range strings.SplitSeq(x, "|") {
			name := strings.TrimSpace(part)
			n, ok := spec.ParseInt(name)
			if !ok {
				n = b.facts.Const(name)
			}
			switch {
			case n != nil:
				sum.Or(sum, n)
			case name == "page": // of the smallest host
				sum.Or(sum, big.NewInt(4096))
			}
		}
		return sum
	}
	return v
}
