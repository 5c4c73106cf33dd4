package bind

import (
	"fmt"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// hasRole tells whether a C type can have a role; a pointer to a struct is a plain value only to a form of its own.
func hasRole(p *spec.Param, t spec.CType, ownForm bool) bool {
	isInt := t.Kind == spec.CInt && !t.Pointer && !bigEndian(baseType(t.C))
	isConst := len(t.C) > 6 && t.C[:6] == "const "
	switch p.Role {
	case spec.RoleHandle:
		return depth(t.C) == 1 && t.Tag != "" || p.Type == "" && t.Tag != ""
	case spec.RoleInRec, spec.RoleSlice:
		return depth(t.C) == 1 && t.Tag != ""
	case spec.RoleOutRec:
		return depth(t.C) == 1 && t.Tag != "" && !isConst
	case spec.RoleOut:
		scalar := t.Kind == spec.CAddr && t.Bits > 0 || t.Kind == spec.CText
		return ownForm || depth(t.C) == 1 && !isConst && (scalar || t.Tag != "")
	case spec.RoleFlags, spec.RoleEnum, spec.RoleMask:
		return isInt
	case spec.RoleLen:
		return isInt && t.Bits >= 32
	case spec.RoleAddr:
		return depth(t.C) == 1 && t.Tag == "" || isInt && t.Bits == 64 && !t.Signed
	case spec.RoleIn:
		return ownForm || t.Kind != spec.CStruct && t.Kind != spec.CObject
	}
	return true
}

// checkRoles holds the roles, types and return convention of a verb against the header.
func (b *binder) checkRoles(facts *spec.Facts, v *spec.Verb) {
	fn := b.funcs[v.C]
	if fn == nil {
		return // told elsewhere, or newer than the header
	}
	ownForm := len(v.Methods) == 0 || slices.ContainsFunc(v.Methods, func(m spec.Method) bool { f := form.Find(m.Form); return f != nil && f.Sig != nil })
	ctypes := map[string]string{}
	for _, q := range b.callable(fn) {
		ctypes[q.Name] = q.Type
	}
	for i := range v.Params {
		p := &v.Params[i]
		if c, ok := ctypes[p.C]; ok {
			t := facts.TypeOf(c)
			if !hasRole(p, t, ownForm) {
				b.errorf(diag.TypeUnknown, p.At("role", p.Role), v.C+"."+p.C, "a parameter of type "+t.C+" cannot have the role "+p.Role, "correct role:")
			} else if problem := b.typeProblem(p, t); problem != "" {
				b.errorf(diag.TypeUnknown, p.At("type", p.Type), v.C+"."+p.C, problem, "correct type:")
			}
		}
		b.checkLen(facts, v, p, ctypes)
		b.checkMask(v, p)
	}
	b.checkReturns(facts, v, fn)
}

// typeProblem tells why a parameter of a C type cannot have the Go type that the page gives it.
func (b *binder) typeProblem(p *spec.Param, t spec.CType) string {
	of := "" // the C type that the Go type is made of
	switch p.Role {
	case spec.RoleHandle:
		if o := b.specObject(p.Type); o != nil {
			of = o.C
		}
	case spec.RoleInRec, spec.RoleOutRec, spec.RoleSlice:
		if r := b.in.Spec.RecordByGo(p.Type); r != nil {
			of = r.C
		}
	case spec.RoleFlags:
		for _, page := range b.in.Spec.Pages {
			for _, f := range page.Flags {
				if f.Go == p.Type && uint(max(f.Bits, 32)) > t.Bits {
					return fmt.Sprintf("a parameter of type %s has %d bits, and %s has %d", t.C, t.Bits, f.Go, f.Bits)
				}
				if f.Go == p.Type && t.Tag != "" {
					of = f.Enum
				}
			}
		}
	case spec.RoleEnum:
		for _, page := range b.in.Spec.Pages {
			for _, e := range page.Enums {
				if e.Go == p.Type && t.Tag != "" {
					of = e.Enum
				}
			}
		}
	}
	if of == "" || of == t.Tag {
		return ""
	}
	return fmt.Sprintf("a parameter of type %s is no %s, which is made of %s", t.C, p.Type, of)
}

// checkLen holds the length of memory or of a list against the header.
func (b *binder) checkLen(facts *spec.Facts, v *spec.Verb, p *spec.Param, ctypes map[string]string) {
	if p.Len == "" {
		if p.Role == spec.RoleSlice {
			b.errorf(diag.TypeUnknown, p.Pos, v.C+"."+p.C, "a parameter of role slice has no len:", "name the parameter with the number of elements")
		}
		return
	}
	i := slices.IndexFunc(v.Params, func(q spec.Param) bool { return q.C == p.Len })
	if i < 0 {
		return // told elsewhere
	}
	if v.Params[i].Role != spec.RoleLen {
		b.errorf(diag.TypeUnknown, p.At("len", p.Len), v.C+"."+p.C, "len: "+p.Len+" has the role "+v.Params[i].Role, "give it the role len")
		return
	}
	if t := facts.TypeOf(ctypes[p.Len]); p.Role == spec.RoleAddr && t.C != "" && (t.Bits != 64 || t.Signed) {
		b.errorf(diag.TypeUnknown, p.At("len", p.Len), v.C+"."+p.C, "the length "+p.Len+" is of type "+t.C+", and a length of memory has 64 bits without a sign", "correct len:")
	}
}

// checkMask finds a mask without its record, and a record without its mask.
func (b *binder) checkMask(v *spec.Verb, p *spec.Param) {
	has := func(role string) bool {
		return slices.ContainsFunc(v.Params, func(q spec.Param) bool { return q.Role == role && q.Type == p.Type })
	}
	if p.Role == spec.RoleMask && !has(spec.RoleInRec) {
		b.errorf(diag.TypeUnknown, p.At("role", p.Role), v.C+"."+p.C, "no parameter of role in_record has the type "+p.Type+" that this is the mask of", "correct role: or type:")
	}
	if r := b.in.Spec.RecordByGo(p.Type); p.Role == spec.RoleInRec && r != nil && r.MaskParam != "" && !has(spec.RoleMask) {
		b.errorf(diag.TypeUnknown, p.At("type", p.Type), v.C+"."+p.C, "the mask of "+p.Type+" is handed in by itself, and no parameter has the role mask", "give "+r.MaskParam+" the role mask")
	}
}

// checkReturns holds the return convention, and the object that a verb makes, against the header.
func (b *binder) checkReturns(facts *spec.Facts, v *spec.Verb, fn *api.Function) {
	ret := facts.TypeOf(fn.Ret)
	isInt := ret.Kind == spec.CInt && !ret.Pointer
	rereg := slices.ContainsFunc(v.Methods, func(m spec.Method) bool { return m.Form == form.Rereg })
	fits := map[string]bool{spec.RetErrno: isInt, spec.RetMinus1: isInt, spec.RetNullErrno: ret.Pointer, spec.RetVoid: fn.Ret == "void", spec.RetValue: fn.Ret != "void",
		spec.RetRereg: isInt && rereg}
	if !fits[v.Returns] {
		b.errorf(diag.TypeUnknown, v.At("returns", v.Returns), v.C, "a function that returns "+fn.Ret+" does not return "+v.Returns, "correct returns:")
		return
	}
	if o := b.specObjectOf(ret.Tag); v.Creates == "" && v.Returns == spec.RetNullErrno && o != nil && depth(fn.Ret) == 1 {
		b.errorf(diag.TypeUnknown, v.At("returns", v.Returns), v.C, "it returns "+fn.Ret+", and has no creates:, the object that it makes", "write creates: "+o.Go)
	}
	if o := b.specObject(v.Creates); o != nil && (ret.Tag != o.C || depth(fn.Ret) != 1) {
		b.errorf(diag.TypeUnknown, v.At("creates", v.Creates), v.C, "it returns "+fn.Ret+", and "+o.Go+" is a struct "+o.C+" *", "correct creates:")
	}
}
