package gogen

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// closes writes the methods that end and name a handle, and the way out to other C code:
//
//	func (o *MR) Close() error { return o.base().Close() }
func (e *emitter) closes(g *goFile, h handle) {
	face := func(name, does, c, page string, result jen.Code) {
		g.fn(fn{doc: doc(name, does, c, page), recv: recv(h.recv, h.Go), name: name, results: []jen.Code{result}, short: true,
			body: []jen.Code{jen.Return(id(h.recv, "base").Call().Dot(name).Call())}})
	}
	with := words{"Object": h.Go, "C": h.C, "Ends": strings.TrimSuffix(h.Destroy.Doc, ".")}
	does := say("Close", with)
	if e.below(h.Object) && e.noticesGone() || elsewhere(h.Object) {
		does += " " + say("Close gone", nil)
	}
	face("Close", does, h.Destroy.C, h.Destroy.Page, jen.Error())
	if e.isParent(h.Object) {
		face("CloseAll", say("CloseAll", with), "", "", jen.Error())
	}
	face("String", say("handle string", with), "", "", jen.String())
	face("LogValue", say("handle log value", with), "", "", rt("slog", "Value"))
	var result jen.Code = goType(pointer)
	name, does := "CPtr", say("CPtr", with)
	if h.Int() {
		name, result, does = "CInt", jen.Int(), "returns the number of the "+h.Go+" in C, for your own code; -1 after Close. "+
			"Calls made with it are not checked, and Close does not wait for them"
	}
	var begin []jen.Code // other C code may set what calls mark
	for _, prop := range markedProps(h.Object) {
		if !e.born(h.Object, prop) {
			begin = append(begin, id(h.recv, model.Local(prop), "Begin").Call())
		}
	}
	if len(begin) == 0 {
		face(name, does, h.CType(), h.Page, result)
		return
	}
	g.fn(fn{doc: doc(name, does, h.CType(), h.Page), recv: recv(h.recv, h.Go), name: name, results: []jen.Code{result},
		body: []jen.Code{jen.If(notNil(id(h.recv))).Block(begin...), jen.Return(id(h.recv, "base").Call().Dot(name).Call())}})
}

// destroyCall calls a verb that destroys o, or detaches it, with its arguments. The kernel has destroyed all that was made on a device
// that was taken away.
func (e *emitter) destroyCall(o *model.Object, d *model.Verb, gone bool, args ...jen.Code) []jen.Code {
	self := e.self(o)
	explained := failure{verb: d.C, gone: gone, causes: d.Causes}
	if e.below(o) && e.noticesGone() {
		explained.spare = self + ".dev." + goneFunc
	} else if elsewhere(o) {
		explained.spare = self + ".h.Lost"
	}
	call := fail(nil).call("", raw(d, self+".lib", args...), endAnswer(d), explained)
	return append([]jen.Code{fail(nil).missingVerb(d, self+".lib")}, call...)
}

// endArgs are the arguments of a verb that ends o: it, and what it was made from.
func (e *emitter) endArgs(o *model.Object, d *model.Verb) (out []jen.Code) {
	self := e.self(o)
	for _, p := range d.Params {
		switch parent := p.Object; {
		case parent == nil || parent == o:
			out = append(out, cOf(parent, id(self, "h.C")))
		case parent.From != nil: // it may be about to close, and must not be entered
			out = append(out, cOf(parent, rt("bridge", "C").Call(id(self, model.Unexported(parent.Name())))))
		case parent.Go == e.root():
			out = append(out, cOf(parent, id(self, "dev.h.C")))
		default:
			out = append(out, cOf(parent, id(self, model.Unexported(parent.Name()), "base").Call().Dot("C")))
		}
	}
	return out
}

// endsOf are the verbs beside that of Close which end an object, or may end it at the program's choice, in the order of the header.
func (e *emitter) endsOf(o *model.Object) (out []*model.Verb) {
	for _, v := range e.pkg.Verbs {
		named := slices.ContainsFunc(v.Methods, func(m *model.Method) bool { return m.Form == form.End && m.Recv == o.Go })
		after := slices.ContainsFunc(e.pkg.Verbs, func(w *model.Verb) bool { return w.Creates == o && w.EndedBy == v })
		if named || after {
			out = append(out, v)
		}
	}
	return out
}

// ends writes the methods that end a C object: that of its page, and those of the others:
//
//	func (mr *MR) deregMR() error
func (e *emitter) ends(g *goFile, o *model.Object) {
	verbs := e.endsOf(o)
	if !slices.Contains(verbs, o.Destroy) {
		verbs = append([]*model.Verb{o.Destroy}, verbs...)
	}
	for _, v := range verbs {
		name := model.Unexported(v.Go)
		body := append(e.destroyCall(o, v, o.Device && v == o.Destroy, e.endArgs(o, v)...), jen.Return(jen.Nil()))
		g.fn(fn{doc: says("end", words{"Name": name, "Verb": v.C}), recv: recv(e.self(o), o.Go), name: name, results: types("error"), body: body})
	}
}

// end writes a method that closes a handle by its verb, whatever made the object. What the object was made of is kept for good where the
// verb leaves it in the kernel:
//
//	func (mr *MR) Unimport() error { return mr.base().CloseBy("ibv_unimport_mr", mr.unimportMR, true) }
func (e *emitter) end(g *goFile, v *model.Verb, m *model.Method) {
	o := v.Params[slices.IndexFunc(v.Params, func(p *model.Param) bool { return p.Object != nil && p.Object.Go == m.Recv })].Object
	self := e.self(o)
	by := id(self, "base").Call().Dot("CloseBy").Call(jen.Lit(v.C), id(self, model.Unexported(v.Go)), jen.Lit(v != o.Destroy))
	results, zero := e.results(v, m)
	g.fn(fn{doc: e.newCall(v, m, results, zero).doc(v.Doc, ruleList(v)), recv: recv(self, o.Go), name: m.Name, results: types("error"),
		short: true, body: []jen.Code{jen.Return(by)}})
}
