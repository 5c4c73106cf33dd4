package emit

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
)

// This file is the vocabulary in which the others write Go: expressions and statements that return jennifer's, each with the
// Go that it makes as its comment. A *jen.Statement changes when something is chained to it, so these functions chain to copies.

// rt is a name of a package in imports: rt("verr", "Failed") makes verr.Failed.
func rt(pkg, name string) *jen.Statement { return jen.Qual(imports[pkg], name) }

// id is an identifier, or selectors from one on: id("o", "dev", "lib") makes o.dev.lib. A name may itself be dotted.
func id(names ...string) *jen.Statement {
	first, rest, dotted := strings.Cut(names[0], ".")
	s := jen.Id(first)
	if dotted {
		s = selecting(s, rest)
	}
	return selecting(s, names[1:]...)
}

// dot selects from an expression: x.a.b.
func dot(x *jen.Statement, names ...string) *jen.Statement { return selecting(x.Clone(), names...) }

func selecting(s *jen.Statement, names ...string) *jen.Statement {
	for _, n := range names {
		for part := range strings.SplitSeq(n, ".") {
			s.Dot(part)
		}
	}
	return s
}

// goType is a type from its text in the model: "uint32", "*MR", "[64]byte", "[]byte", "dpath.WC", "...QPField", "func()",
// "atomic.Pointer[cDeviceAttr]", "example.com/gen/verbs.PD".
func goType(text string) *jen.Statement {
	switch {
	case strings.HasPrefix(text, "func"): // without parameters, and with one result at most
		if _, result, ok := strings.Cut(text, " "); ok {
			return jen.Func().Params().Add(goType(result))
		}
		return jen.Func().Params()
	case strings.HasPrefix(text, "..."):
		return jen.Op("...").Add(goType(text[3:]))
	case strings.HasPrefix(text, "*"):
		return ptr(text[1:])
	case strings.HasPrefix(text, "["):
		n, elem, _ := strings.Cut(text[1:], "]")
		if n == "" {
			return jen.Index().Add(goType(elem))
		}
		return jen.Index(digits(n)).Add(goType(elem))
	}
	if at := strings.LastIndexByte(text, '/'); at >= 0 { // of the package with this path
		path, name, _ := strings.Cut(text[at:], ".")
		return jen.Qual(text[:at]+path, name)
	}
	if name, of, ok := strings.Cut(text, "["); ok {
		return goType(name).Types(goType(strings.TrimSuffix(of, "]")))
	}
	if pkg, name, ok := strings.Cut(text, "."); ok {
		return rt(pkg, name)
	}
	return jen.Id(text)
}

// ptr is a pointer type: *T.
func ptr(t string) *jen.Statement { return jen.Op("*").Add(goType(t)) }

// ref takes an address: &x.
func ref(x jen.Code) *jen.Statement { return jen.Op("&").Add(x) }

// digits is a number that is written as given.
func digits(text string) *jen.Statement { return jen.Id(text) }

// inHex is a number in hex: 0x1f.
func inHex(v uint64) *jen.Statement { return digits("0x" + strconv.FormatUint(v, 16)) }

// dec is a number in decimal.
func dec(v uint64) *jen.Statement { return digits(strconv.FormatUint(v, 10)) }

// unsafePointer is the type unsafe.Pointer.
func unsafePointer() *jen.Statement { return rt("unsafe", "Pointer") }

// op joins two expressions by an operator: a == b.
func op(a jen.Code, operator string, b jen.Code) *jen.Statement {
	return jen.Add(a).Op(operator).Add(b)
}

// define declares and assigns: a, b := x.
func define(names ...string) *jen.Statement {
	var ids []jen.Code
	for _, n := range names {
		ids = append(ids, jen.Id(n))
	}
	return jen.List(ids...).Op(":=")
}

// assign stores x: to = x.
func assign(to jen.Code, x jen.Code) *jen.Statement { return op(to, "=", x) }

// param is a parameter, field, variable or constant with its type: name T.
func param(name, typ string) *jen.Statement { return jen.Id(name).Add(goType(typ)) }

// key is an entry of a literal: name: x.
func key(name string, x jen.Code) *jen.Statement { return jen.Id(name).Op(":").Add(x) }

// lines is a literal with one entry a line:
//
//	{
//		a,
//		b,
//	}
func lines(entries ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, entries...)
}

// short is a body on one line: { return x }.
func short(body ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{ ", Close: " }", Separator: "; "}, body...)
}

// remark puts a comment behind a statement: x // text.
func remark(x *jen.Statement, text string) *jen.Statement { return x.Clone().Comment("// " + text) }

// fail is what a method returns with an error: the zero values of its other results.
type fail []jen.Code

// with returns an error: return nil, err.
func (f fail) with(err jen.Code) *jen.Statement {
	return jen.Return(append(append([]jen.Code{}, f...), err)...)
}

// onErr makes a call that returns an error alone, and returns that:
//
//	if err := x; err != nil {
//		return nil, err
//	}
func (f fail) onErr(x jen.Code) *jen.Statement {
	return jen.If(define("err").Add(x), notNil(id("err"))).Block(f.with(id("err")))
}

// ifErr returns an error that a statement before left in err:
//
//	if err != nil {
//		return nil, err
//	}
func (f fail) ifErr() *jen.Statement {
	return jen.If(notNil(id("err"))).Block(f.with(id("err")))
}

func isNil(x jen.Code) *jen.Statement  { return op(x, "==", jen.Nil()) }
func notNil(x jen.Code) *jen.Statement { return op(x, "!=", jen.Nil()) }

// fn is a function or method in the making.
type fn struct {
	doc     string // comment, with its slashes
	recv    *jen.Statement
	name    string
	params  []jen.Code
	results []jen.Code
	body    []jen.Code
	short   bool // on one line
}

// recv is the receiver of a method: (o *T).
func recv(name, typ string) *jen.Statement { return param(name, "*"+typ) }

// fn adds a function.
func (g *goFile) fn(f fn) { g.decl(f.doc, f.code()) }

// code is the function without its comment; one without a name is a value.
func (f fn) code() *jen.Statement {
	if f.short {
		return jen.Func().Add(f.signature(), short(f.body...))
	}
	return jen.Func().Add(f.signature()).Block(f.body...)
}

// signature is the function without its comment and body.
func (f fn) signature() *jen.Statement {
	s := jen.Null()
	if f.recv != nil {
		s.Params(f.recv)
	}
	if f.name != "" {
		s.Id(f.name)
	}
	s.Params(f.params...)
	switch len(f.results) {
	case 0:
	case 1:
		s.Add(f.results[0])
	default:
		s.Params(f.results...)
	}
	return s
}

// decl adds a declaration below its comment.
func (g *goFile) decl(doc string, s *jen.Statement) {
	if doc != "" {
		g.f.Add(jen.Comment(doc))
	}
	g.f.Add(s)
	g.f.Line()
}

// structType adds a struct type. A nil among the fields is left out.
func (g *goFile) structType(doc, name string, fields ...jen.Code) {
	g.decl(doc, jen.Type().Id(name).Struct(fields...))
}

// errResult is the result list of a function that returns an error alone, or after others.
func errResult(before ...jen.Code) []jen.Code { return append(before, jen.Error()) }
