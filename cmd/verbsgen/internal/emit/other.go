package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// offers offers the handles and builders to the packages of other libraries:
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
func (g *goFile) offers(o plan.Offers) {
	source := jen.Func().Params(param("l", "*Lib")).Add(goType("dl.Source")).Add(short(jen.Return(id("l.src"))))
	body := []jen.Code{rt("bridge", "OfferLib").Call(source)}
	for _, h := range o.Handles {
		fill := jen.Nil()
		var fills []jen.Code
		if len(h.Owners) > 0 {
			var to, from []jen.Code
			for _, p := range h.Owners {
				among := rt("bridge", "Among").Types(goType(p.Type()[1:]))
				to, from = append(to, id("o", naming.Unexported(p.Name()))), append(from, among.Call(id("m")))
			}
			fills = append(fills, jen.List(to...).Op("=").List(from...))
		}
		fills = append(fills, printer{}.steps(h.Then)...)
		if len(fills) > 0 {
			fill = jen.Func().Params(param("o", "*"+h.Object), param("m", "*bridge.Made")).Add(short(fills...))
		}
		body = append(body, rt("bridge", "OfferHandle").Call(baseOf("*"+h.Object), id("new"+h.Object), fill))
	}
	for _, name := range o.Attrs {
		body = append(body, rt("bridge", "OfferAttr").Call(jen.Lit(name), jen.Parens(ptr(name)).Dot("lend")))
	}
	for _, r := range o.Changed {
		failed := jen.Nil()
		if plan.KeepsError(r) {
			failed = id("a.err")
		}
		at := func(field string) *jen.Statement { return rt("unsafe", "Pointer").Call(ref(id("a", field))) }
		results := []jen.Code{jen.List(id("c"), id("mask")).Add(goType("unsafe.Pointer")), id("err").Error()}
		memory := jen.Func().Params(param("a", "*"+r.Go)).Params(results...).
			Add(short(jen.Return(at("c"), at("mask"), failed)))
		body = append(body, rt("bridge", "OfferChanged").Call(jen.Lit(r.Go), memory))
	}
	for _, s := range o.Streams {
		lend := jen.Func().Params(param("s", "*"+s.Go)).Add(goType("bridge.Stream")).Add(short(jen.Return(
			rt("bridge", "Stream").Values(key("Gate", id("s.gate")), key("Object", id("s.object")), key("Handle", id("s", s.Of+".base").Call())))))
		body = append(body, rt("bridge", "OfferStream").Call(lend))
	}
	for _, name := range o.Filled {
		body = append(body, rt("bridge", "OfferFilled").Call(jen.Parens(ptr(name)).Dot("from")))
	}
	g.fn(fn{doc: says("offer", nil), name: "init", body: body})
}
