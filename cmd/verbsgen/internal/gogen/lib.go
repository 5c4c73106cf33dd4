package gogen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
)

// symConst names the place of a C function in the table of a Lib.
func symConst(c string) string {
	return "sym" + strings.ToUpper(c[:1]) + c[1:]
}

// fnAddr is the address of an exported function: l.fn[symIbv_x].
func fnAddr(lib *jen.Statement, c string) *jen.Statement {
	return dot(lib, "fn").Index(id(symConst(c)))
}

// libFile writes the loader and the table of symbols; the methods of Lib follow.
func (e *emitter) libFile() *goFile {
	g := e.newFile("lib.gen.go")
	e.symbolTable(g)
	e.libTypes(g)
	e.load(g)
	e.loadFrom(g)
	e.missingSymbol(g)
	if e.pkg.Module.Serial {
		g.decl("// serial has the calls of the library run one after another.", jen.Var().Id("serial").Add(rt("sync", "Mutex")))
	}
	return g
}

// symbolTable makes the functions looked up, and the constants of their places:
//
//	const (
//		symIbv_x = iota
//		numSymbols
//	)
//
//	var symbols = [numSymbols]dl.Symbol{{Name: "ibv_x", Version: "IBVERBS_1.1", Floor: true}}
func (e *emitter) symbolTable(g *goFile) {
	var places, rows []jen.Code
	for i, s := range e.pkg.Symbols {
		place := id(symConst(s.Name))
		if i == 0 {
			place.Op("=").Iota()
		}
		places = append(places, place)
		row := []jen.Code{key("Name", jen.Lit(s.Name)), key("Version", jen.Lit(s.Version))}
		switch {
		case s.Floor:
			row = append(row, key("Floor", jen.True()))
		case s.Since != "":
			row = append(row, key("Since", jen.Lit(s.Since)))
		}
		rows = append(rows, jen.Values(row...))
	}
	last := id("numSymbols")
	if len(places) == 0 {
		last.Op("=").Iota()
	}
	g.decl("// Places in the table of functions.", jen.Const().Defs(append(places, last)...))
	g.decl(says("symbols", e.own(words{})),
		jen.Var().Id("symbols").Op("=").Index(id("numSymbols")).Add(rt("dl", "Symbol")).Add(lines(rows...)))
}

// libTypes makes Symbols, Lib, LoadOption and Path.
func (e *emitter) libTypes(g *goFile) {
	name := e.pkg.Module.Short
	g.decl(says("Symbols", e.own(words{"Library": name})),
		jen.Type().Id("Symbols").Interface(jen.Id("Symbol").Params(jen.List(id("name"), id("version")).String()).Uintptr()))
	fields := []jen.Code{
		remark(param("src", "Symbols"), "kept alive: it owns the functions"),
		param("name", "string"),
		jen.Id("fn").Index(id("numSymbols")).Uintptr(),
		jen.Id("lints").Add(rt("fail", "Lints")),
	}
	if e.root() == "" && slices.ContainsFunc(e.pkg.Objects, e.indexed) {
		fields = append(fields, remark(param("handles", "object.Index"), "that events name, by the address of the C object"))
	}
	for _, u := range e.pkg.Module.Uses {
		fields = append(fields, remark(param(u.Name, "*"+u.Import+".Lib"), "whose objects it works with"))
	}
	g.structType(says("Lib", words{"Library": name}), "Lib", fields...)
	for _, name := range []string{"OnLint", "OnEveryLint"} {
		every := jen.Lit(name == "OnEveryLint")
		g.fn(fn{
			doc:  says(name, e.own(words{})),
			recv: recv("l", "Lib"), name: name, params: []jen.Code{id("f").Func().Params(jen.Op("*").Add(rt("verr", "Lint")))},
			body: []jen.Code{dot(rt("object", "OrZero").Call(id("l")), "lints.On").Call(id("f"), every)}, short: true,
		})
	}
	config := func() *jen.Statement { return jen.Func().Params(param("c", "*loadConfig")) }
	g.decl(says("LoadOption", nil), jen.Type().Id("LoadOption").Func().Params(ptr("loadConfig")))
	g.structType("", "loadConfig", param("path", "string"))
	g.fn(fn{
		doc:  says("Path", words{"Library": e.pkg.Module.Library}),
		name: "Path", params: []jen.Code{param("file", "string")}, results: []jen.Code{id("LoadOption")},
		body: []jen.Code{jen.Return(config().Add(short(assign(id("c.path"), id("file")))))}, short: true,
	})
}

