package gogen

import (
	"iter"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file has both ends of package bridge: how a method takes and makes the handles of another package, and what a package
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
	c.pre = append(c.pre, define(name).Add(rt("bridge", "Uses").Add(lines(key("Verb", id("verb")), key("Lib", id(lib))))),
		until(name+".Exit"))
	if c.recv != nil {
		above := c.above(c.self, c.recv.C, c.recv.Object)
		c.pre = append(c.pre, above...)
	}
	return name
}

// above enters the objects of other modules that a handle of the package was made from: the others must be of the same device.
func (c *call) above(handle, what string, o *model.Object) (out []jen.Code) {
	for _, parent := range o.Parents {
		if parent.From != nil {
			field := handle + "." + model.Unexported(parent.Name())
			out = append(out, c.enterOther("_", c.uses(parent.From), field, what, true))
		}
	}
	return out
}

// aboveGiven is above for a handle that may be nil.
func (c *call) aboveGiven(handle, what string, o *model.Object) {
	if then := c.above(handle, what, o); len(then) > 0 {
		c.pre = append(c.pre, jen.If(notNil(id(handle))).Block(then...))
	}
}

// enterOther begins the use of a handle of another package:
//
//	pdHeld, err := bridge.Enter(&verbsUses, "pd", pd)
//	if err != nil {
//		return nil, err
//	}
func (c *call) enterOther(into, uses, handle, what string, optional bool) *jen.Statement {
	enter := "Enter"
	if optional {
		enter = "EnterOptional"
	}
	return c.zero.try(into, rt("bridge", enter).Call(ref(id(uses)), jen.Lit(what), id(handle)))
}

// otherHandle enters a handle of another package.
func (c *call) otherHandle(p *model.Param) {
	c.take(p, p.GoType)
	uses := c.uses(p.Object.From)
	c.pre = append(c.pre, c.enterOther(held(p), uses, p.Go, p.C, p.Null))
	if l := c.lent(p); l != nil {
		c.pre = append(c.pre, c.zero.try(owning, rt("bridge", "Under").Call(ref(id(uses)), jen.Lit(l.C), id(held(p)), id(c.self+"."+l.Go))))
	}
	if p.Field != nil {
		c.pass(p, cAt(pointer, held(p)+".C", *p.Field), addrOf(held(p)+".C"))
		return
	}
	c.pass(p, cOf(p.Object, id(held(p)+".C")), addrOf(held(p)+".C"))
}

// heldIn is the variable with what is in use of a handle in a record of the package.
func heldIn(p *model.Param, f *model.Field) string { return p.Go + f.Go + "Held" }

// otherField enters a handle in a record of the package, and puts its C object into the mirror.
func (c *call) otherField(p *model.Param, f *model.Field, mirror string) {
	h, into := p.Go+"."+kept(p.Record, f), heldIn(p, f)
	uses := c.uses(f.Object.From)
	c.pre = append(c.pre, c.enterOther(into, uses, h, f.C, true),
		jen.If(notNil(id(h))).Block(putHandle(mirror, into+".C", p.Record, f)...))
	c.aboveGiven(h, f.C, f.Object)
}

