package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// This file has what follows a refused request: the rules that it breaks, by its fields and by what is known of the object then.
// A call that succeeds does not come here.

// refused writes the error of a refused request:
//
//	func (qp *QP) refusedX(r dpath.SendRange, posted int, errno syscall.Errno) error
func (e *emitter) refused(g *goFile, v *model.Verb, m *model.Method) {
	self, errs := v.Params[0].Go, "err"+v.Go
	sees := slices.ContainsFunc(v.Inputs(), func(o model.Operand) bool { return o.Kind != model.OpField })
	see := func(ask bool) jen.Code { return id(self, "see"+v.Go).Call(ref(id("in")), jen.Lit(ask)) }
	removed := func(err *jen.Statement) *jen.Statement {
		if dev := e.removable(self + ".dev"); dev != "" {
			return id(dev, removedFunc).Call(err)
		}
		return err
	}
	body := []jen.Code{define("wr", "err").Add(rt("dpath", "RefusalOf").Call(id("r"), ref(id(errs)), id("posted"), id("errno"))),
		fail(nil).refuse(notNil(id("err")), removed(id("err")))}
	var facts []jen.Code
	if len(v.Inputs()) > 0 {
		body = append(body, define("in").Id("in"+v.Go).Add(lines(requestInputs(v)...)))
		facts = factsOf(v)
	}
	if sees {
		body = append(body, see(false))
	}
	broken, may := jen.Nil(), jen.Nil()
	if len(v.Explains(true)) > 0 {
		broken = id("broken" + v.Go).Call(ref(id("in")))
	}
	if len(v.Explains(false)) > 0 {
		may = id("hint" + v.Go).Call(ref(id("in")))
	}
	isFull := id(errs, "Full").Call(id("errno"))
	if name := "full" + v.Go; e.has(m.Recv, name) {
		isFull = id(self, name).Call(id("r"), id("errno"))
	}
	full := jen.If(id("wr.Full").Call(broken)).Block(jen.Return(isFull))
	body = append(body, full)
	if sees {
		body = append(body, see(true), full)
	}
	body = append(body, jen.Return(removed(id("wr.Error").Call(append([]jen.Code{broken, may}, facts...)...))))
	g.fn(fn{doc: says("refused", words{"Name": "refused" + v.Go}), recv: recv(self, m.Recv), name: "refused" + v.Go,
		params:  []jen.Code{param("r", "dpath."+form.Of(v.C, m.Form).Range), param("posted", "int"), param("errno", "syscall.Errno")},
		results: types("error"), body: body})
	if e.first("ErrQueueFull") {
		g.decl(says("ErrQueueFull", nil), jen.Var().Id("ErrQueueFull").Op("=").Add(rt("verr", "ErrQueueFull")))
	}
	if sees {
		e.seeing(g, v, m)
	}
}

// posts writes the methods that post a batch and a range of one:
//
//	func (qp *QP) PostRecv(b *dpath.RecvBatch, n int) (posted int, err error) { return qp.PostRecvRange(b.From(0, n)) }
//
//	func (qp *QP) PostRecvRange(r dpath.RecvRange) (posted int, err error)
func (g *goFile) posts(v *model.Verb, m *model.Method, x *form.Func) {
	self, errs, ranged := v.Params[0].Go, "err"+v.Go, m.Name+"Range"
	results := []jen.Code{param("posted", "int"), param("err", "error")}
	g.onceErrors(errs, v.C, m.Recv)
	g.fn(fn{doc: doc(m.Name, x.Posts+". It is otherwise like QP.PostSend", v.C, v.Page), recv: recv(self, m.Recv), name: m.Name,
		params:  []jen.Code{param("b", "*dpath."+strings.TrimSuffix(x.Range, "Range")+"Batch"), param("n", "int")},
		results: results, short: true, body: []jen.Code{jen.Return(id(self, ranged).Call(id("b.From").Call(jen.Lit(0), id("n"))))}})
	refused := id(self, "refused"+v.Go).Call(id("r"), id("posted"), id("errno"))
	g.fn(fn{doc: says("posts range", words{"Name": m.Name}), recv: recv(self, m.Recv), name: ranged,
		params: []jen.Code{param("r", "dpath."+x.Range)}, results: results, body: []jen.Code{
			fail{jen.Lit(0)}.refuse(isNil(id(self)), id(errs, "Nil").Call()),
			define("posted", "errno").Add(rt("dpath", v.Go+"Range").Call(ref(id(self, "gate")), id("r"))),
			fail{id("posted")}.refuse(op(id("errno"), "!=", jen.Lit(0)), refused), jen.Return(id("posted"), jen.Nil())}})
}

// requestInputs are the inputs that the request itself has.
func requestInputs(v *model.Verb) (out []jen.Code) {
	for _, o := range v.Inputs() {
		if o.Kind != model.OpField {
			continue
		}
		x := cAt(o.Layout, "wr.Request", o.At)
		switch {
		case o.List == model.ListTotal:
			x = id("wr.Total").Call(dec(uint64(o.At)))
		case o.List == model.ListLeast:
			x = id("wr.Least").Call(dec(uint64(o.At)))
		case o.Signed:
			x = conversion("int64", x)
		default:
			x = conversion("uint64", x)
		}
		out = append(out, key(o.Name, x))
	}
	return out
}

