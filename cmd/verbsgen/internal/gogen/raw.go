package gogen

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/cgen"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// crossing is the Go function that calls C for a verb.
type crossing struct {
	verb   *model.Verb
	params []cgen.Param
	answer *answer // nil where the call cannot fail
	result string  // Go type of a value that cannot fail
	serial bool    // calls of the library run one after another, and no caller sees to it
}

// crossings are the functions that cross into C: all but those that a package under runtime/ calls.
func (e *emitter) crossings() (out []crossing) {
	for _, v := range e.pkg.Verbs {
		if cgen.Crosses(v) {
			out = append(out, e.crossing(v))
		}
	}
	return out
}

func (e *emitter) crossing(v *model.Verb) crossing {
	params, err := e.types.Params(v)
	if err != nil {
		e.errorf(v.C+"."+params[len(params)-1].C, "%v", err)
	}
	c := crossing{verb: v, params: params}
	if v.Reads != nil || v.Stream != nil || v.View != nil {
		return c
	}
	c.answer, c.serial = answerOf(v), e.pkg.Module.Serial && !e.readsRecords(v) && !e.mayWait(v)
	if v.Returns == spec.RetValue {
		c.result = pointer
		if !strings.HasSuffix(v.CRet, "*") {
			c.result = e.integer(v.C, v.CRet)
		}
	}
	return c
}

// inC is a type, or a function, of C: C.uint32_t.
func inC(name string) *jen.Statement { return jen.Id("C").Dot(name) }

// crossed is a parameter as it is handed to C.
func crossed(p cgen.Param) *jen.Statement {
	x := id(p.Go)
	switch {
	case p.Memory:
		return jen.Parens(jen.Op("*").Add(inC("uint8_t"))).Call(x)
	case p.Type == pointer:
		return inC("uintptr_t").Call(jen.Uintptr().Call(x))
	}
	return inC(p.Type + "_t").Call(x)
}

// rawFunc is a raw function without its body.
func rawFunc(c crossing) (f fn) {
	switch {
	case c.answer != nil:
		f.results = types(c.answer.types...)
	case c.result != "":
		f.results = types(c.result)
	}
	for _, p := range c.params {
		f.params = append(f.params, param(p.Go, p.Type))
	}
	return f
}

// rawFile writes the crossing: the one file that imports C.
func (e *emitter) rawFile() *goFile {
	g := e.newFile("raw.gen.go")
	g.f.HeaderComment("//go:build " + cgen.Constraint)
	pre := []string{"#include \"shims.gen.h\""}
	for _, c := range e.crossings() {
		name := e.prefix + "_" + c.verb.C
		if !c.verb.Callbacks { // what may run Go may move the stack that an argument lies on
			pre = append(pre, "#cgo noescape "+name, "#cgo nocallback "+name)
		}
	}
	for _, line := range pre {
		g.f.CgoPreamble("// " + line)
	}
	g.decl("// haveC is true if the package was built with its C code.", jen.Const().Id("haveC").Op("=").True())
	e.layoutGuards(g)
	for _, c := range e.crossings() {
		body := e.rawBody(c)
		if c.serial {
			body = append([]jen.Code{lock("serial")}, body...)
		}
		f := rawFunc(c)
		f.name, f.body = "raw"+c.verb.Go, body
		g.fn(f)
	}
	return g
}

// layoutGuards makes lines that do not compile when a mirror has not the size of C's struct:
//
//	_ = [1]struct{}{}[unsafe.Sizeof(cSGE{})-16]
func (e *emitter) layoutGuards(g *goFile) {
	var guards []jen.Code
	guard := func(name string, size int64) {
		zero := rt("unsafe", "Sizeof").Call(id(name).Values()).Op("-").Add(dec(uint64(size)))
		guards = append(guards, id("_").Op("=").Index(jen.Lit(1)).Struct().Values().Index(zero))
	}
	for _, m := range e.pkg.Mirrors {
		guard(m.Name, m.Size)
	}
	for _, v := range e.pkg.Verbs {
		if v.Reads != nil {
			guard(v.Reads.Go, v.Reads.Size)
		}
	}
	if len(guards) > 0 {
		g.decl("// Sizes of the mirrors, and of what readers fill. A line that does not compile names the one that differs from C's.",
			jen.Var().Defs(guards...))
	}
}

// rawBody calls the C function and sorts its answer:
//
//	p, err := C.vg_ibv_x(C.uintptr_t(fn0))
//	return cmem.OrErrno(p, err)
func (e *emitter) rawBody(c crossing) []jen.Code {
	var passed []jen.Code
	for _, p := range c.params {
		passed = append(passed, crossed(p))
	}
	call := inC(e.prefix + "_" + c.verb.C).Add(args(passed...))
	n := jen.Int().Call(id("n"))
	switch says := c.answer; {
	case says == nil && c.result == "":
		return []jen.Code{call}
	case says == nil:
		return []jen.Code{jen.Return(goType(c.result).Call(call))}
	case says == byErrno:
		return []jen.Code{jen.Return(goType(errnoType).Call(call))}
	case says == byNegated:
		return []jen.Code{jen.Return(rt("cmem", says.sorts).Call(jen.Int().Call(call)))}
	case says == byPointer:
		return []jen.Code{define("p", "err").Add(call), jen.Return(rt("cmem", says.sorts).Call(id("p"), id("err")))}
	default:
		return []jen.Code{define("n", "err").Add(call), jen.Return(rt("cmem", says.sorts).Call(n, id("err")))}
	}
}

// rawStubFile writes the same functions as variables that are nil, for builds without the C side: no handle can exist there, so that none
// is called.
//
//	var (
//		rawAllocPD func(uintptr, unsafe.Pointer) (unsafe.Pointer, syscall.Errno)
//	)
func (e *emitter) rawStubFile() *goFile {
	g := e.newFile("raw_none.gen.go")
	g.f.HeaderComment("//go:build !(" + cgen.Constraint + ")")
	g.decl("// haveC is true if the package was built with its C code. Without it LoadFrom returns an error, "+
		"and no function of C is ever called.",
		jen.Const().Id("haveC").Op("=").False())
	var stubs []jen.Code
	for _, c := range e.crossings() {
		f := rawFunc(c)
		for i, p := range c.params {
			f.params[i] = goType(p.Type)
		}
		stubs = append(stubs, id("raw"+c.verb.Go).Func().Add(f.signature()))
	}
	g.decl("", jen.Var().Defs(stubs...))
	return g
}
