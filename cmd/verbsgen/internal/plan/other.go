package plan

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
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
	c.pass(p, val(held(p)+".C"), addrOf(held(p)+".C"))
}

// otherRecord takes the C struct of a builder of another package. The handles in it must be of the root that a handle beside it has.
func (c *call) otherRecord(p *model.Param) {
	lend := LendOther{Into: held(p), Attr: p.Go, Plain: p.Record.Plain, Lib: c.libOf(p.Record.From)}
	for _, q := range c.v.Params {
		if q == p {
			break
		}
		if q.Object != nil && q.Object.From == p.Record.From {
			lend.Root = held(q) + ".Root"
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
		if p.Object != nil && p.Object.From == o.From {
			s.Handles = append(s.Handles, p.Go)
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

// others plans what packages of other libraries may take and make: every handle, and the builders that verbs take.
func (b *builder) others() (out []Decl) {
	offer := &Method{Name: "init", Doc: Doc{Text: Says("offer", nil)},
		Steps: []Step{do(of("bridge", "OfferLib",
			function([]Var{{Name: "l", Type: "*Lib"}}, one("dl.Source"), ret(val("l.src")))))}}
	for _, o := range b.pkg.Objects {
		out = append(out, b.makeFor(o))
		offer.Steps = append(offer.Steps, do(of("bridge", "OfferHandle", b.offered(o))))
	}
	for _, r := range b.pkg.Records {
		if !b.lendable(r) {
			continue
		}
		out = append(out, b.lend(r))
		offer.Steps = append(offer.Steps, do(of("bridge", "OfferAttr",
			composite("bridge.Attr["+r.Go+"]", Entry{"Kind", text(r.Go)}, Entry{"Lend", val("(*" + r.Go + ").lend")}))))
	}
	return append([]Decl{offer}, out...)
}

// offered is what a package offers of a handle.
func (b *builder) offered(o *model.Object) Value {
	with := []Entry{{"C", val("o.h.C")}, {"Node", addr("o.h.Node")}}
	switch {
	case b.below(o):
		with = append(with, Entry{"Root", addr("o.dev.h.Node")})
	case b.root() != "":
		with = append(with, Entry{"Root", addr("o.h.Node")})
	}
	held := composite("bridge.Held", append(with, Entry{"Lib", val("o.lib")})...)
	return composite("bridge.Handle["+o.Go+"]", Entry{"Kind", text(o.Go)},
		Entry{"Of", function([]Var{{Name: "o", Type: "*" + o.Go}}, one("bridge.Held"), ret(held))}, Entry{"Make", val("make" + o.Go)})
}

// makeFor plans the handle of an object that another library made.
func (b *builder) makeFor(o *model.Object) *Method {
	m := &Method{Name: "make" + o.Go, Doc: Doc{Text: Says("make other", Words{"Object": o.Go})},
		Params: []Var{{Name: "m", Type: "*bridge.Made"}}, Results: []Var{{Type: "*" + o.Go}, {Type: "error"}}, Zero: []Value{null}}
	among := func(fn, typ string) Value {
		return generic("bridge", fn, typ, val("m"))
	}
	owner := "lib"
	if b.below(o) {
		owner = "dev"
		m.Steps = append(m.Steps, define(owner, among("Among", b.root())))
	} else {
		m.Steps = append(m.Steps, define(owner, among("LibOf", "Lib")))
	}
	kept := Assign{To: []string{"o.h.Other"}, Op: "=", Values: []Value{val("m.End")}}
	for _, p := range b.owners(o) {
		name := naming.Unexported(p.Go)
		m.Steps = append(m.Steps, define(name, among("Among", p.Go)))
		if b.below(o) {
			m.Steps = append(m.Steps, If{isNil(owner), []Step{If{isGiven(name), []Step{set(owner, val(name+".dev"))}}}})
		}
		kept.To, kept.Values = append(kept.To, "o."+name), append(kept.Values, val(name))
	}
	m.Steps = append(m.Steps, Refuse{isNil(owner), result("m.Rootless", text(o.Go))},
		Make{Into: "o", Object: o.Go, Owner: owner, From: "m.C"}, kept,
		Adopt{Handle: "o", Parents: []Parent{{Many: "m.Parents"}}}, ret(val("o"), null))
	return m
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
	lent := Var{Name: "lent", Type: "bridge.Lent"}
	m := &Method{Name: "lend", Doc: Doc{Text: Says("lend", nil)},
		Recv:    Var{Name: "a", Type: "*" + r.Go},
		Params:  []Var{{Name: "verb", Type: "string"}, {Name: "lib", Type: "any"}, {Name: "root", Type: "*object.Node"}},
		Results: []Var{lent, {Name: "err", Type: "error"}}, Zero: []Value{val("lent")}}
	m.Steps = append(m.Steps, CopyAttr{Attr: "a", Into: "c", Mirror: r.Mirror.Name, Plain: r.Plain, Fails: KeepsError(r)})
	for _, f := range r.Fields {
		if f.Object == nil {
			continue
		}
		h := "a." + Kept(r, f)
		root := null
		switch {
		case f.Object.From != nil:
			b.errorf("struct "+r.C+"."+f.C, "a builder with handles of another package")
		case b.below(f.Object):
			root = addr(h + ".dev.h.Node")
		case b.root() != "":
			root = addr(h + ".h.Node")
		}
		then := []Step{Try{Call: result("lent.Enter", verb, text(f.C), addr(h+".h.Node"), val(h+".lib"), val("lib"), root, val("root"))},
			set("c."+f.Leaf.Go, converted("uintptr", val(h+".h.C")))}
		if f.Bit != nil && r.Mask != "" {
			then = append(then, maskBits("c."+r.Mask, f))
		}
		m.Steps = append(m.Steps, If{isGiven(h), then})
	}
	m.Steps = append(m.Steps, set("lent.C", memory("c")), ret(val("lent"), null))
	return m
}
