package plan

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// This file plans both ends of package bridge: how a method takes and makes the handles of another package, and what a package
// offers of its own.

// held is the variable with what is in use of a handle or builder of another package.
func held(p *model.Param) string { return p.Go + "Held" }

// libOf is the loaded library of another module.
func (c *call) libOf(u *model.Use) string { return c.lib + "." + u.Name }

// apart reports whether a handle is entered apart from the receiver: one of another package, and any in a method of Lib.
func (c *call) apart(o *model.Object) bool { return o.From != nil || c.recv == nil }

// uses is the variable with all handles of a module that the call uses; nil is the module of the package. Where the receiver was made from
// an object of that module, it is the first of them: the others must be of the same device.
func (c *call) uses(u *model.Use) string {
	name, lib := "uses", c.lib
	if u != nil {
		name, lib = u.Name+"Uses", c.libOf(u)
	}
	if c.others[name] {
		return name
	}
	c.others[name] = true
	c.pre = append(c.pre, UseOthers{Into: name, Lib: lib})
	if c.recv != nil {
		above := c.above(c.self, c.recv.C, c.recv.Object)
		c.pre = append(c.pre, above...)
	}
	return name
}

// above enters the objects of other modules that a handle of the package was made from: the others must be of the same device.
func (c *call) above(handle, what string, o *model.Object) (out []Step) {
	for _, parent := range o.Parents {
		if parent.From != nil {
			field := handle + "." + naming.Unexported(parent.Name())
			out = append(out, EnterOther{Into: "_", Uses: c.uses(parent.From), Handle: field, What: what, Optional: true})
		}
	}
	return out
}

// aboveGiven is above for a handle that may be nil.
func (c *call) aboveGiven(handle, what string, o *model.Object) {
	if then := c.above(handle, what, o); len(then) > 0 {
		c.pre = append(c.pre, If{isGiven(handle), then})
	}
}

// otherHandle enters a handle of another package.
func (c *call) otherHandle(p *model.Param) {
	c.take(p, p.GoType)
	uses := c.uses(p.Object.From)
	c.pre = append(c.pre, EnterOther{Into: held(p), Uses: uses, Handle: p.Go, What: p.C, Optional: p.Null})
	if l := c.lent(p); l != nil {
		c.pre = append(c.pre, Try{owning, of("bridge", "Under", addr(uses), text(l.C), val(held(p)), val(c.self+"."+l.Go))})
	}
	if p.Field != nil {
		c.pass(p, cField(pointer, held(p)+".C", *p.Field), addrOf(held(p)+".C"))
		return
	}
	c.pass(p, val(held(p)+".C"), addrOf(held(p)+".C"))
}

// heldIn is the variable with what is in use of a handle in a record of the package.
func heldIn(p *model.Param, f *model.Field) string { return p.Go + f.Go + "Held" }

// otherField enters a handle in a record of the package, and puts its C object into the mirror.
func (c *call) otherField(p *model.Param, f *model.Field, mirror string) {
	h, into := p.Go+"."+Kept(p.Record, f), heldIn(p, f)
	uses := c.uses(f.Object.From)
	c.pre = append(c.pre, EnterOther{Into: into, Uses: uses, Handle: h, What: f.C, Optional: true},
		If{isGiven(h), putHandle(mirror, into+".C", p.Record, f)})
	c.aboveGiven(h, f.C, f.Object)
}

// findRoot finds what a new object belongs to that a method of Lib makes.
func (c *call) findRoot() {
	if o := c.v.Creates; c.recv == nil && o != nil && o.From == nil && c.b.below(o) {
		c.root = "root"
		c.pre = append(c.pre, Try{c.root, generic("bridge", "Root", c.b.root(), addr(c.uses(nil)), text(o.Go))})
	}
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

// otherRecord takes the C struct of a builder of another package.
func (c *call) otherRecord(p *model.Param) {
	lend := LendOther{Into: held(p), Uses: c.uses(p.Record.From), Attr: p.Go, Plain: p.Record.Plain}
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
	s := MakeOther{Into: "o", Object: o.Ref, Uses: c.uses(o.From), C: val(from), Parents: c.parents()}
	for _, p := range c.v.Params {
		if r := p.Taken(); r != nil && r.From == o.From {
			s.From = held(p)
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
	Streams []Stream
}

// Offer is a handle, by the Go name of its object, with the objects that it has fields for. A new one takes the steps of Then: nothing is
// known of the length of device memory that another package makes, and of where addresses in a region begin.
type Offer struct {
	Object string
	Owners []*model.Object
	Then   []Step
}

// Stream is the Go name of a stream of commands, and its field with the handle that it posts to.
type Stream struct{ Go, Of string }

// others plans what packages of other libraries may take and make.
func (b *builder) others() []Decl {
	var offers Offers
	var out []Decl
	for _, o := range b.pkg.Objects {
		offer := Offer{Object: o.Go, Owners: b.owners(o)}
		if o.Device {
			offer.Then = append(offer.Then, assign("_", "=", result("o.mem.Attach", val("m.C"), zero, val("false"))))
		}
		if o.Region != nil {
			offer.Then = append(offer.Then, do(result("o.place", zero, nameOf("dpath", "Elsewhere"))))
		}
		offers.Handles = append(offers.Handles, offer)
	}
	for _, v := range b.pkg.Verbs {
		for _, m := range v.Methods {
			if m.Form == form.Stream {
				offers.Streams = append(offers.Streams, Stream{m.Recv + m.Name, v.Params[0].Go})
			}
		}
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
		if f.Callback != "" || f.Bytes || f.Handles != nil || f.Points != nil || f.Object != nil && f.Object.From != nil {
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
		if f.Nested != nil {
			for _, x := range NestedBytes(f) {
				m.Steps = append(m.Steps, do(result("to.Pin", addr("c."+f.Leaf.Go+"."+x.Leaf.Go), val("a."+KeptIn(r, f, x)))))
			}
		}
		if f.Object == nil {
			continue
		}
		h := "a." + Kept(r, f)
		then := append([]Step{Try{Call: result("to.Enter", text(f.C), addr(h+".h"))}}, putHandle("c", h+".h.C", r, f)...)
		m.Steps = append(m.Steps, If{isGiven(h), then})
	}
	m.Steps = append(append(m.Steps, set("to.C", memory("c"))), append(b.keeps(r), ret(null))...)
	return m
}

// keeps has what another library makes with a builder keep what the package keeps of it, each object once.
func (b *builder) keeps(r *model.Record) (out []Step) {
	seen := map[*model.Object]bool{}
	for _, v := range b.pkg.Verbs {
		for _, p := range v.Params {
			if p.Taken() != r || v.Creates == nil || v.Creates.From != nil || seen[v.Creates] {
				continue
			}
			if keep := b.keepAttr(v, p, "c"); len(keep) > 0 {
				seen[v.Creates] = true
				made := function([]Var{{Name: "o", Type: "*" + v.Creates.Go}}, nil, keep...)
				out = append(out, do(of("bridge", "OnMake", val("to"), made)))
			}
		}
	}
	return out
}
