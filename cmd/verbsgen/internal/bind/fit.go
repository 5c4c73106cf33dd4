package bind

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// headerf adds a problem at a place of the header.
func (b *binder) headerf(code string, pos api.Pos, subject, problem, fix string) {
	b.errs.Add(diag.New(code, pos.File, pos.Line, pos.Col, subject, problem, fix))
}

const pageFix = "correct the page, or take the header that the page was written for"

// fitVerb holds the C types of a function against what its page says of them: the emitter has text for these alone.
func (b *binder) fitVerb(v *model.Verb, f *api.Function) {
	say := func(what, problem string) {
		if b.told(f.Name) { // by the checks of its page
			return
		}
		b.headerf(diag.TypeMismatch, f.Pos, f.Name, what+" "+problem, pageFix)
	}
	if f.Variadic {
		say("it", "takes any number of arguments, for which there is no form of call")
	}
	if want := b.resultMismatch(v); want != "" {
		say("the result of type "+v.CRet, "is not "+want+", as returns: "+v.Returns+" has it")
	}
	for _, p := range v.Params {
		if strings.ContainsAny(p.CType, "([") {
			say(param(p), "has no form of call")
		} else if want := b.paramMismatch(v, p); want != "" {
			say(param(p), "is not "+want+", as its page has it")
		}
	}
	b.fitFixed(v, f)
	b.fitDispatch(v, f)
}

// told tells whether something is said of a function or its parameters already, at its page.
func (b *binder) told(c string) bool {
	return slices.ContainsFunc(b.errs, func(d diag.Diag) bool {
		return d.Code == diag.TypeUnknown && (d.Subject == c || strings.HasPrefix(d.Subject, c+"."))
	})
}

func param(p *model.Param) string { return "parameter " + p.C + " of type " + p.CType }

// resultMismatch names the type that a result should have; empty when it has it.
func (b *binder) resultMismatch(v *model.Verb) string {
	object := isPointer(v.CRet) && !strings.Contains(v.CRet, "(")
	switch v.Returns {
	case spec.RetNullErrno:
		if !object {
			return "a pointer"
		}
	case spec.RetVoid:
		if v.CRet != "void" {
			return "void"
		}
	case spec.RetValue:
		if !object && !b.isInteger(v.CRet) {
			return "a pointer or an integer"
		}
	default:
		if goTypes[v.CRet] != "int32" {
			return "int"
		}
	}
	return ""
}

// paramMismatch names the type that a parameter should have; empty when it has it.
func (b *binder) paramMismatch(v *model.Verb, p *model.Param) string {
	to := pointee(p.CType)
	switch p.Role {
	case spec.RoleHandle:
		if p.Object != nil && !b.isRecord(to, p.Object.C) {
			return "a pointer to struct " + p.Object.C
		}
		if to == "" {
			return "a pointer"
		}
	case spec.RoleInRec, spec.RoleOutRec, spec.RoleSlice:
		if p.Record != nil && !b.isRecord(to, p.Record.C) {
			return "a pointer to struct " + p.Record.C
		}
	case spec.RoleOut:
		if p.GoType == gidType {
			if to != "union ibv_gid" {
				return "a pointer to union ibv_gid"
			}
		} else if !b.isInteger(to) {
			return "a pointer to an integer"
		}
	case spec.RoleFlags, spec.RoleEnum, spec.RoleMask:
		if !b.isInteger(p.CType) {
			return "an integer"
		}
	case spec.RoleAddr:
		if !isPointer(p.CType) {
			return "a pointer"
		}
		if p.Len != nil && goTypes[p.Len.CType] != "uint64" {
			return "a pointer with a length of 64 bits"
		}
	default:
		if isPointer(p.CType) && !fixedEverywhere(v, p) && !ofRuntime(v) {
			return "a value"
		}
	}
	return ""
}

// ofRuntime tells whether a package under runtime/ calls the verb.
func ofRuntime(v *model.Verb) bool {
	f := formOf(v)
	return f != nil && f.Runtime
}

// pointee is what a C type points to, without const; empty for a type that is no pointer.
func pointee(ctype string) string {
	to, ok := strings.CutSuffix(strings.TrimSpace(ctype), "*")
	if !ok {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(to), "const ")
}

// isRecord tells whether a type is the struct of a tag, under this name or its other one.
func (b *binder) isRecord(ctype, tag string) bool {
	if ctype == "struct "+tag {
		return true
	}
	for _, a := range b.in.Release.Aliases {
		if a.Kind == "struct" && (a.Name == tag && ctype == "struct "+a.Of || a.Of == tag && ctype == "struct "+a.Name) {
			return true
		}
	}
	return false
}

// isInteger tells whether a C type is an integer or an enum.
func (b *binder) isInteger(ctype string) bool {
	if e := b.enums[ctype]; e != nil {
		return true
	}
	t, ok := goTypes[ctype]
	return ok && t != "uintptr"
}

// fitFixed resolves the values that methods fix.
func (b *binder) fitFixed(v *model.Verb, f *api.Function) {
	for _, m := range v.Methods {
		for _, p := range v.Params {
			text, ok := m.Fixed[p.C]
			if !ok || text == "NULL" {
				continue
			}
			n, known := limits[text]
			if u, err := strconv.ParseUint(text, 0, 64); err == nil {
				n, known = u, true
			} else if e, ok := b.enumr[text]; ok && e.value >= 0 {
				n, known = uint64(e.value), true
			}
			switch {
			case !known:
				b.headerf(diag.NameUnknown, f.Pos, v.C, "parameter "+p.C+" is fixed to "+text+", which is no number and no constant of this header that is not negative", pageFix)
			case n != 0 && (isPointer(p.CType) && p.Role != spec.RoleAddr || n > b.maxOf(p.CType)):
				b.headerf(diag.TypeMismatch, f.Pos, v.C, param(p)+" cannot be "+text, pageFix)
			}
		}
	}
}

