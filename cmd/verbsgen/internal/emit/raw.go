package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// constraint says where the C side can be.
const constraint = "linux && cgo && (amd64 || arm64)"

// inC is a type, or a function, of C: C.uint32_t.
func inC(name string) *jen.Statement { return jen.Id("C").Dot(name) }

// crossed is a parameter as it is handed to C.
func crossed(p plan.Cross) *jen.Statement {
	x := id(p.Name)
	switch {
	case p.Memory:
		return jen.Parens(jen.Op("*").Add(inC("uint8_t"))).Call(x)
	case p.Type == "unsafe.Pointer":
		return inC("uintptr_t").Call(jen.Uintptr().Call(x))
	}
	return inC(p.Type + "_t").Call(x)
}

// rawFunc is a raw function without its body.
func rawFunc(s *plan.Shim) (f fn) {
	errno := rt("syscall", "Errno")
	switch {
	case s.Answer == plan.Pointer:
		f.results = []jen.Code{unsafePointer(), errno}
	case s.Answer == plan.Errno || s.Answer == plan.Either:
		f.results = []jen.Code{errno}
	case s.Answer == plan.Negative || s.Answer == plan.Negated || s.Answer == plan.Code:
		f.results = []jen.Code{jen.Int(), errno}
	case s.Result != "":
		f.results = []jen.Code{goType(s.Result)}
	}
	for _, p := range s.Params {
		f.params = append(f.params, param(p.Name, p.Type))
	}
	return f
}

// rawFile writes the crossing: the one file that imports C.
func (e *emitter) rawFile() *goFile {
	g := e.newFile("raw.gen.go")
	g.f.HeaderComment("//go:build " + constraint)
	pre := []string{"#include \"shims.gen.h\""}
	for _, s := range e.plan.Shims {
		name := e.prefix + "_" + s.Verb.C
		if !s.Verb.Callbacks { // what may run Go may move the stack that an argument lies on
			pre = append(pre, "#cgo noescape "+name, "#cgo nocallback "+name)
		}
	}
	for _, line := range pre {
		g.f.CgoPreamble("// " + line)
	}
	g.decl("// haveC is true if the package was built with its C code.", jen.Const().Id("haveC").Op("=").True())
	e.layoutGuards(g)
	for _, s := range e.plan.Shims {
		body := e.rawBody(s)
		if s.Serial {
			body = append([]jen.Code{id("serial.Lock").Call(), jen.Defer().Id("serial").Dot("Unlock").Call()}, body...)
		}
		f := rawFunc(s)
		f.name, f.body = "raw"+s.Verb.Go, body
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
func (e *emitter) rawBody(s *plan.Shim) []jen.Code {
	var args []jen.Code
	for _, p := range s.Params {
		args = append(args, crossed(p))
	}
	call := inC(e.prefix + "_" + s.Verb.C).Call(args...)
	n := jen.Int().Call(id("n"))
	switch s.Answer {
	case plan.Pointer:
		return []jen.Code{define("p", "err").Add(call), jen.Return(rt("cmem", "OrErrno").Call(id("p"), id("err")))}
	case plan.Errno:
		return []jen.Code{jen.Return(rt("syscall", "Errno").Call(call))}
	case plan.Either:
		return []jen.Code{define("n", "err").Add(call), jen.Return(rt("cmem", "EitherErrno").Call(n, id("err")))}
	case plan.Negated:
		return []jen.Code{jen.Return(rt("cmem", "IntOrNegated").Call(jen.Int().Call(call)))}
	case plan.Negative, plan.Code:
		return []jen.Code{define("n", "err").Add(call), jen.Return(rt("cmem", "IntOrErrno").Call(n, id("err")))}
	}
	if s.Result != "" {
		call = jen.Return(goType(s.Result).Call(call))
	}
	return []jen.Code{call}
}

// rawStubFile writes the same functions as variables that are nil, for builds without the C side: no handle can exist there, so that none
// is called.
//
//	var (
//		rawAllocPD func(uintptr, unsafe.Pointer) (unsafe.Pointer, syscall.Errno)
//	)
func (e *emitter) rawStubFile() *goFile {
	g := e.newFile("raw_none.gen.go")
	g.f.HeaderComment("//go:build !(" + constraint + ")")
	g.decl("// haveC is true if the package was built with its C code. Without it LoadFrom returns an error, "+
		"and no function of C is ever called.",
		jen.Const().Id("haveC").Op("=").False())
	var stubs []jen.Code
	for _, s := range e.plan.Shims {
		f := rawFunc(s)
		for i, p := range s.Params {
			f.params[i] = goType(p.Type)
		}
		stubs = append(stubs, id("raw"+s.Verb.Go).Func().Add(f.signature()))
	}
	g.decl("", jen.Var().Defs(stubs...))
	return g
}
