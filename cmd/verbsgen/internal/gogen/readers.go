package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// This file has readers: what they read, their type, and the reading, which is one call into C.

// isAsked reports whether the package has a reader or a stream of an object, which do only what the object was asked for.
func (e *emitter) isAsked(o *model.Object) bool {
	return slices.ContainsFunc(e.pkg.Verbs, func(v *model.Verb) bool { return (v.Reads != nil || v.Stream != nil) && v.Params[0].Object == o })
}

// reader writes a method that makes a reader, with the types of the reader and of what it reads:
//
//	func (cq *CQEx) Reader(fields WCField) (*CQExReader, error)
func (e *emitter) reader(g *goFile, v *model.Verb, m *model.Method) {
	l, name, errs := v.Reads, m.Recv+m.Name, "err"+v.Go
	e.readTypes(g, l)
	c := e.newCall(v, m, []string{"*" + name}, fail{jen.Nil()})
	kind, fields := jen.Lit(m.Recv), id("fields")
	with := ref(id(name).Values(key(c.self, id(c.self)), key("fields", c.readBy(wide("fields")))))
	c.out.doc = doc(m.Name, say("new reader", words{"Object": m.Recv}), v.C, v.Page, m.Doc)
	c.out.params = []jen.Code{param("fields", l.Asks.Go)}
	c.out.body = slices.Concat([]jen.Code{verbConst(v.C)}, c.pre, []jen.Code{
		c.zero.onErr(rt("dpath", "CheckAsked").Call(id(c.self, "asked"), id("verb"), kind, fields, inHex(askable(l)))),
		declare("a", "dpath.Answer"),
		gated(v, c.self+".gate", wide("fields"), jen.Nil(), jen.Lit(0), jen.Lit(0), memory("a")),
		c.zero.onErr(rt("dpath", "Lacks").Call(id("a"), id("verb"), kind, fields)),
		jen.Return(with, jen.Nil())})
	g.fn(c.out)
	g.structType(doc(name, say("reader", words{"Entry": l.Go, "Object": m.Recv}), v.C, v.Page), name,
		param(c.self, "*"+m.Recv), param("fields", "uint64"))
	g.fn(fn{doc: doc("PollInto", say("PollInto", words{"List": "entries", "Object": m.Recv}), v.C, v.Page), recv: recv("r", name),
		name: "PollInto", params: []jen.Code{param("entries", "[]"+l.Go)}, results: types("int", "error"), short: true,
		body: []jen.Code{jen.Return(id("r.PollSpin").Call(id("entries"), dec(1)))}})
	from, none := "r."+c.self, fail{jen.Lit(0)}
	failed := func() *jen.Statement {
		err := id(errs, "Errno").Call(id("errno"))
		if dev := c.e.removable(c.root); dev != "" {
			return id("r", dev, removedFunc).Call(err)
		}
		return err
	}
	g.fn(fn{doc: says("PollSpin", nil), recv: recv("r", name), name: "PollSpin",
		params: []jen.Code{param("entries", "[]"+l.Go), param("tries", "int")}, results: types("int", "error"), body: []jen.Code{
			none.neverMade(from, v, name, m),
			none.refuse(op(jen.Len(id("entries")), "==", jen.Lit(0)), jen.Nil()),
			rt("dpath", "Written").Call(id("entries")),
			declare("a", "dpath.Answer"),
			fail{jen.Lit(0)}.refuse(define("errno").Add(id("a.Begin").Call(ref(id(from, "gate")))).Op(";").Add(op(id("errno"), "!=", jen.Lit(0))),
				failed()),
			gated(v, from+".gate", id("r.fields"), array("entries"), length("int64", "entries"), conversion("int64", id("tries")), memory("a")),
			define("n", "errno").Add(id("a.Read").Call(ref(id(from, "gate")))),
			fail{id("n")}.refuse(op(id("errno"), "!=", jen.Lit(0)), failed()),
			jen.Return(id("n"), jen.Nil())}})
	g.onceErrors(errs, v.C, m.Recv)
}

// gated calls the C side of a reader or a stream: rawX(qp.gate.Word(), x).
func gated(v *model.Verb, gate string, passed ...jen.Code) *jen.Statement {
	return id("raw" + v.Go).Call(append([]jen.Code{id(gate, "Word").Call()}, passed...)...)
}

// onceErrors writes the errors of a method on the data path, made once:
//
//	var errPostSend = fail.Once{Verb: "ibv_post_send", Kind: "QP"}
func (g *goFile) onceErrors(name, verb, kind string) {
	g.decl("", jen.Var().Id(name).Op("=").Add(rt("fail", "Once")).Values(key("Verb", jen.Lit(verb)), key("Kind", jen.Lit(kind))))
}

// readBy is what a reader gives to C at each call: its fields, and how the device has to be read.
func (c *call) readBy(fields *jen.Statement) *jen.Statement {
	if c.root == "" || c.root == c.self {
		return fields
	}
	return op(fields, "|", rt("fail", "Singly").Call(id(c.lib+".src"), id(c.root+".h.Label").Call()))
}

// askable are the fields that a reader can read.
func askable(l *model.Lazy) (bits uint64) {
	for _, f := range l.Fields {
		if f.Bit != nil {
			bits |= uint64(f.Bit.Value)
		}
	}
	return bits
}

// readTypes writes the struct that a reader fills, and what its fields say together.
func (e *emitter) readTypes(g *goFile, l *model.Lazy) {
	var fields, failed []jen.Code
	for _, f := range l.Fields {
		fields = append(fields, field(f.Go, f.GoType, docOfField(f), strings.Trim(f.C+"."+f.Of, ".")))
		if f.Failed != "" || !f.Func {
			failed = append(failed, key(f.Go, id("w", f.Go)))
		}
	}
	g.structType(doc(l.Go, "is "+model.Lower(l.Doc), "struct "+l.C, l.Page), l.Go, fields...)
	method := func(name, text, typ string, body ...jen.Code) {
		g.fn(fn{doc: comment(text), recv: recv("w", l.Go), name: name, results: types(typ), body: append([]jen.Code{orZero("w")}, body...)})
	}
	for _, f := range l.Fields {
		if f.Time != "" {
			at := rt("time", "Unix").Call(jen.Lit(0), conversion("int64", id("w", f.Go)))
			method(f.Time, f.Time+" returns "+f.Go+" as a time.", "time.Time", jen.Return(at))
		}
	}
	if ok := l.OK(); ok != nil && l.Fails != "" {
		typ := ok.Enum.Runtime + "." + l.Fails
		method("Err", "Err returns nil for what succeeded, and otherwise a *"+typ+".", "error",
			jen.If(op(id("w", ok.Go), "!=", dec(uint64(ok.OK.Value)))).Block(jen.Return(ref(goType(typ).Values(failed...)))), jen.Return(jen.Nil()))
	}
}

// docOfField says what a field is, and which flag asks for it.
func docOfField(f *model.LazyField) string {
	text := f.Doc
	if f.Failed == spec.FailedOnly {
		text += "; 0 for what succeeded"
	}
	if f.Bit != nil {
		text += "; asked for by " + f.Bit.Go
	}
	return text
}
