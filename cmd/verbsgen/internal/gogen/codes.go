package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// codes writes the conversions of a type whose values stand for a size or a time:
//
//	func (v MTU) Bytes() int { return codes.MTUBytes(uint32(v)) }
//
//	func MTUOf(bytes int) (MTU, error)
func (g *goFile) codes(t *model.Enum) {
	k := form.FindCode(t.Code)
	if k == nil {
		return
	}
	g.fn(fn{doc: doc(k.Method, k.Does, "", ""), recv: param("v", t.Go), name: k.Method, results: types(k.Is), short: true,
		body: []jen.Code{jen.Return(rt("codes", k.To).Call(conversion(k.Takes, id("v"))))}})
	if k.From != "" {
		zero := fail{jen.Lit(0)}
		g.fn(fn{doc: doc(t.Go+"Of", k.FromDoc, "", ""), name: t.Go + "Of", params: []jen.Code{param(k.Arg, k.Is)}, results: types(t.Go, "error"),
			body: []jen.Code{zero.try("v", rt("codes", k.From).Call(id(k.Arg))), jen.Return(conversion(t.Go, id("v")), jen.Nil())}})
	}
}

// texts writes how the values of a union are written as text, and read again:
//
//	func (v GID) String() string { return codes.IPv6(v) }
//
//	func ParseGID(s string) (GID, error)
func (g *goFile) texts(u *model.Union) {
	k := form.FindText(u.Text)
	if k == nil {
		return
	}
	g.fn(fn{doc: doc("String", k.Does, "", ""), recv: param("v", u.Go), name: "String", results: types("string"), short: true,
		body: []jen.Code{jen.Return(rt("codes", k.To).Call(id("v")))}})
	zero := fail{goType(u.Go).Values()}
	g.fn(fn{doc: doc("Parse"+u.Go, k.FromDoc, "", ""), name: "Parse" + u.Go, params: []jen.Code{param("s", "string")},
		results: types(u.Go, "error"),
		body:    []jen.Code{zero.try("v", rt("codes", k.From).Call(jen.Lit(u.Go), id("s"))), jen.Return(conversion(u.Go, id("v")), jen.Nil())}})
}