// seeing writes what fills in the inputs that are about the object, as the library knows it; or, when it asks, as the device does:
//
//	func (qp *QP) seeX(in *inX, ask bool) error
//
// What cannot be seen stays unknown, and its error is for nobody.
func (e *emitter) seeing(g *goFile, v *model.Verb, m *model.Method) {
	self, object := v.Params[0].Go, v.Params[0].Object
	var made, forget, read, caps []jen.Code
	for _, o := range v.Inputs() {
		in := id("in", o.Name)
		switch {
		case o.Kind == model.OpMade:
			made = append(made, assign(in, known(id(self, "made", o.Leaf.Go))))
		case o.Kind == model.OpProp && o.CField != "":
			forget = append(forget, assign(in, goType("fail.Known").Values()))
			read = append(read, assign(in, known(cNumber(object, self+".h.C", o.CField))))
		case o.Kind == model.OpCap:
			caps = append(caps, assign(in, known(id(capPath(o)))))
		case o.Kind != model.OpField:
			e.errorf(v.C+"."+o.Text, "a rule looks at it, and nothing knows it after a refusal")
		}
	}
	called, asked := v.C, forget
	query := v.Part(form.PartQuery)
	if query != nil {
		called = query.C
		asked = append(asked, e.query(query, v)...)
	}
	if len(caps) > 0 {
		asked = append(asked, define("caps").Add(id(self, "dev", capsFunc).Call()), jen.If(notNil(id("caps"))).Block(caps...))
	}
	if query == nil {
		asked = append(asked, jen.Return(jen.Nil()))
	}
	body := []jen.Code{verbConst(called), fail(nil).enter(self)}
	if len(made) > 0 {
		body = append(body, jen.If(notNil(id(self, "made"))).Block(made...))
	}
	body = append(append(append(body, jen.If(id("ask")).Block(asked...)), read...), jen.Return(jen.Nil()))
	name := "see" + v.Go
	g.fn(fn{doc: says("see", words{"Name": name, "Verb": v.C, "Object": m.Recv}), recv: recv(self, m.Recv), name: name,
		params: []jen.Code{param("in", "*in"+v.Go), param("ask", "bool")}, results: types("error"), body: body})
}

// query makes the call that brings the C object up to date.
func (e *emitter) query(query, v *model.Verb) []jen.Code {
	lib := query.Params[0].Go + ".lib"
	out := []jen.Code{fail(nil).missingVerb(query, lib)}
	var args []jen.Code
	for _, p := range query.Params {
		switch {
		case p.Filled() != nil:
			out = append(out, declare(p.Go+"C", p.Record.Mirror.Name))
			args = append(args, memory(p.Go+"C"))
		case p.Role == role.Flags:
			args = append(args, conversion(e.integer(query.C+"."+p.C, p.CType), inHex(e.asked(query, v, p))))
		default:
			args = append(args, id(p.Go, "h.C"))
		}
	}
	return append(out, fail(nil).call("", raw(query, lib, args...), answerOf(query), failure{})...)
}

// asked are the flags by which a query asks for what rules look at in the C object: those of the fields that have the type of such a
// property. Where the package has no such field, all is asked for.
func (e *emitter) asked(query, v *model.Verb, flags *model.Param) (mask uint64) {
	types := map[*model.Enum]bool{}
	for _, o := range v.Inputs() {
		if o.Kind == model.OpProp {
			types[o.Enum] = true
		}
	}
	for _, p := range query.Params {
		if p.Filled() == nil {
			continue
		}
		for _, f := range p.Record.Fields {
			if f.Enum != nil && types[f.Enum] {
				mask |= e.bitOf(p.Record, f)
			}
		}
	}
	if mask == 0 && flags.Enum != nil {
		return flags.Enum.Known
	}
	return mask
}

// bitOf is the bit of a field, by a record of the same struct that has a mask.
func (e *emitter) bitOf(r *model.Record, f *model.Field) uint64 {
	for _, s := range e.pkg.Records {
		if x := s.Field(f.C); s.C == r.C && x != nil && x.Bit != nil {
			return uint64(x.BitValue)
		}
	}
	return 0
}

// factsOf are what an error says of the object beside the rules: the properties whose values have names, and then the limits.
func factsOf(v *model.Verb) []jen.Code {
	var named, limits []jen.Code
	for _, o := range v.Inputs() {
		name, in := o.Text[strings.LastIndexByte(o.Text, '.')+1:], "in."+o.Name
		switch {
		case o.Kind == model.OpProp && o.Enum != nil:
			named = append(named, rt("fail", "Named").Types(goType(o.Enum.Go)).Call(jen.Lit(name), id(in)))
		case o.Kind == model.OpMade && o.Enum == nil && o.Leaf.GoType != "uintptr":
			limits = append(limits, rt("fail", "Fact").Call(jen.Lit(name), id(in)))
		}
	}
	return append(named, limits...)
}