// findRoot finds what a new object belongs to that a method of Lib makes.
func (c *call) findRoot() {
	if o := c.v.Creates; c.recv == nil && o != nil && o.From == nil && c.e.below(o) {
		c.root = "root"
		c.pre = append(c.pre, c.zero.try(c.root, rt("bridge", "Root").Types(goType(c.e.root())).Call(ref(id(c.uses(nil))), jen.Lit(o.Go))))
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
	uses, attr := c.uses(p.Record.From), id(p.Go)
	if p.Record.Plain {
		c.take(p, p.GoType)
		attr = ref(attr)
	} else {
		c.take(p, "*"+p.GoType)
	}
	lend := "Lend"
	if p.Unjudged {
		lend = "LendUnjudged"
	}
	c.pre = append(c.pre, c.zero.try(held(p), rt("bridge", lend).Call(ref(id(uses)), attr)))
	c.pass(p, id(held(p)+".C"), dec(1))
}

// inOutRecord passes the memory of a record of another package that the caller has filled in part.
func (c *call) inOutRecord(p *model.Param) {
	c.take(p, "*"+p.GoType)
	c.fillOther(p)
}

// fillOther passes the memory of a record of another package for the verb to fill.
func (c *call) fillOther(p *model.Param) {
	c.pre = append(c.pre, c.zero.try(held(p), rt("bridge", "Fill").Call(id("verb"), id(p.Go))))
	c.pass(p, id(held(p)+".C"), dec(1))
}

// inOutOutput has the record take what the verb filled.
func (c *call) inOutOutput(p *model.Param, out *outputs) {
	out.fill = append(out.fill, id(held(p)+".Done").Call())
}

// made is where the verb left the object that it made.
func (c *call) made() (before []jen.Code, from string) {
	switch x := c.v.Made; {
	case c.v.Creates.Int():
		return []jen.Code{define("ptr").Add(conversion(pointer, id("new").Call(conversion("int32", id("n")))))}, "ptr"
	case x == nil:
		return nil, "ptr"
	case x.Field == "":
		return nil, x.Param.Go + "C"
	default:
		return []jen.Code{define("ptr").Add(cField(x.Param.Object, x.Param.Go+".h.C", x.Field))}, "ptr"
	}
}

// createdOther makes the handle of an object whose type is of another package.
func (c *call) createdOther() []jen.Code {
	o := c.v.Creates
	out, from := c.made()
	uses := c.uses(o.From)
	with := []jen.Code{key("C", id(from))}
	if parents := nodes(c.parents()); len(parents) > 0 {
		with = append(with, key("Parents", goType("[]*object.Node").Values(parents...)))
	}
	for _, p := range c.v.Params {
		if r := p.Taken(); r != nil && r.From == o.From {
			with = append(with, key("From", ref(id(held(p)))))
		}
	}
	for _, p := range c.v.Params {
		if given := queueless(p, p.Go+"C"); given != nil && p.Record.From == nil {
			with = append(with, key("Queueless", given))
		}
	}
	if v := c.v.EndedBy; v != nil {
		end := fail(nil).call("", raw(v, c.lib, c.endOther(v, from)...), endAnswer(v), failure{verb: v.C})
		with = append(with, key("End", function(types("error"), append(end, jen.Return(jen.Nil()))...)))
	}
	made := c.zero.try("o", rt("bridge", "Make").Types(goType(o.Ref)).Call(ref(id(uses)), rt("bridge", "Made").Add(lines(with...))))
	return append(append(out, made), c.post...)
}

// endOther are the arguments of a verb that ends an object of another package, which is at from: it, and what it was made from.
func (c *call) endOther(end *model.Verb, from string) (args []jen.Code) {
	for _, p := range end.Params {
		arg := jen.Code(cOf(p.Object, id(from)))
		if i := slices.IndexFunc(c.v.Params, func(q *model.Param) bool { return q.Object == p.Object }); p.Object != c.v.Creates {
			arg = c.args[i]
		}
		args = append(args, arg)
	}
	return args
}

// othersFile writes what packages of other libraries may take and make: every handle, and the builders that verbs take:
//
//	func init() {
//		bridge.OfferLib(func(l *Lib) dl.Source { return l.src })
//		bridge.OfferHandle((*PD).base, newPD, nil)
//		bridge.OfferHandle((*MR).base, newMR, func(o *MR, m *bridge.Made) { o.pd = bridge.Among[PD](m) })
//		bridge.OfferAttr("QPAttr", (*QPAttr).lend)
//		bridge.OfferChanged("QPAttr", func(a *QPAttr) (c, mask unsafe.Pointer, err error) { ... })
//		bridge.OfferStream(func(s *QPStream) bridge.Stream { return bridge.Stream{Gate: s.gate, Object: s.object, Handle: s.qp.base()} })
//		bridge.OfferFilled((*ECEInfo).from)
//	}
func (e *emitter) othersFile() *goFile {
	g := e.newFile("bridge.gen.go")
	source := jen.Func().Params(param("l", "*Lib")).Add(goType("dl.Source")).Add(short(jen.Return(id("l.src"))))
	body := []jen.Code{rt("bridge", "OfferLib").Call(source)}
	for _, o := range e.pkg.Objects {
		body = append(body, rt("bridge", "OfferHandle").Call(methodOf(o.Go, "base"), id("new"+o.Go), e.adopts(o)))
	}
	var attrs, changed, streams, filled []jen.Code
	var lent []*model.Record
	for _, r := range e.pkg.Records {
		if e.lendable(r) {
			lent = append(lent, r)
			attrs = append(attrs, rt("bridge", "OfferAttr").Call(jen.Lit(r.Go), methodOf(r.Go, "lend")))
			if r.Beside && !slices.ContainsFunc(r.Fields, func(f *model.Field) bool { return f.Object != nil }) {
				changed = append(changed, rt("bridge", "OfferChanged").Call(jen.Lit(r.Go), besideOf(r)))
			}
		}
		if !r.In && !r.Event && e.fills(r) {
			filled = append(filled, rt("bridge", "OfferFilled").Call(methodOf(r.Go, "from")))
		}
	}
	for _, v := range e.pkg.Verbs {
		for _, m := range v.Methods {
			if m.Form == form.Stream {
				lend := jen.Func().Params(param("s", "*"+m.Recv+m.Name)).Add(goType("bridge.Stream")).Add(short(jen.Return(
					rt("bridge", "Stream").Values(key("Gate", id("s.gate")), key("Object", id("s.object")),
						key("Handle", id("s", v.Params[0].Go, "base").Call())))))
				streams = append(streams, rt("bridge", "OfferStream").Call(lend))
			}
		}
	}
	g.fn(fn{doc: says("offer", nil), name: "init", body: slices.Concat(body, attrs, changed, streams, filled)})
	for _, r := range lent {
		e.lend(g, r)
	}
	return g
}

// adopts is what a new handle learns that another package makes: its parents. Nothing is known of the length of device memory, and of
// where addresses in a region begin.
func (e *emitter) adopts(o *model.Object) *jen.Statement {
	var then []jen.Code
	if owners := e.owners(o); len(owners) > 0 {
		var to, from []jen.Code
		for _, p := range owners {
			to = append(to, id("o", model.Unexported(p.Name())))
			from = append(from, rt("bridge", "Among").Types(goType(p.Type()[1:])).Call(id("m")))
		}
		then = append(then, jen.List(to...).Op("=").List(from...))
	}
	if o.Device {
		then = append(then, id("o.attach").Call(id("m.C"), jen.Lit(0), jen.False()))
	}
	if o.Region != nil {
		then = append(then, id("o.place").Call(jen.Lit(0), rt("dpath", "Elsewhere")))
	}
	if len(then) == 0 {
		return jen.Nil()
	}
	return jen.Func().Params(param("o", "*"+o.Go), param("m", "*bridge.Made")).Add(short(then...))
}

// besideOf is the memory of a builder with its mask beside it, for a verb that fills it.
func besideOf(r *model.Record) *jen.Statement {
	failed := jen.Nil()
	if keepsError(r) {
		failed = id("a.err")
	}
	results := []jen.Code{jen.List(id("c"), id("mask")).Add(goType(pointer)), id("err").Error()}
	return jen.Func().Params(param("a", "*"+r.Go)).Params(results...).Add(short(jen.Return(memory("a.c"), memory("a.mask"), failed)))
}

// lendable reports whether packages of other libraries may take a record: one that a verb takes, without memory and functions of Go.
func (e *emitter) lendable(r *model.Record) bool {
	if !r.In || r.Runtime != "" || r.Tail != nil || r.Arm != nil || r.Empty() {
		return false
	}
	for _, f := range r.Fields {
		if f.Callback != "" || f.Bytes || f.Handles != nil || f.Points != nil || f.Object != nil && f.Object.From != nil {
			return false
		}
	}
	for range e.takers(r) {
		return true
	}
	return false
}

// takers are the verbs of the package that take a record, and their parameters for it.
func (e *emitter) takers(r *model.Record) iter.Seq2[*model.Verb, *model.Param] {
	return func(yield func(*model.Verb, *model.Param) bool) {
		for _, v := range e.pkg.Verbs {
			for _, p := range v.Params {
				if p.Taken() == r && !yield(v, p) {
					return
				}
			}
		}
	}
}

// lend makes the copy of the C struct of a builder, with the handles in it in use:
//
//	func (a *QPInitAttr) lend(to *bridge.Lent) error {
//		c := a.c
//		if a.sendCQ != nil {
//			if err := to.Enter("send_cq", &a.sendCQ.h); err != nil {
//				return err
//			}
//			c.send_cq = uintptr(a.sendCQ.h.C)
//		}
//		to.C = unsafe.Pointer(&c)
//		return nil
//	}
func (e *emitter) lend(g *goFile, r *model.Record) {
	var none fail
	body := []jen.Code{none.copyAttr("a", "c", r)}
	for _, f := range r.Fields {
		if f.Nested != nil {
			for _, x := range nestedBytes(f) {
				body = append(body, id("to.Pin").Call(ref(id("c", f.Leaf.Go, x.Leaf.Go)), id("a", keptIn(r, f, x))))
			}
		}
		switch {
		case f.Divides == "":
		case e.root() == "":
			body = append(body, divisor("c", f, "", ""))
		default:
			on := fn{params: []jen.Code{param("root", "*"+e.root())}, body: []jen.Code{divisor("c", f, "root.lib", "root")}}
			body = append(body, rt("bridge", "OnRoot").Call(id("to"), on.code()))
		}
		if f.Object == nil {
			continue
		}
		h := "a." + kept(r, f)
		then := append([]jen.Code{none.onErr(id("to.Enter").Call(jen.Lit(f.C), ref(id(h, "h"))))}, putHandle("c", h+".h.C", r, f)...)
		body = append(body, jen.If(notNil(id(h))).Block(then...))
	}
	body = slices.Concat(body, []jen.Code{assign(id("to.C"), memory("c"))}, e.judges(r), e.keeps(r), []jen.Code{jen.Return(jen.Nil())})
	g.fn(fn{doc: says("lend", nil), recv: recv("a", r.Go), name: "lend", params: []jen.Code{param("to", "*bridge.Lent")},
		results: types("error"), body: body})
}

// judges checks the copy by the rules of the one verb of the package that makes something with the record:
//
//	to.Judge = func() error {
//		qpInitAttrExC := &c
//		in := inCreateQPEx{...}
//		bridge.OnRoot(to, func(dev *Device) {
//			if caps := dev.capabilities(); caps != nil {
//				in.capMaxQPWR = fail.Sure(uint64(caps.orig_attr.max_qp_wr))
//			}
//		})
//		return checkCreateQPEx(&in)
//	}
func (e *emitter) judges(r *model.Record) []jen.Code {
	v, p := e.maker(r)
	if v == nil || len(v.Checked(false)) == 0 {
		return nil
	}
	c := e.newCall(v, v.Methods[0], nil, fail{})
	c.in[p.C] = dec(1)
	root, inputs := "root", []jen.Code(nil)
	var rooted, caps []jen.Code
	for _, o := range v.Inputs() {
		switch {
		case o.Kind == model.OpCap:
			caps = append(caps, assign(id("in", o.Name), known(id(capPath(o)))))
		case o.Param == p:
			inputs = append(inputs, key(o.Name, c.input(o)))
		case o.Param != nil && o.Param.Object != nil && o.Param.Object.Go == e.root() && o.Kind == model.OpProp:
			root = o.Param.Go
			rooted = append(rooted, assign(id("in", o.Name), c.input(o)))
		case o.Param != nil && o.Param.Object != nil && o.Leaf == nil && o.Prop == "":
			inputs = append(inputs, key(o.Name, dec(1))) // the other verb takes its handles as it likes
		default:
			return nil
		}
	}
	if len(caps) > 0 {
		rooted = append(rooted, jen.If(define("caps").Add(id(root, capsFunc).Call()), notNil(id("caps"))).Block(caps...))
	}
	body := []jen.Code{define(p.Go + "C").Op("&").Id("c"), define("in").Id("in" + v.Go).Add(lines(inputs...))}
	if len(rooted) > 0 {
		on := fn{params: []jen.Code{param(root, "*"+e.root())}, body: rooted}
		body = append(body, rt("bridge", "OnRoot").Call(id("to"), on.code()))
	}
	body = append(body, jen.Return(id("check"+v.Go).Call(ref(id("in")))))
	return []jen.Code{assign(id("to.Judge"), function(types("error"), body...))}
}

// maker is the verb of the package that makes something with a record, and its parameter; nil where there is not one.
func (e *emitter) maker(r *model.Record) (maker *model.Verb, with *model.Param) {
	for v, p := range e.takers(r) {
		if v.Creates == nil || v.Creates.From != nil || len(v.Methods) == 0 {
			continue
		}
		if maker != nil {
			return nil, nil
		}
		maker, with = v, p
	}
	return maker, with
}

// keeps has what another library makes with a builder keep what the package keeps of it, each object once.
func (e *emitter) keeps(r *model.Record) (out []jen.Code) {
	seen := map[*model.Object]bool{}
	for v, p := range e.takers(r) {
		if v.Creates == nil || v.Creates.From != nil || seen[v.Creates] {
			continue
		}
		if keep := e.keepAttr(v, p, "c"); len(keep) > 0 {
			seen[v.Creates] = true
			made := fn{params: []jen.Code{param("o", "*"+v.Creates.Go)}, body: keep}.code()
			out = append(out, rt("bridge", "OnMake").Call(id("to"), made))
		}
	}
	return out
}
