package bind

import (
	"cmp"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// bindSetups finds what each kind of object needs to go through states, by the rules on the mask of the record.
func (b *binder) bindSetups(r *model.Record, s *spec.Record) {
	if s.Setup == nil {
		return
	}
	if len(r.New) != 1 || r.New[0].Enum == nil || len(s.Setup.Through) < 2 {
		b.errorf(diag.TypeUnknown, s.Setup.Pos, s.Go,
			"setup: is for a record whose constructor takes the state alone, and for two states or more", "correct new: or setup:")
		return
	}
	var states []*model.Member
	for _, c := range s.Setup.Through {
		m := memberOf(r.New[0].Enum, c)
		if m == nil && !b.has(c) {
			return
		}
		if m == nil {
			b.errorf(diag.NameUnknown, s.Setup.Pos, s.Go, c+" is no "+r.New[0].Enum.Go, "correct through:")
			return
		}
		states = append(states, m)
	}
	for _, t := range s.Setup.Types {
		if x := b.setup(r, t, states); x != nil {
			r.Setups = append(r.Setups, x)
		}
	}
}

// setup is one type; nil when the release has no such kind, or a page has no rule.
func (b *binder) setup(r *model.Record, t spec.SetupType, states []*model.Member) *model.Setup {
	if !b.has(t.Of) {
		return nil
	}
	rule, kind := b.changes(r.Go, t.Of)
	if rule == nil || kind == nil {
		b.errorf(diag.RuleOperand, t.Pos, t.Go, "no rule with transitions on the mask is about "+t.Of, "write one, or remove the type")
		return nil
	}
	out := &model.Setup{Go: t.Go, Kind: kind, From: states[0]}
	for i, to := range states[1:] {
		from := states[i]
		at := slices.IndexFunc(rule.Transitions, func(x spec.Transition) bool {
			return slices.Contains(x.From, from.C) &&
				slices.Contains(x.To, to.C)
		})
		if at < 0 {
			b.errorf(diag.RuleOperand, t.Pos, t.Go, rule.ID+" has no transition from "+from.C+" to "+to.C, "correct through:")
			return nil
		}
		step := model.SetupStep{State: to}
		for _, bit := range rule.Transitions[at].Need {
			if r.New[0].Bit != nil && bit == r.New[0].Bit.C {
				continue
			}
			fields := r.FieldsOf(bit)
			if len(fields) == 0 && b.has(bit) {
				b.errorf(diag.RuleOperand, t.Pos, t.Go, "the change from "+from.C+" to "+to.C+" needs "+bit+", which is the bit of no field",
					"add bit: to a field of "+r.Go)
			}
			step.Needs = append(step.Needs, fields...)
		}
		out.Steps = append(out.Steps, step)
	}
	return out
}

// changes finds the rule on the changes of one kind of object, and the kind.
func (b *binder) changes(record, kind string) (*spec.Rule, *model.Member) {
	var is *model.Member
	for _, e := range b.pkg.Enums {
		is = cmp.Or(is, memberOf(e, kind))
	}
	for _, r := range b.Rules() {
		about := func(a spec.Atom) bool { return a.Eq == kind }
		if len(r.Transitions) > 0 && b.masks(r, record) && slices.ContainsFunc(r.When, about) {
			return r, is
		}
	}
	return nil, is
}

// masks reports whether the subject of a rule is the mask of a record.
func (b *binder) masks(r *spec.Rule, record string) bool {
	v := b.VerbByC(r.Verb)
	return v != nil && slices.ContainsFunc(v.Params,
		func(p spec.Param) bool { return p.C == r.Subject && p.Role == role.Mask && p.Type == record })
}

// memberOf is the member of an enum by its C name, nil when it has none.
func memberOf(e *model.Enum, c string) *model.Member {
	return model.First(e.Members, func(m *model.Member) bool { return m.C == c })
}
