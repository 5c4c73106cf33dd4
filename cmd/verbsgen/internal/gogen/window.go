package gogen

import (
	"github.com/dave/jennifer/jen"

	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/special"
)

// This file has what requests need of the handles that they name: memory windows, whose keys change, and what they are bound to.

// named reports whether requests keep the address of the C object: that of a window, or of what it is bound to.
func (e *emitter) named(o *model.Object) bool {
	return slices.ContainsFunc(e.written, func(f *special.File) bool { return slices.Contains(f.Names, o.Go) })
}

// changing writes the methods that read and set a field that changes while the object lives:
//
//	func (mw *MW) RKey() uint32 { return cmem.Live[uint32](mw.base(), 16) }
//
//	func (mw *MW) SetRKey(rkey uint32) error
func (e *emitter) changing(g *goFile, o *model.Object, x *model.Getter) {
	self, c := e.self(o), "struct "+o.C+"."+x.C
	what := strings.TrimPrefix(x.Doc, "the ")
	at := []jen.Code{id(self, "base").Call(), dec(uint64(x.Offset))}
	does := "returns the " + what + ". It is 0 once the " + o.Go + " is closed"
	g.fn(fn{doc: doc(x.Go, does, c, o.Page), recv: recv(self, o.Go), name: x.Go, results: types(x.GoType),
		body: []jen.Code{jen.Return(rt("cmem", "Live").Call(at...))}})
	name := "Set" + x.Go
	does = say("set getter", words{"What": strings.SplitN(what, ";", 2)[0]})
	store := rt("cmem", "SetLive").Call(append(append([]jen.Code{jen.Lit(c)}, at...), id(naming.Local(x.C)))...)
	g.fn(fn{doc: doc(name, does, c, o.Page), recv: recv(self, o.Go), name: name, params: []jen.Code{param(naming.Local(x.C), x.GoType)},
		results: types("error"), body: []jen.Code{jen.Return(store)}})
}
