package gogen

import (
	"github.com/dave/jennifer/jen"

	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
)

// This file has how C objects end: by the verb of their page, by the verb that goes with how they were made, or by one that the
// program chooses.

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
		name := naming.Unexported(v.Go)
		body := append(e.destroyCall(o, v, o.Device && v == o.Destroy), jen.Return(jen.Nil()))
		g.fn(fn{doc: says("end", words{"Name": name, "Verb": v.C}), recv: recv(e.self(o), o.Go), name: name, results: types("error"), body: body})
	}
}

// end writes a method that closes a handle by its verb, whatever made the object. What the object was made of is kept for good where the
// verb leaves it in the kernel:
//
//	func (mr *MR) Unimport() error { return mr.base().CloseBy("ibv_unimport_mr", mr.unimportMR, true) }
func (e *emitter) end(g *goFile, v *model.Verb, m *model.Method) {
	o := v.Params[0].Object
	self := e.self(o)
	by := id(self, "base").Call().Dot("CloseBy").Call(jen.Lit(v.C), id(self, naming.Unexported(v.Go)), jen.Lit(v != o.Destroy))
	results, zero := e.results(v, m)
	g.fn(fn{doc: e.newCall(v, m, results, zero).doc(v.Doc, ruleList(v)), recv: recv(self, o.Go), name: m.Name, results: types("error"),
		short: true, body: []jen.Code{jen.Return(by)}})
}
