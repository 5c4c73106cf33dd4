package plan

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file plans both ends of package bridge: how a method takes and makes the handles of another package, and what a package
// offers of its own.

// held is the variable with what is in use of a handle or builder of another package.
func held(p *model.Param) string { return p.Go + "Held" }

// libOf is the loaded library of another module.
func (c *call) libOf(u *model.Use) string { return c.lib + "." + u.Name }

// otherHandle enters a handle of another package.
func (c *call) otherHandle(p *model.Param) {
	c.take(p, p.GoType)
	c.pre = append(c.pre, EnterOther{Into: held(p), Handle: p.Go, What: p.C, Lib: c.libOf(p.Object.From), Optional: p.Null})
	if l := c.lent(p); l != nil {
		under := of("bridge", "Under", verb, text(l.C), val(c.libOf(p.Object.From)), val(held(p)), val(c.self+"."+l.Go))
		c.pre = append(c.pre, begin(owning, under, owning+".Exit")...)
	}
	c.pass(p, val(held(p)+".C"), addrOf(held(p)+".C"))
}

// owning is the variable with what a new object belongs to, where the handle that says so may be nil.
const owning = "owner"

// lent is the object of another module to which a new one belongs if a parameter is nil: the receiver has it from the library.
func (c *call) lent(p *model.Param) *model.Lend {
	if !p.Null || !p.Parent || c.recv == nil || c.v.Creates == nil || c.v.Creates.From != p.Object.From {
		return nil
	}
	for _, l := range c.recv.Object.Lends {
		if l.Object.From == p.Object.From {
			return l
		}
	}
	return nil
}

// holds is the variable with the use of a parameter that says what a new object belongs to.
func (c *call) holds(p *model.Param) string {
	if c.lent(p) != nil {
		return owning
	}
	return held(p)
}

// otherRecord takes the C struct of a builder of another package. The handles in it must be of the root that a handle beside it has.
func (c *call) otherRecord(p *model.Param) {
	lend := LendOther{Into: held(p), Attr: p.Go, Plain: p.Record.Plain, Lib: c.libOf(p.Record.From)}
	for _, q := range c.v.Params {
		if q == p {
			break
		}
		if q.Object != nil && q.Object.From == p.Record.From {
			lend.Root = c.holds(q) + ".Root"
		}
	}
	if p.Record.Plain {
		c.take(p, p.GoType)
	} else {
		c.take(p, "*"+p.GoType)
	}
	c.pre = append(c.pre, lend)
	c.pass(p, val(held(p)+".C"), number(1))
}

// inOutRecord passes the memory of a record of another package that the caller has filled in part.
func (c *call) inOutRecord(p *model.Param) {
	c.take(p, "*"+p.GoType)
	c.fillOther(p)
}

// fillOther passes the memory of a record of another package for the verb to fill.
func (c *call) fillOther(p *model.Param) {
	c.pre = append(c.pre, FillOther{Into: held(p), Record: p.Go})
	c.pass(p, val(held(p)+".C"), number(1))
}

// inOutOutput has the record take what the verb filled.
func (c *call) inOutOutput(p *model.Param, out *outputs) {
	out.fill = append(out.fill, do(result(held(p)+".Done")))
}

// made is where the verb left the object that it made.
func (c *call) made() (before []Step, from string) {
	switch x := c.v.Made; {
	case x == nil:
		return nil, "ptr"
	case x.Field == "":
		return nil, x.Param.Go + "C"
	default:
		return []Step{define("ptr", cField(pointer, x.Param.Go+".h.C", x.Offset))}, "ptr"
	}
}

// createdOther plans the handle of an object whose type is of another package.
func (c *call) createdOther() []Step {
	o := c.v.Creates
	out, from := c.made()
	s := MakeOther{Into: "o", Object: o.Ref, C: val(from), Lib: c.libOf(o.From), Parents: c.parents()}
	for _, p := range c.v.Params {
		switch {
		case p.Object == nil || p.Object.From != o.From:
		case c.lent(p) != nil:
			s.Handles = append(s.Handles, owning+".Handle")
		default:
			s.Handles = append(s.Handles, held(p))
		}
	}
	for _, p := range c.v.Params {
		if r := p.Taken(); r != nil && r.From != nil {
			s.Lent = held(p) + ".Nodes"
		}
	}
	if v := c.v.EndedBy; v != nil {
		call := Call{Verb: v.C, By: raw(v, c.lib, val(c.self+".h.C")), Answer: answer(v), Failure: Failure{Verb: v.C}}
		if call.Answer == Negative {
			call.Answer = NotZero
		}
		s.End = &Func{Results: errOnly, Then: []Step{call, ret(null)}}
	}
	return append(append(out, s), c.post...)
}

// Offers are what packages of other libraries may take and make: every handle, and the builders that verbs take.
type Offers struct {
	Handles []Offer
	Attrs   []string        // Go names of builders
	Changed []*model.Record // builders that verbs may fill: their masks are beside them
	Filled  []string        // Go names of records that verbs fill
}

// Offer is a handle, by the Go name of its object, with the objects that it has fields for.
type Offer struct {
	Object string
	Owners []*model.Object
}

// others plans what packages of other libraries may take and make.
func (b *builder) others() []Decl {
	var offers Offers
	var out []Decl
	for _, o := range b.pkg.Objects {
		offers.Handles = append(offers.Handles, Offer{o.Go, b.owners(o)})
	}
	for _, r := range b.pkg.Records {
		if b.lendable(r) {
			offers.Attrs = append(offers.Attrs, r.Go)
			out = append(out, b.lend(r))
			if r.Beside && !slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.Object != nil }) {
				offers.Changed = append(offers.Changed, r)
			}
		}
		if !r.In && !r.Event && b.fills(r) {
			offers.Filled = append(offers.Filled, r.Go)
		}
	}
	return append([]Decl{offers}, out...)
}

// lendable reports whether packages of other libraries may take a record: one that a verb takes, without memory and functions of Go.
func (b *builder) lendable(r *model.Record) bool {
	if !r.In || r.Runtime != "" || r.Tail != nil || r.Arm != nil {
		return false
	}
	for _, f := range r.Fields {
		if f.Callback != "" || f.Bytes || f.Handles != nil || f.Points != nil || f.Nested != nil && len(NestedBytes(f)) > 0 {
			return false
		}
	}
	for _, v := range b.pkg.Verbs {
		for _, p := range v.Params {
			if p.Taken() == r {
				return true
			}
		}
	}
	return false
}

// lend plans the copy of the C struct of a builder, with the handles in it in use.
func (b *builder) lend(r *model.Record) *Method {
	m := &Method{Name: "lend", Doc: Doc{Text: Says("lend", nil)}, Recv: Var{Name: "a", Type: "*" + r.Go},
		Params: []Var{{Name: "to", Type: "*bridge.Lent"}}, Results: errOnly}
	m.Steps = append(m.Steps, CopyAttr{Attr: "a", Into: "c", Mirror: r.Mirror.Name, Plain: r.Plain, Fails: KeepsError(r)})
	for _, f := range r.Fields {
		if f.Object == nil {
			continue
		}
		if f.Object.From != nil {
			b.errorf("struct "+r.C+"."+f.C, "a builder with handles of another package")
		}
		h := "a." + Kept(r, f)
		then := append([]Step{Try{Call: result("to.Enter", text(f.C), addr(h+".h"))}}, putHandle("c", h, r, f)...)
		m.Steps = append(m.Steps, If{isGiven(h), then})
	}
	m.Steps = append(m.Steps, set("to.C", memory("c")), ret(null))
	return m
}
