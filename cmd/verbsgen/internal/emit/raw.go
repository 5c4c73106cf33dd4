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

// rawResults are the types of what a raw function returns, and what it returns without C.
func rawResults(s *plan.Shim) (types, without []jen.Code) {
	errno, missing := rt("syscall", "Errno"), rt("syscall", "ENOSYS")
	switch s.Answer {
	case plan.Pointer:
		return []jen.Code{unsafePointer(), errno}, []jen.Code{jen.Nil(), missing}
	case plan.Errno, plan.Either:
		return []jen.Code{errno}, []jen.Code{missing}
	case plan.Negative, plan.Negated, plan.Code:
		return []jen.Code{jen.Int(), errno}, []jen.Code{jen.Lit(-1), missing}
	}
	switch s.Result {
	case "":
		return nil, nil
	case "unsafe.Pointer":
		return []jen.Code{unsafePointer()}, []jen.Code{jen.Nil()}
	}
	return []jen.Code{goType(s.Result)}, []jen.Code{jen.Lit(0)}
}

// rawFunc is a raw function with a body; without one it returns that there is no C.
func rawFunc(s *plan.Shim, body ...jen.Code) fn {
	types, without := rawResults(s)
	if body == nil && without != nil {
		body = []jen.Code{jen.Return(without...)}
	}
	f := fn{name: "raw" + s.Verb.Go, results: types, body: body}
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
		g.fn(rawFunc(s, body...))
	}
	return g
}

// layoutGuards makes lines that do not compile when a mirror's layout is not C's:
//
//	var (
//		_ = [1]struct{}{}[unsafe.Sizeof(cSGE{})-16]
//		_ = [1]struct{}{}[unsafe.Offsetof(cSGE{}.addr)-0]
//	)
func (e *emitter) layoutGuards(g *goFile) {
	var guards []jen.Code
	guard := func(of string, x jen.Code, want int64) {
		zero := rt("unsafe", of).Call(x).Op("-").Add(dec(uint64(want)))
		guards = append(guards, id("_").Op("=").Index(jen.Lit(1)).Struct().Values().Index(zero))
	}
	for _, m := range e.pkg.Mirrors {
		empty := id(m.Name).Values()
		guard("Sizeof", empty, m.Size)
		for _, l := range m.Leaf {
			if l.Go != "_" {
				guard("Offsetof", dot(empty, l.Go), l.Offset)
			}
		}
	}
	for _, v := range e.pkg.Verbs {
		if l := v.Reads; l != nil {
			guard("Sizeof", id(l.Go).Values(), l.Size)
			for _, f := range l.Fields {
				guard("Offsetof", dot(id(l.Go).Values(), f.Go), f.Offset)
			}
		}
	}
	if len(guards) > 0 {
		g.decl("// Sizes and offsets of the mirrors, and of what readers fill. A line that does not compile names the one that differs "+
			"from C's.", jen.Var().Defs(guards...))
	}
}

// rawBody calls the C function and sorts its answer:
//
//	p, err := C.vg_ibv_x(C.uintptr_t(fn0))
//	if p == nil {
//		return nil, verr.ErrnoOf(err)
//	}
//	return p, 0
func (e *emitter) rawBody(s *plan.Shim) []jen.Code {
	var args []jen.Code
	for _, p := range s.Params {
		args = append(args, crossed(p))
	}
	call := inC(e.prefix + "_" + s.Verb.C).Call(args...)
	errno := rt("verr", "ErrnoOf").Call(id("err"))
	switch s.Answer {
	case plan.Pointer:
		return []jen.Code{define("p", "err").Add(call), jen.If(isNil(id("p"))).Block(jen.Return(jen.Nil(), errno)),
			jen.Return(id("p"), jen.Lit(0))}
	case plan.Errno:
		return []jen.Code{jen.Return(rt("syscall", "Errno").Call(call))}
	case plan.Either:
		return []jen.Code{define("n", "err").Add(call), jen.Return(rt("verr", "ErrnoEither").Call(jen.Int().Call(id("n")), id("err")))}
	case plan.Negated:
		return []jen.Code{define("n").Int().Call(call),
			jen.If(op(id("n"), "<", jen.Lit(0))).Block(jen.Return(id("n"), rt("syscall", "Errno").Call(jen.Op("-").Id("n")))),
			jen.Return(id("n"), jen.Lit(0))}
	case plan.Negative, plan.Code:
		n := jen.Int().Call(id("n"))
		return []jen.Code{define("n", "err").Add(call), jen.If(op(id("n"), "<", jen.Lit(0))).Block(jen.Return(n, errno)),
			jen.Return(n, jen.Lit(0))}
	}
	if s.Result != "" {
		call = jen.Return(goType(s.Result).Call(call))
	}
	return []jen.Code{call}
}

// rawStubFile writes the same functions for builds without the C side: no handle can exist there, so none is reached.
func (e *emitter) rawStubFile() *goFile {
	g := e.newFile("raw_none.gen.go")
	g.f.HeaderComment("//go:build !(" + constraint + ")")
	g.decl(`// haveC is true if the package was built with its C code. Without it LoadFrom returns an error, and no function
// below is ever reached.`, jen.Const().Id("haveC").Op("=").False())
	for _, s := range e.plan.Shims {
		g.fn(rawFunc(s))
	}
	return g
}
