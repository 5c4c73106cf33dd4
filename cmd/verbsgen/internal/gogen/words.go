package gogen

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file is the vocabulary in which the writers write Go: expressions and statements that return jennifer's, each with the
// Go that it makes as its comment. A *jen.Statement changes when something is chained to it, so these functions chain to copies.

// rt is a name of a package in imports: rt("fail", "Failed") makes fail.Failed.
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

// pointer is the type of an address of C.
const pointer = "unsafe.Pointer"

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

// methodOf is a method of a type as a function: (*AHAttr).to.
func methodOf(typ, name string) *jen.Statement { return jen.Parens(ptr(typ)).Dot(name) }

// ref takes an address: &x.
func ref(x jen.Code) *jen.Statement { return jen.Op("&").Add(x) }

// digits is a number that is written as given.
func digits(text string) *jen.Statement { return jen.Id(text) }

// inHex is a number in hex: 0x1f.
func inHex(v uint64) *jen.Statement { return digits("0x" + strconv.FormatUint(v, 16)) }

// dec is a number in decimal.
func dec(v uint64) *jen.Statement { return digits(strconv.FormatUint(v, 10)) }

// op joins two expressions by an operator: a == b.
func op(a jen.Code, operator string, b jen.Code) *jen.Statement {
	return jen.Add(a).Op(operator).Add(b)
}

// conversion makes T(x), and (*T)(x) of a pointer type.
func conversion(typ string, x jen.Code) *jen.Statement {
	if typ[0] == '*' {
		return jen.Parens(goType(typ)).Call(x)
	}
	return goType(typ).Call(x)
}

// converted converts unless the type is that already: uint32(x).
func converted(to, from string, x *jen.Statement) *jen.Statement {
	if to == from {
		return x
	}
	return conversion(to, x)
}

// What methods often do with a variable.
func wide(path string) *jen.Statement   { return conversion("uint64", id(path)) }
func memory(path string) *jen.Statement { return conversion(pointer, ref(id(path))) }
func array(path string) *jen.Statement {
	return conversion(pointer, rt("unsafe", "SliceData").Call(id(path)))
}
func length(typ, path string) *jen.Statement { return conversion(typ, jen.Len(id(path))) }

// cField is a field of a C object: (*cQP)(qp.h.C).state.
func cField(o *model.Object, path, c string) *jen.Statement {
	return conversion("*"+o.Mirror.Name, id(path)).Dot(o.Mirror.Find(c).Go)
}

// cNumber is such a field as a number, also of a pointer.
func cNumber(o *model.Object, path, c string) *jen.Statement {
	x := cField(o, path, c)
	if o.Mirror.Find(c).GoType == pointer {
		return conversion("uintptr", x)
	}
	return x
}

// cAt is a value in memory of C at an offset: cmem.At[uint32](wr.Request, 28).
func cAt(typ, path string, at int64) *jen.Statement {
	return rt("cmem", "At").Types(goType(typ)).Call(id(path), dec(uint64(at)))
}

// cOf is a C object as C takes it: its address, or the int that it is, which lies there.
func cOf(o *model.Object, at *jen.Statement) *jen.Statement {
	if o.Int() {
		return rt("cmem", "At").Types(goType("int32")).Call(at, dec(0))
	}
	return at
}

// An input of rules is an address, or a value that may be unknown.
func addrOf(path string) *jen.Statement { return rt("fail", "Addr").Call(id(path)) }
func known(x jen.Code) *jen.Statement   { return rt("fail", "Sure").Call(conversion("uint64", x)) }

// define declares and assigns: a, b := x.
func define(names ...string) *jen.Statement {
	var ids []jen.Code
	for _, n := range names {
		ids = append(ids, jen.Id(n))
	}
	return jen.List(ids...).Op(":=")
}

// declare declares a variable: var a T.
func declare(name, typ string) *jen.Statement { return jen.Var().Add(param(name, typ)) }

// assign stores x: to = x.
func assign(to jen.Code, x jen.Code) *jen.Statement { return op(to, "=", x) }

// until calls a function when the method returns: defer x().
func until(path string) *jen.Statement { return jen.Defer().Add(id(path).Call()) }

// all are statements as one.
func all(statements ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Separator: "\n"}, statements...)
}

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

// few entries, arguments or operands stand on one line, more have a line each.
const few = 4

// values is a literal, with one entry a line where it has many.
func values(entries ...jen.Code) *jen.Statement {
	if len(entries) > few {
		return lines(entries...)
	}
	return jen.Values(entries...)
}

// args are the arguments of a call, or parameters, one a line where there are many.
func args(list ...jen.Code) *jen.Statement {
	if len(list) > few {
		return argLines(list...)
	}
	return jen.Params(list...)
}

// argLines are arguments with one a line.
func argLines(list ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, list...)
}

// join joins operands by an operator, if need be with one a line: a || b.
func join(operator string, broken bool, operands ...jen.Code) *jen.Statement {
	s := jen.Add(operands[0])
	for _, x := range operands[1:] {
		if s.Op(operator); broken {
			s.Line()
		}
		s.Add(x)
	}
	return s
}

// short is a body on one line: { return x }.
func short(body ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{ ", Close: " }", Separator: "; "}, body...)
}

