package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// This file has views: their type, that of their requests, and the functions that build requests or add to them.

// view writes a method that finds a view:
//
//	func (l *Lib) QPView(stream *verbs.QPStream) (*QPView, error)
func (e *emitter) view(g *goFile, v *model.Verb, m *model.Method) {
	x, p := v.View, v.Params[0]
	c := e.newCall(v, m, []string{"*" + x.Go}, fail{jen.Nil()})
	uses := c.uses(x.Of)
	c.out.params = []jen.Code{param(p.Go, "*"+x.Stream)}
	c.out.doc = c.doc(v.Doc, ruleList(v))
	c.out.body = slices.Concat([]jen.Code{verbConst(v.C)}, c.pre,
		[]jen.Code{c.zero.try("held", rt("bridge", "EnterStream").Call(ref(id(uses)), jen.Lit(p.C), id(p.Go)))}, c.supports(uses),
		[]jen.Code{define("x").Add(ref(id(x.Go).Values(key("lib", id(c.lib))))),
			jen.List(id("x.view.Of"), id("x.view.Handle"), id("x.view.Type")).Op("=").List(id("held.Gate"), id("held.Handle"), jen.Lit(x.Requests)),
			raw(v, c.lib, id("held.Object"), id("x.view.Memory").Call()),
			c.zero.refuse(jen.Op("!").Add(id("x.view.Found").Call()), rt("fail", "NoView").Call(id("verb"), jen.Lit(x.Go))),
			jen.Return(id("x"), jen.Nil())})
	c.write(g)
}

// viewFile writes the types of a view and of its requests.
func (e *emitter) viewFile(v *model.Verb) *goFile {
	x, m := v.View, v.Methods[0]
	g := e.newFile(strings.ToLower(x.Go) + ".gen.go")
	with := words{"Object": x.Go}
	g.structType(doc(x.Go, say("view", with), "struct "+x.C, v.Page), x.Go, param("lib", "*Lib"), param("view", "dpath.View"))
	never := op(isNil(id("x")), "||", jen.Op("!").Add(id("x.view.Found").Call()))
	g.fn(fn{doc: doc("WR", say("view WR", with), v.C, v.Page), recv: recv("x", x.Go), name: "WR",
		params:  []jen.Code{param("b", "*dpath.SendBatch"), param("i", "int")},
		results: []jen.Code{param("w", x.Requests), param("err", "error")},
		body: []jen.Code{verbConst(v.C),
			fail{id("w")}.refuse(never, rt("fail", "NilValue").Call(id("verb"), jen.Lit(x.Go), jen.Lit("make one with "+m.Recv+"."+m.Name))),
			assign(id("w.lib"), id("x.lib")),
			jen.List(id("w.SendWR"), id("w.more"), id("err")).Op("=").Add(id("x.view.More").Call(id("verb"), id("b"), id("i"))),
			jen.Return(id("w"), id("err"))}})
	g.structType(doc(x.Requests, say("view requests", with), "struct "+x.C, v.Page), x.Requests,
		goType("dpath.SendWR"), param("lib", "*Lib"), param("more", "dpath.More"))
	for i, k := range x.Commands {
		e.command(g, x, k, i)
	}
	return g
}

// supports refuses a stream of a device that the library is not for, where a function of the library fails for it or says so.
func (c *call) supports(uses string) []jen.Code {
	v := c.v.Part(form.PartSupports)
	if v == nil || len(v.Methods) == 0 || v.Params[0].Object == nil {
		return nil
	}
	root := rt("bridge", "Root").Types(goType(v.Params[0].Object.Type()[1:])).Call(ref(id(uses)), jen.Lit(c.v.View.Go))
	return []jen.Code{c.zero.try("dev", root), c.zero.onErr(id(uses, "Supported").Call(id(c.lib, v.Methods[0].Name).Call(id("dev"))))}
}

// command writes a method that adds a function of a view to a request:
//
//	func (w QPViewWR) RawWQE(wqe []byte) error
func (e *emitter) command(g *goFile, x *model.View, k *model.Command, at int) {
	c := &call{e: e, v: k.Verb, m: &model.Method{Recv: x.Requests, Name: k.Go}, self: "w", lib: "w.lib", in: map[string]jen.Code{},
		others: map[string]bool{}, out: fn{name: k.Go, recv: param("w", x.Requests), results: types("error")}}
	c.pre = []jen.Code{c.zero.onErr(id("w.more.Made").Call(id("verb"), jen.Lit(x.Requests), jen.Lit("take one with "+x.Go+".WR")))}
	if k.With != nil {
		c.pre = append(c.pre, c.zero.missing(k.C, c.lib, k.With.Symbols()))
	}
	add := []jen.Code{id("verb"), dec(uint64(at))}
	if k.Builds {
		c.out.params = []jen.Code{param("id", "uint64")}
	}
	for _, p := range k.Params[1:] {
		c.param(p)
		add = append(add, c.deferred(p, c.args[len(c.args)-1]))
	}
	var build []jen.Code
	if k.Builds {
		build = []jen.Code{id("w.more.Build").Call(id("id"))}
	}
	c.out.body = slices.Concat([]jen.Code{verbConst(k.C)}, c.pre, c.prep, build, []jen.Code{jen.Return(id("w.more.Add").Call(add...))})
	c.out.doc = c.doc(k.Doc, ruleList(k.Verb))
	g.fn(c.out)
}

// deferred is the argument of a call that a post makes.
func (c *call) deferred(p *model.Param, arg jen.Code) jen.Code {
	switch {
	case p.Object != nil && p.Object.From != nil:
		return rt("dpath", "Used").Call(jen.Lit(p.C), id(held(p)))
	case p.Object != nil:
		return rt("dpath", "Used").Call(jen.Lit(p.C), ref(id(p.Go+".h")))
	case p.Role == role.Slice || p.Role == role.Data:
		list := p.Go
		if p.Record != nil && p.Record.Runtime == "" {
			list += "C"
		}
		return rt("dpath", "ListOf").Call(id(list))
	case p.Role.Passes == role.PassesMemory:
		return rt("dpath", "Memory").Call(arg)
	}
	return rt("dpath", "Number").Call(arg)
}
