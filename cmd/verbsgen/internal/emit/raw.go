package emit

import (
	"fmt"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/emit/cdecl"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// constraint says where the C side can be.
const constraint = "linux && cgo && (amd64 || arm64)"

// rawParam is a parameter of a raw function: its Go type, and how it crosses.
type rawParam struct{ name, goType, cgo string }

func (e *emitter) rawParams(v *model.Verb) []rawParam {
	var out []rawParam
	for i := range verbSymbols(v) {
		n := fmt.Sprintf("fn%d", i)
		out = append(out, rawParam{n, "uintptr", "C.uintptr_t(" + n + ")"})
	}
	for _, p := range v.Params {
		n := p.Go
		switch {
		case memoryOf(p) == cdecl.OfGo:
			out = append(out, rawParam{n, "unsafe.Pointer", "(*C.uint8_t)(" + n + ")"})
		case p.Role == spec.RoleAddr:
			out = append(out, rawParam{n, "uintptr", "C.uintptr_t(" + n + ")"})
		case p.Role == spec.RoleHandle:
			out = append(out, rawParam{n, "unsafe.Pointer", "C.uintptr_t(uintptr(" + n + "))"})
		default:
			t := e.intOf(p.CType)
			out = append(out, rawParam{n, t, "C." + t + "_t(" + n + ")"})
		}
	}
	return out
}

// intOf is the Go integer that carries a C integer or enum.
func (e *emitter) intOf(ctype string) string {
	t, err := cdecl.Classify(e.pkg.Facts, ctype)
	if err != nil || t.GoInt() == "" {
		return "uintptr"
	}
	return t.GoInt()
}

// rawResult gives the Go results of a raw function.
func (e *emitter) rawResult(v *model.Verb) string {
	switch v.Returns {
	case spec.RetNullErrno:
		return "(unsafe.Pointer, syscall.Errno)"
	case spec.RetErrno:
		return "syscall.Errno"
	case spec.RetMinus1, spec.RetRereg:
		return "(int, syscall.Errno)"
	case spec.RetValue:
		if strings.HasSuffix(v.CRet, "*") {
			return "unsafe.Pointer"
		}
		return e.intOf(v.CRet)
	}
	return ""
}

func (e *emitter) rawSignature(v *model.Verb) string {
	var params []string
	for _, p := range e.rawParams(v) {
		params = append(params, p.name+" "+p.goType)
	}
	return fmt.Sprintf("func raw%s(%s) %s", v.Go, strings.Join(params, ", "), e.rawResult(v))
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
	g.add("%s", "// haveC tells whether the package was built with its C side.\nconst haveC = true")
	var guards strings.Builder
	for _, m := range e.pkg.Mirrors {
		fmt.Fprintf(&guards, "_ = [1]struct{}{}[unsafe.Sizeof(%s{})-%d]\n", m.Name, m.Size)
		for _, l := range m.Leaf {
			if l.Go != "_" {
				fmt.Fprintf(&guards, "_ = [1]struct{}{}[unsafe.Offsetof(%s{}.%s)-%d]\n", m.Name, l.Go, l.Offset)
			}
		}
	}
	if guards.Len() > 0 {
		g.add("%s", "// Sizes and offsets of the mirrors. A line that does not compile names the one that differs from C's.\nvar (\n"+guards.String()+")")
	}
	for _, v := range e.pkg.Verbs {
		if e.shimmed(v) {
			g.add("%s", e.rawFunc(v))
		}
	}
	return g
}

func (e *emitter) rawFunc(v *model.Verb) string {
	var args []string
	for _, p := range e.rawParams(v) {
		args = append(args, p.cgo)
	}
	call := fmt.Sprintf("C.%s_%s(%s)", e.prefix, v.C, strings.Join(args, ", "))
	var body string
	switch v.Returns {
	case spec.RetNullErrno:
		body = "p, err := " + call + "\nif p == nil {\nreturn nil, verr.ErrnoOf(err)\n}\nreturn p, 0"
	case spec.RetErrno:
		body = "return syscall.Errno(" + call + ")"
	case spec.RetMinus1, spec.RetRereg:
		body = "n, err := " + call + "\nif n < 0 {\nreturn int(n), verr.ErrnoOf(err)\n}\nreturn int(n), 0"
	case spec.RetValue:
		body = "return " + e.rawResult(v) + "(" + call + ")"
	default:
		body = call
	}
	return e.rawSignature(v) + " {\n" + body + "\n}"
}

// rawStubFile writes the same functions for builds without the C side: no handle can exist there, so none is reached.
func (e *emitter) rawStubFile() *goFile {
	g := e.newFile("raw_none.gen.go")
	g.f.HeaderComment("//go:build !(" + constraint + ")")
	g.add("%s", "// haveC tells whether the package was built with its C side. Without it LoadFrom gives an error, and no function\n// below is ever reached.\nconst haveC = false")
	for _, v := range e.pkg.Verbs {
		if !e.shimmed(v) {
			continue
		}
		var body string
		switch v.Returns {
		case spec.RetNullErrno:
			body = "return nil, syscall.ENOSYS"
		case spec.RetErrno:
			body = "return syscall.ENOSYS"
		case spec.RetMinus1, spec.RetRereg:
			body = "return -1, syscall.ENOSYS"
		case spec.RetValue:
			body = "return 0"
			if strings.HasSuffix(v.CRet, "*") {
				body = "return nil"
			}
		}
		g.add("%s", e.rawSignature(v)+" {\n"+body+"\n}")
	}
	return g
}