// remark puts a comment behind a statement: x // text.
func remark(x *jen.Statement, text string) *jen.Statement { return x.Clone().Comment("// " + text) }

func isNil(x jen.Code) *jen.Statement  { return op(x, "==", jen.Nil()) }
func notNil(x jen.Code) *jen.Statement { return op(x, "!=", jen.Nil()) }

// fail is what a method returns with an error: the zero values of its other results.
type fail []jen.Code

// with returns an error: return nil, err.
func (f fail) with(err jen.Code) *jen.Statement {
	return jen.Return(append(append([]jen.Code{}, f...), err)...)
}

// refuse returns an error under a condition:
//
//	if when {
//		return nil, err
//	}
func (f fail) refuse(when, err jen.Code) *jen.Statement { return jen.If(when).Block(f.with(err)) }

// onErr makes a call that returns an error alone, and returns that:
//
//	if err := x; err != nil {
//		return nil, err
//	}
func (f fail) onErr(x jen.Code) *jen.Statement {
	return jen.If(define("err").Add(x), notNil(id("err"))).Block(f.with(id("err")))
}

// try makes a call that returns a value and an error, and returns the error:
//
//	into, err := x
//	if err != nil {
//		return nil, err
//	}
func (f fail) try(into string, x jen.Code) *jen.Statement {
	return all(define(into, "err").Add(x), f.ifErr())
}

// ifErr returns an error that a statement before left in err:
//
//	if err != nil {
//		return nil, err
//	}
func (f fail) ifErr() *jen.Statement { return f.refuse(notNil(id("err")), id("err")) }

// enter begins the use of a handle until the method returns:
//
//	if err := pd.base().Enter(verb); err != nil {
//		return nil, err
//	}
//	defer pd.h.Exit()
func (f fail) enter(handle string) *jen.Statement {
	return all(f.onErr(id(handle, "base").Call().Dot("Enter").Call(id("verb"))), until(handle+".h.Exit"))
}

// nilValue refuses an argument that is nil and no handle:
//
//	if attr == nil {
//		return nil, fail.NilValue(verb, "attr", "make one")
//	}
func (f fail) nilValue(name, what, fix string) *jen.Statement {
	return f.refuse(isNil(id(name)), rt("fail", "NilValue").Call(id("verb"), jen.Lit(what), jen.Lit(fix)))
}

// missing refuses a call when the loaded library has none of the functions:
//
//	if l.fn[symIbv_x] == 0 {
//		return nil, l.missing("ibv_x", symIbv_x)
//	}
func (f fail) missing(verb, lib string, symbols []*model.Symbol) *jen.Statement {
	absent := jen.Null()
	for i, s := range symbols {
		if i > 0 {
			absent.Op("&&")
		}
		absent.Add(op(fnAddr(id(lib), s.Name), "==", jen.Lit(0)))
	}
	return f.refuse(absent, id(lib, "missing").Call(jen.Lit(verb), id(symConst(symbols[0].Name))))
}

// missingVerb refuses a verb whose functions the loaded library lacks. Of the functions of a special any one is enough, and an op of the
// context may stand in for them all; then there is nothing to refuse. Nor is there where C answers, but for a Lib that was never loaded.
func (f fail) missingVerb(v *model.Verb, lib string) *jen.Statement {
	if len(v.Symbols()) == 0 || v.Special != nil && v.Special.Op || v.Answers() && lib != ownLib {
		return jen.Null()
	}
	return f.missing(v.C, lib, v.Symbols())
}

// verbConst names the verb for errors: const verb = "ibv_x".
func verbConst(c string) *jen.Statement { return jen.Const().Id("verb").Op("=").Lit(c) }

// raw calls the C side of a verb, with the addresses of its exported functions first: rawX(l.fn[symIbv_x], qp.h.C).
func raw(v *model.Verb, lib string, passed ...jen.Code) *jen.Statement {
	var all []jen.Code
	for _, s := range v.Symbols() {
		all = append(all, fnAddr(id(lib), s.Name))
	}
	return id("raw" + v.Go).Add(args(append(all, passed...)...))
}

// orZero replaces a nil receiver by a zero value: o = object.OrZero(o).
func orZero(recv string) *jen.Statement {
	return assign(id(recv), rt("object", "OrZero").Call(id(recv)))
}

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
	s.Add(args(f.params...))
	switch len(f.results) {
	case 0:
	case 1:
		s.Add(f.results[0])
	default:
		s.Params(f.results...)
	}
	return s
}

// function is a function as a value, with results of these types.
func function(results []jen.Code, body ...jen.Code) *jen.Statement {
	return fn{results: results, body: body}.code()
}

// types are results by their types.
func types(names ...string) (out []jen.Code) {
	for _, t := range names {
		out = append(out, goType(t))
	}
	return out
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

// field is a field of a struct, with a comment above it and another behind it, as far as these are not empty.
func field(name, typ, doc, behind string) jen.Code {
	f := param(name, typ)
	if behind != "" {
		f = remark(f, behind)
	}
	if doc != "" {
		f = all(jen.Comment(comment(sentence(doc))), f)
	}
	return f
}
