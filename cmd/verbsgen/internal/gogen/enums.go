package gogen

import (
	"fmt"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// enumsFile writes the flag and enum types with their constants.
func (e *emitter) enumsFile() *goFile {
	g := e.newFile("enums.gen.go")
	for _, t := range e.pkg.Enums {
		if !t.Untyped {
			e.enumType(g, t)
		}
		e.enumConsts(g, t)
		g.codes(t)
		switch {
		case len(t.Members) == 0 && t.C == "": // a number
		case t.Untyped:
		case t.Runtime != "": // where its String is
		default:
			g.enumString(t)
		}
	}
	return g
}

// goInt is the Go integer type under an enum.
func goInt(t *model.Enum) string {
	if t.Signed {
		return fmt.Sprintf("int%d", t.Bits)
	}
	return fmt.Sprintf("uint%d", t.Bits)
}

// enumType makes the type, which may be that of a runtime package: type MRAccess uint32, or type WCStatus = dpath.WCStatus.
func (e *emitter) enumType(g *goFile, t *model.Enum) {
	does := "is an enum"
	if t.Doc != "" {
		does = "is " + model.Lower(t.Doc)
	}
	is := id(goInt(t))
	if t.Runtime != "" {
		is = jen.Op("=").Add(rt(t.Runtime, t.Go))
	}
	g.decl(doc(t.Go, does, t.C, t.Page), jen.Type().Id(t.Go).Add(is))
}

// enumConsts makes the constants:
//
//	const (
//		// Local writes.
//		MRAccessLocalWrite MRAccess = 0x1 // IBV_ACCESS_LOCAL_WRITE
//	)
func (e *emitter) enumConsts(g *goFile, t *model.Enum) {
	if len(t.Members) == 0 && t.C == "" {
		return
	}
	var consts []jen.Code
	for _, m := range t.Members {
		if m.Doc != "" || m.Since != "" {
			text := sentence(m.Doc)
			if m.Since != "" {
				text += " Since rdma-core " + m.Since + "."
			}
			consts = append(consts, jen.Comment(comment(text)))
		}
		name := param(m.Go, t.Go)
		if t.Untyped {
			name = id(m.Go)
		}
		consts = append(consts, remark(name.Op("=").Add(enumValue(t, m.Value)), m.C))
	}
	about := "// Constants of " + t.Go + "."
	if t.Untyped && t.Doc != "" {
		about = comment(sentence(t.Doc))
	}
	g.decl(about, jen.Const().Defs(consts...))
}

// enumValue returns flags in hex and values in decimal.
func enumValue(t *model.Enum, v int64) *jen.Statement {
	if t.Flags {
		return inHex(uint64(v))
	}
	return digits(strconv.FormatInt(v, 10))
}

// enumString makes the names of the values of an enum or of flags, and its text:
//
//	var mrAccessNames = []fail.Flag{{Bits: 0x1, Name: "LOCAL_WRITE"}}
//
//	func (v MRAccess) String() string { return fail.FlagText(uint64(v), mrAccessNames) }
func (g *goFile) enumString(t *model.Enum) {
	names := model.Unexported(t.Go) + "Names"
	var all []jen.Code
	for _, m := range t.Members {
		if !m.Alias {
			bits := enumValue(t, m.Value)
			if m.Value < 0 {
				bits = inHex(uint64(m.Value))
			}
			all = append(all, flagName(bits, m.Short))
		}
	}
	doc := "// String returns the C name without its prefix."
	text := rt("fail", "EnumText").Call(jen.Lit(t.Go), jen.Int64().Call(id("v")), id(names))
	if t.Flags {
		doc = "// String returns the C names without their prefix, joined by |, and the value in hex."
		text = rt("fail", "FlagText").Call(jen.Uint64().Call(id("v")), id(names))
	}
	g.decl("", jen.Var().Id(names).Op("=").Index().Add(rt("fail", "Flag"), values(all...)))
	g.fn(fn{doc: doc, recv: param("v", t.Go), name: "String", results: []jen.Code{jen.String()}, short: true,
		body: []jen.Code{jen.Return(text)}})
}

// codes writes the conversions of a type whose values stand for a size or a time:
//
//	func (v MTU) Bytes() int { return cmem.MTUBytes(uint32(v)) }
//
//	func MTUOf(bytes int) (MTU, error)
func (g *goFile) codes(t *model.Enum) {
	k := form.FindCode(t.Code)
	if k == nil {
		return
	}
	g.fn(fn{doc: doc(k.Method, k.Does, "", ""), recv: param("v", t.Go), name: k.Method, results: types(k.Is), short: true,
		body: []jen.Code{jen.Return(rt("cmem", k.To).Call(conversion(k.Takes, id("v"))))}})
	if k.From != "" {
		zero := fail{jen.Lit(0)}
		g.fn(fn{doc: doc(t.Go+"Of", k.FromDoc, "", ""), name: t.Go + "Of", params: []jen.Code{param(k.Arg, k.Is)}, results: types(t.Go, "error"),
			body: []jen.Code{zero.try("v", rt("cmem", k.From).Call(id(k.Arg))), jen.Return(conversion(t.Go, id("v")), jen.Nil())}})
	}
}

// texts writes how the values of a union are written as text, and read again:
//
//	func (v GID) String() string { return cmem.IPv6(v) }
//
//	func ParseGID(s string) (GID, error)
func (g *goFile) texts(u *model.Union) {
	k := form.FindText(u.Text)
	if k == nil {
		return
	}
	g.fn(fn{doc: doc("String", k.Does, "", ""), recv: param("v", u.Go), name: "String", results: types("string"), short: true,
		body: []jen.Code{jen.Return(rt("cmem", k.To).Call(id("v")))}})
	zero := fail{goType(u.Go).Values()}
	g.fn(fn{doc: doc("Parse"+u.Go, k.FromDoc, "", ""), name: "Parse" + u.Go, params: []jen.Code{param("s", "string")},
		results: types(u.Go, "error"),
		body: []jen.Code{zero.try("v", rt("cmem", k.From).Call(jen.Lit(u.Go), id("s"))),
			jen.Return(conversion(u.Go, id("v")), jen.Nil())}})
}
