package emit

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/emit/cdecl"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// constraint says where the C side can be.
const constraint = "linux && cgo && (amd64 || arm64)"

// rawParam is a parameter of a raw function: its Go type, and how it crosses.
type rawParam struct {
	name string
	typ  string
	cgo  *jen.Statement
}

// inC is a type, or a function, of C: C.uint32_t.
func inC(name string) *jen.Statement { return jen.Id("C").Dot(name) }

func (e *emitter) rawParams(v *model.Verb) []rawParam {
	var out []rawParam
	address := func(name string, x jen.Code) rawParam {
		return rawParam{name, "uintptr", inC("uintptr_t").Call(x)}
	}
	for i := range verbSymbols(v) {
		n := fmt.Sprintf("fn%d", i)
		out = append(out, address(n, id(n)))
	}
	for _, p := range v.Params {
		x := id(p.Go)
		switch {
		case memoryOf(p) == cdecl.OfGo:
			out = append(out, rawParam{p.Go, "unsafe.Pointer", jen.Parens(jen.Op("*").Add(inC("uint8_t"))).Call(x)})
		case p.Role == spec.RoleAddr:
			out = append(out, address(p.Go, x))
		case p.Role == spec.RoleHandle:
			out = append(out, rawParam{p.Go, "unsafe.Pointer", inC("uintptr_t").Call(jen.Uintptr().Call(x))})
		default:
			t := e.intOf(p.CType)
			out = append(out, rawParam{p.Go, t, inC(t + "_t").Call(x)})
		}
	}
	return out
}

// intOf is the Go integer that carries a C integer or enum, or the address that a pointer is.
func (e *emitter) intOf(ctype string) string {
	t, err := e.classify(ctype)
	if err != nil {
		e.errs = append(e.errs, fmt.Errorf("internal error: %w", err))
	}
	return cmp.Or(t.GoInt(), "uintptr")
}

// rawResults are the Go results of a raw function.
func (e *emitter) rawResults(v *model.Verb) []jen.Code {
	errno := rt("syscall", "Errno")
	switch v.Returns {
	case spec.RetNullErrno:
		return []jen.Code{unsafePointer(), errno}
	case spec.RetErrno:
		return []jen.Code{errno}
	case spec.RetMinus1, spec.RetRereg:
		return []jen.Code{jen.Int(), errno}
	case spec.RetValue:
		return []jen.Code{goType(e.rawValue(v))}
	}
	return nil
}

// rawValue is the type of the value that a raw function returns.
func (e *emitter) rawValue(v *model.Verb) string {
	if strings.HasSuffix(v.CRet, "*") {
		return "unsafe.Pointer"
	}
	return e.intOf(v.CRet)
}

// rawFunc is a raw function with a body.
func (e *emitter) rawFunc(v *model.Verb, body []jen.Code) fn {
	var params []jen.Code
	for _, p := range e.rawParams(v) {
		params = append(params, param(p.name, p.typ))
	}
	return fn{name: "raw" + v.Go, params: params, results: e.rawResults(v), body: body}
}

// rawFile writes the crossing: the one file that imports C.
func (e *emitter) rawFile() *goFile {
	g := e.newFile("raw.gen.go")
	g.f.HeaderComment("//go:build " + constraint)
	pre := []string{"#include \"shims.gen.h\""}
	for _, v := range e.pkg.Verbs {
		if !e.shimmed(v) {
			continue
		}
		name := e.prefix + "_" + v.C
		if !v.Callbacks { // what may run Go may move the stack that an argument lies on
			pre = append(pre, "#cgo noescape "+name, "#cgo nocallback "+name)
		}
	}
	for _, line := range pre {
		g.f.CgoPreamble("// " + line)
	}
	g.decl("// haveC tells whether the package was built with its C side.", jen.Const().Id("haveC").Op("=").True())
	e.layoutGuards(g)
	for _, v := range e.pkg.Verbs {
		if e.shimmed(v) {
			g.fn(e.rawFunc(v, e.rawBody(v)))
		}
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
	if len(guards) > 0 {
		g.decl("// Sizes and offsets of the mirrors. A line that does not compile names the one that differs from C's.", jen.Var().Defs(guards...))
	}
}

// rawBody calls the C function and sorts its answer:
//
//	p, err := C.vg_ibv_x(C.uintptr_t(fn0))
//	if p == nil {
//		return nil, verr.ErrnoOf(err)
//	}
//	return p, 0
func (e *emitter) rawBody(v *model.Verb) []jen.Code {
	var args []jen.Code
	for _, p := range e.rawParams(v) {
		args = append(args, p.cgo)
	}
	call := inC(e.prefix + "_" + v.C).Call(args...)
	errno := rt("verr", "ErrnoOf").Call(id("err"))
	switch v.Returns {
	case spec.RetNullErrno:
		return []jen.Code{define("p", "err").Add(call), jen.If(isNil(id("p"))).Block(jen.Return(jen.Nil(), errno)), jen.Return(id("p"), jen.Lit(0))}
	case spec.RetErrno:
		return []jen.Code{jen.Return(rt("syscall", "Errno").Call(call))}
	case spec.RetMinus1, spec.RetRereg:
		n := jen.Int().Call(id("n"))
		return []jen.Code{define("n", "err").Add(call), jen.If(op(id("n"), "<", jen.Lit(0))).Block(jen.Return(n, errno)), jen.Return(n, jen.Lit(0))}
	case spec.RetValue:
		return []jen.Code{jen.Return(goType(e.rawValue(v)).Call(call))}
	}
	return []jen.Code{call}
}

// rawStubFile writes the same functions for builds without the C side: no handle can exist there, so none is reached.
func (e *emitter) rawStubFile() *goFile {
	g := e.newFile("raw_none.gen.go")
	g.f.HeaderComment("//go:build !(" + constraint + ")")
	g.decl(`// haveC tells whether the package was built with its C side. Without it LoadFrom gives an error, and no function
// below is ever reached.`, jen.Const().Id("haveC").Op("=").False())
	for _, v := range e.pkg.Verbs {
		if e.shimmed(v) {
			g.fn(e.rawFunc(v, stubBody(v)))
		}
	}
	return g
}

// stubBody is the answer of a raw function without C: return nil, syscall.ENOSYS.
func stubBody(v *model.Verb) []jen.Code {
	missing := rt("syscall", "ENOSYS")
	switch v.Returns {
	case spec.RetNullErrno:
		return []jen.Code{jen.Return(jen.Nil(), missing)}
	case spec.RetErrno:
		return []jen.Code{jen.Return(missing)}
	case spec.RetMinus1, spec.RetRereg:
		return []jen.Code{jen.Return(jen.Lit(-1), missing)}
	case spec.RetValue:
		if strings.HasSuffix(v.CRet, "*") {
			return []jen.Code{jen.Return(jen.Nil())}
		}
		return []jen.Code{jen.Return(jen.Lit(0))}
	}
	return nil
}