// load makes Load:
//
//	func Load(opts ...LoadOption) (*Lib, error) {
//		var c loadConfig
//		for _, o := range opts {
//			if o != nil {
//				o(&c)
//			}
//		}
//		l, err := library.Open(c.path)
//		if err != nil {
//			return nil, err
//		}
//		return LoadFrom(l)
//	}
func (e *emitter) load(g *goFile) {
	none, name := fail{jen.Nil()}, e.pkg.Module.Short
	m := e.pkg.Module
	params, libs := e.usedLibs()
	body := []jen.Code{
		declare("c", "loadConfig"),
		jen.For(define("_", "o").Range().Id("opts")).Block(jen.If(notNil(id("o"))).Block(id("o").Call(ref(id("c"))))),
	}
	open, about := id("library").Dot("Open").Call(id("c.path")), ""
	if len(libs) > 0 {
		about = " " + say("Load with", nil)
		args := []jen.Code{id("c.path")}
		for i, lib := range libs {
			source := fmt.Sprintf("source%d", i)
			body = append(body, define(source, "err").Add(rt("bridge", "Source")).Call(lib), none.ifErr())
			args = append(args, id(source))
		}
		open = id("library").Dot("OpenOn").Call(args...)
	}
	body = append(body, define("l", "err").Add(open), none.ifErr(), jen.Return(id("LoadFrom").Call(append(libs, id("l"))...)))
	g.decl("// library is what Load looks for.", jen.Var().Id("library").Op("=").Add(rt("dl", "Module")).Values(
		key("Name", jen.Lit(m.Library)), key("Probe", jen.Lit(m.Probe)), key("Install", jen.Lit(m.Install))))
	g.fn(fn{
		doc:  comment(say("Load", words{"Library": name}) + about),
		name: "Load", params: append(params, id("opts").Op("...").Id("LoadOption")), results: types("*Lib", "error"),
		body: body,
	})
}

// usedLibs are the loaded libraries that the package works with: parameters, and their values.
func (e *emitter) usedLibs() (params, values []jen.Code) {
	for _, u := range e.pkg.Module.Uses {
		params = append(params, param(u.Name+"Lib", "*"+u.Import+".Lib"))
		values = append(values, id(u.Name+"Lib"))
	}
	return params, values
}

// loadFrom makes LoadFrom, which takes other libraries first, as Load does:
//
//	func LoadFrom(s Symbols) (*Lib, error) {
//		if !haveC {
//			return nil, dl.NoC()
//		}
//		l := &Lib{src: s}
//		var err error
//		if l.name, err = dl.Lookup(s, symbols[:], l.fn[:]); err != nil {
//			return nil, err
//		}
//		return l, nil
//	}
func (e *emitter) loadFrom(g *goFile) {
	none := fail{jen.Nil()}
	all := func(array string) *jen.Statement { return id(array).Index(jen.Op(":")) }
	params, libs := e.usedLibs()
	fields := []jen.Code{key("src", id("s"))}
	body := []jen.Code{jen.If(jen.Op("!").Id("haveC")).Block(none.with(rt("dl", "NoC").Call()))}
	for i, u := range e.pkg.Module.Uses {
		fields = append(fields, key(u.Name, libs[i]))
		body = append(body, jen.If(define("_", "err").Add(rt("bridge", "Source")).Call(libs[i]), notNil(id("err"))).Block(none.with(id("err"))))
	}
	lookup := jen.List(id("l.name"), id("err")).Op("=").Add(rt("dl", "Lookup")).Call(id("s"), all("symbols"), all("l.fn"))
	g.fn(fn{
		doc:  says("LoadFrom", e.own(words{})),
		name: "LoadFrom", params: append(params, param("s", "Symbols")), results: types("*Lib", "error"),
		body: append(body,
			define("l").Op("&").Id("Lib").Values(fields...),
			jen.Var().Id("err").Error(),
			jen.If(lookup, notNil(id("err"))).Block(none.with(id("err"))),
			jen.Return(id("l"), jen.Nil())),
	})
}

// missingSymbol makes the error of a function that the library lacks:
//
//	func (l *Lib) missing(verb string, sym int) error {
//		if l.src == nil {
//			return fail.NeverOpened(verb, "Lib")
//		}
//		return symbols[sym].Missing(verb, l.name)
//	}
func (e *emitter) missingSymbol(g *goFile) {
	g.fn(fn{
		doc:  says("missing", nil),
		recv: recv("l", "Lib"), name: "missing", params: []jen.Code{param("verb", "string"), param("sym", "int")}, results: types("error"),
		body: []jen.Code{jen.If(isNil(id("l.src"))).Block(jen.Return(rt("fail", "NeverOpened").Call(id("verb"), jen.Lit("Lib")))),
			jen.Return(id("symbols").Index(id("sym")).Dot("Missing").Call(id("verb"), id("l.name")))},
	})
}
