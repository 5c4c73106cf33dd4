package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// code makes the conversions of a type whose values stand for something else:
//
//	func (v Timeout) Duration() time.Duration { return codes.Timeout(uint8(v)) }
//
//	func TimeoutOf(d time.Duration) (Timeout, error) {
//		v, err := codes.TimeoutOf(d)
//		return Timeout(v), err
//	}
func (e *emitter) code(g *goFile, t *model.Enum) {
	k := form.FindCode(t.Code)
	if k == nil {
		return
	}
	g.fn(fn{
		doc: doc(k.Method, k.Does, "", ""), recv: param("v", t.Go), name: k.Method, results: []jen.Code{goType(k.Is)},
		body: []jen.Code{jen.Return(rt("codes", k.To).Call(id(k.Takes).Call(id("v"))))}, short: true,
	})
	if k.From == "" {
		return
	}
	name := t.Go + "Of"
	g.fn(fn{
		doc: doc(name, k.FromDoc, "", ""), name: name, params: []jen.Code{param(k.Arg, k.Is)}, results: errResult(id(t.Go)),
		body: []jen.Code{define("v", "err").Add(rt("codes", k.From)).Call(id(k.Arg)), jen.Return(id(t.Go).Call(id("v")), id("err"))},
	})
}