// maxOf is the greatest value of an integer type.
func (b *binder) maxOf(ctype string) uint64 {
	switch goTypes[ctype] {
	case "int8":
		return math.MaxInt8
	case "byte", "uint8":
		return math.MaxUint8
	case "int16":
		return math.MaxInt16
	case "uint16":
		return math.MaxUint16
	case "int32":
		return math.MaxInt32
	case "uint32":
		return math.MaxUint32
	case "int64":
		return math.MaxInt64
	case "":
		if e := b.enums[ctype]; e != nil && e.Signed {
			return math.MaxInt32
		} else if e != nil {
			return math.MaxUint32
		}
	}
	return math.MaxUint64
}

// fitDispatch looks whether the call in an inline body is one that a C compiler takes: the C parser is more patient.
func (b *binder) fitDispatch(v *model.Verb, f *api.Function) {
	d := f.Dispatch
	if d == nil || v.Special != nil {
		return
	}
	fn, problem := b.callee(f, d)
	if fn == nil {
		if problem != "" {
			b.headerf(diag.DispatchUnknown, f.Pos, f.Name, problem, "take the header as rdma-core has it")
		}
		return
	}
	types := map[string]string{}
	for _, p := range f.Params {
		types[p.Name] = p.Type
	}
	problem = ""
	switch {
	case len(fn.Params) != len(d.Args):
		problem = fmt.Sprintf("%s with %d arguments, and it takes %d", d.Op, len(d.Args), len(fn.Params))
	case !b.passes(fn.Ret, f.Ret) && !(f.Ret == "void"):
		problem = d.Op + ", whose result is " + fn.Ret + " and not " + f.Ret
	}
	for i, arg := range d.Args {
		if t, ok := types[arg]; ok && problem == "" && !b.passes(t, fn.Params[i].Type) {
			problem = fmt.Sprintf("%s with %s of type %s for %s", d.Op, arg, t, fn.Params[i].Type)
		}
	}
	if problem != "" {
		b.headerf(diag.DispatchUnknown, f.Pos, f.Name, "its body calls "+problem, "take the header as rdma-core has it")
	}
}

// callee is the type of what a body calls. Without one there is a problem, or the body is not read at all.
func (b *binder) callee(f *api.Function, d *api.Dispatch) (*api.FnType, string) {
	if d.Way == api.WayExport {
		if g := b.funcs[d.Op]; g != nil {
			return &api.FnType{Ret: g.Ret, Params: g.Params}, ""
		}
		return nil, "its body calls " + d.Op + ", which the header does not declare"
	}
	tag := ""
	steps := strings.Split(d.Object, "->")
	for _, p := range f.Params {
		if p.Name == steps[0] {
			tag = pointee(p.Type)
		}
	}
	for _, s := range steps[1:] {
		tag = pointee(b.fieldType(tag, s))
	}
	switch d.Way {
	case api.WayVerbs:
		if tag != "struct ibv_context" {
			return nil, "its body takes " + d.Object + " for a struct ibv_context *, which it is not"
		}
		tag = "struct verbs_context"
	case api.WayOps:
		tag = b.fieldType(tag, "ops")
	case api.WayObject:
	default:
		return nil, ""
	}
	rec := b.recs[tag]
	if rec == nil || rec.Incomplete {
		return nil, fmt.Sprintf("its body reaches %s through %s, which is no struct that the header defines", d.Op, d.Object)
	}
	i := slices.IndexFunc(rec.Fields, func(m api.Field) bool { return m.Name == d.Op })
	if i < 0 || rec.Fields[i].Func == nil {
		return nil, fmt.Sprintf("its body calls %s of %s, which has no such function", d.Op, tag)
	}
	return rec.Fields[i].Func, ""
}

// fieldType is the C type of a field, empty when there is none.
func (b *binder) fieldType(tag, name string) string {
	rec := b.recs[tag]
	if rec == nil {
		return ""
	}
	for _, f := range rec.Fields {
		if f.Name == name {
			return f.Type
		}
	}
	return ""
}

// passes tells whether C takes a value of one type for another without a word.
func (b *binder) passes(from, to string) bool {
	switch {
	case from == to, b.isInteger(from) && b.isInteger(to):
		return true
	case !isPointer(from) || !isPointer(to):
		return false
	case from == strings.TrimPrefix(to, "const "):
		return true
	}
	isConst := strings.HasPrefix(from, "const ") && !strings.HasPrefix(to, "const ")
	return !isConst && (pointee(to) == "void" || pointee(from) == "void") && !strings.Contains(from+to, "(")
}

// textLocals are names that the text of methods gives to what is local, or that packages have there. A parameter is
// called otherwise.
var textLocals = []string{"verb", "err", "errno", "o", "n", "ptr", "in", "out", "release", "caps", "calls", "buf", "pin", "held", "known", "rules",
	"bits", "errors", "fmt", "math", "os", "runtime", "strconv", "strings", "syscall", "unsafe", "atomic", "testing", "sync", "netip", "dpath", "devmem", "dl",
	"mem", "object", "pdalloc", "verr", "abi", "init"}
