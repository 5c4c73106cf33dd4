package vet

import (
	"math/big"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/explain"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/cond"
)

// move is how a verb changes the state of an object: the property, and the field with the next state.
type move struct {
	object *model.Object
	prop   string
	next   *model.Field
	param  string
	states []*big.Int // that changes begin in
	start  *big.Int   // of a new object; nil when nothing says so
}

// addMove reads how a verb changes a state from a rule on transitions.
func (b *bindings) addMove(r *model.Rule) {
	for n := range r.Violated.Nodes() {
		if n.Op != cond.BadTransition {
			continue
		}
		m := b.moves[r.Verb]
		if m == nil {
			m = &move{}
			b.moves[r.Verb] = m
		}
		for o := range n.Sub[1].Nodes() {
			if o.Op == cond.Operand && o.Of.Kind == model.OpProp {
				m.object, m.prop = o.Of.Param.Object, o.Of.Prop
			}
		}
		next := n.Sub[2]
		if next.Op == cond.IfGiven { // the state that it has, unless it is changed
			next = next.Sub[1]
		}
		for o := range next.Nodes() {
			if o.Op == cond.Operand && o.Of.Kind == model.OpArg && o.Of.Field != nil && m.next == nil {
				m.next, m.param = o.Of.Field, o.Of.Param.C
				for _, s := range o.Of.Param.Record.Setups {
					m.start = big.NewInt(s.From.Value)
				}
			}
		}
		for _, way := range n.Sub[3:] {
			from := new(big.Int).SetUint64(way.Sub[0].Of.Const)
			if !slices.ContainsFunc(m.states, func(s *big.Int) bool { return s.Cmp(from) == 0 }) {
				m.states = append(m.states, from)
			}
		}
	}
}

// addProps notes the properties of objects that the cases of a rule give.
func (b *bindings) addProps(r *model.Rule) {
	v := b.verbs[r.Verb]
	if v == nil {
		return
	}
	for _, p := range v.Params {
		given, ok := r.Reject[p.C].(map[string]any)
		if !ok || p.Object == nil {
			continue
		}
		for prop := range given {
			if !slices.Contains(b.props[p.Object], prop) {
				b.props[p.Object] = append(b.props[p.Object], prop)
			}
		}
	}
}

// made is the object that a call makes, with the properties that the call says.
func (c *caseOf) made() value {
	o := c.face.verb.Creates
	h := &handle{props: map[string]value{}}
	for _, prop := range c.b.props[o] {
		for _, p := range c.face.verb.Params {
			v := c.values[p.C]
			if r, ok := v.(*record); ok && !r.lost {
				for f, x := range r.fields {
					if f.C == prop {
						v = x
					}
				}
			} else if p.C != prop {
				continue
			}
			switch v.(type) {
			case *big.Int, null, some:
				h.props[prop] = v
			case *handle:
				h.props[prop] = some{}
			}
		}
	}
	for _, m := range c.b.moves {
		if m.object == o {
			h.moving = m.prop
			if m.start != nil {
				h.props[m.prop] = m.start
			}
		}
	}
	return h
}

// move notes the state that an object is in after the call.
func (c *caseOf) move() {
	m := c.b.moves[c.face.verb.C]
	h, ok := c.values[c.recv].(*handle)
	if m == nil || !ok || m.next == nil {
		return
	}
	r, ok := c.values[m.param].(*record)
	if !ok || r.lost {
		delete(h.props, m.prop)
		return
	}
	if v, set := r.fields[m.next]; set && v != nil {
		h.props[m.prop] = v
	} else if set {
		delete(h.props, m.prop)
	}
}

// broken are the rules that a call breaks. Of an object whose type is known and whose state is not, they are those that it breaks in each
// state.
func (c *caseOf) broken() []explain.Broken {
	judge := func() []explain.Broken {
		return c.b.judge.Evaluate(explain.Case{Verb: c.face.verb.C, Args: c.args}).Broken
	}
	m := c.b.moves[c.face.verb.C]
	h, ok := c.values[c.recv].(*handle)
	if m == nil || !ok || len(h.props) == 0 || h.props[m.prop] != nil {
		return judge()
	}
	var out []explain.Broken
	for i, state := range m.states {
		props := asCase(h).(map[string]any)
		props[m.prop] = state
		c.args[c.recv] = props
		now := judge()
		if i == 0 {
			out = now
			continue
		}
		out = slices.DeleteFunc(out, func(b explain.Broken) bool {
			return !slices.ContainsFunc(now, func(x explain.Broken) bool { return x.Rule == b.Rule })
		})
	}
	c.args[c.recv] = asCase(h)
	return out
}
