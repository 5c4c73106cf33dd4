package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file has streams of commands: their type, and the posting of a batch, which is one call into C.

// stream writes a method that makes a stream, and the type of the stream:
//
//	func (qp *QP) Stream() (*QPStream, error)
func (e *emitter) stream(g *goFile, v *model.Verb, m *model.Method) {
	name, asks := m.Recv+m.Name, v.Stream.Asks
	c := e.newCall(v, m, []string{"*" + name}, fail{jen.Nil()})
	kind, open := jen.Lit(m.Recv), v.Part(form.PartOpen)
	asked := func() *jen.Statement { return conversion(asks.Go, id(c.self, "asked.Fields").Call()) }
	made := ref(id(name).Values(key("gate", ref(id(c.self, "gate"))), key("object", id("object")), key("asked", asked()),
		key(c.self, id(c.self))))
	c.out.doc = doc(m.Name, say("new stream", words{"Object": m.Recv}), v.C, v.Page, m.Doc)
	c.out.body = slices.Concat([]jen.Code{verbConst(v.C)}, c.pre, []jen.Code{c.zero.missingVerb(open, c.lib),
		c.zero.onErr(rt("dpath", "CheckAsked").Call(id(c.self, "asked"), id("verb"), kind, asked(), asked())),
		define("object").Add(raw(open, c.lib, id(c.self, "h.C"))),
		define("a").Add(rt("dpath", "Probe").Call(ref(id(c.self, "gate")))),
		gated(v, c.self+".gate", id("object"), conversion("uint64", asked()), jen.Nil(), memory("a")),
		c.zero.onErr(rt("dpath", "Lacks").Call(id("a"), id("verb"), kind, asked())),
		jen.Return(made, jen.Nil())})
	g.fn(c.out)
	g.structType(doc(name, say("stream", words{"Object": m.Recv}), v.C, v.Page), name,
		remark(param("gate", "*gate.Gate"), "of the "+m.Recv), param("object", pointer), param("asked", asks.Go), param(c.self, "*"+m.Recv))
	results := []jen.Code{param("posted", "int"), param("err", "error")}
	g.fn(fn{doc: doc("Post", say("Post", words{"Object": m.Recv}), v.C, v.Page), recv: recv("s", name), name: "Post",
		params: []jen.Code{param("b", "*dpath.SendBatch"), param("n", "int")}, results: results, short: true,
		body: []jen.Code{jen.Return(id("s.PostRange").Call(id("b.From").Call(jen.Lit(0), id("n"))))}})
	none := fail{jen.Lit(0)}
	g.fn(fn{doc: says("PostRange", nil), recv: recv("s", name), name: "PostRange", params: []jen.Code{param("r", "dpath.SendRange")},
		results: results, body: []jen.Code{
			none.neverMade("s.gate", v, name, m),
			declare("a", "dpath.Stream"),
			gated(v, "s.gate", id("s.object"), conversion("uint64", id("s.asked")),
				rt("dpath", "Begin").Call(id("r"), ref(id("a")), id("s.gate")), memory("a")),
			jen.If(rt("dpath", "Unfinished").Call(id("r"), ref(id("a")))).Block(
				rt("dpath", "End").Call(id("r"), ref(id("a"))),
				none.onErr(rt("dpath", "NotAsked").Call(ref(id("a")), jen.Lit(v.C), kind, id("s.asked"))),
				define("posted", "errno").Add(id("a.Posted").Call()),
				fail{id("posted")}.refuse(op(id("errno"), "!=", jen.Lit(0)), id("s.failed").Call(id("r"), id("errno")))),
			id("s.hint").Call(id("r")),
			jen.Return(id("r.Len").Call(), jen.Nil())}})
	g.onceErrors("err"+v.Go, v.C, m.Recv)
}

// neverMade refuses a stream or a reader whose field is nil, since the method of a handle has not made it.
func (f fail) neverMade(field string, v *model.Verb, typ string, by *model.Method) *jen.Statement {
	recv, _, _ := strings.Cut(field, ".")
	return f.refuse(op(isNil(id(recv)), "||", isNil(id(field))),
		rt("fail", "NilValue").Call(jen.Lit(v.C), jen.Lit(typ), jen.Lit("make one with "+by.Recv+"."+by.Name)))
}
