package bind

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/spec"
)

// hasRole tells whether a C type can have a role; a pointer to a struct is a plain value only to a form of its own.
func hasRole(role string, t spec.CType, ownForm bool) bool {
	switch role {
	case spec.RoleHandle:
		return t.Pointer && (t.Kind == spec.CObject || t.Kind == spec.CStruct || t.Kind == spec.COther)
	case spec.RoleInRec, spec.RoleOutRec, spec.RoleSlice:
		return t.Pointer && (t.Kind == spec.CStruct || t.Kind == spec.CObject)
	case spec.RoleOut:
		return t.Pointer
	case spec.RoleFlags, spec.RoleEnum, spec.RoleLen, spec.RoleMask:
		return t.Kind == spec.CInt && !t.Pointer
	case spec.RoleIn:
		return ownForm || t.Kind != spec.CStruct && t.Kind != spec.CObject
	}
	return true
}

// checkRoles holds the roles and the return convention of a verb against the header.
func (b *binder) checkRoles(facts *spec.Facts, v *spec.Verb) {
	fn := b.funcs[v.C]
	if fn == nil {
		return // told elsewhere, or newer than the header
	}
	ownForm := slices.ContainsFunc(v.Methods, func(m spec.Method) bool { return formVerbs[m.Form] != nil })
	for i := range v.Params {
		p := &v.Params[i]
		t, ok := facts.Param(fn, p.C)
		if ok && !hasRole(p.Role, t, ownForm) {
			b.errorf(diag.TypeUnknown, p.At("role", p.Role), v.C+"."+p.C, "a parameter of type "+t.C+" cannot have the role "+p.Role, "correct role:")
		}
		if p.Role == spec.RoleMask && !slices.ContainsFunc(v.Params, func(q spec.Param) bool { return q.Role == spec.RoleInRec && q.Type == p.Type }) {
			b.errorf(diag.TypeUnknown, p.At("role", p.Role), v.C+"."+p.C, "no parameter of role in_record has the type "+p.Type+" that this is the mask of", "correct role: or type:")
		}
		if r := b.in.Spec.RecordByGo(p.Type); p.Role == spec.RoleInRec && r != nil && r.MaskParam != "" &&
			!slices.ContainsFunc(v.Params, func(q spec.Param) bool { return q.Role == spec.RoleMask && q.Type == p.Type }) {
			b.errorf(diag.TypeUnknown, p.At("type", p.Type), v.C+"."+p.C, "the mask of "+p.Type+" is handed in by itself, and no parameter has the role mask", "give "+r.MaskParam+" the role mask")
		}
	}
	ret := facts.TypeOf(fn.Ret)
	isInt := ret.Kind == spec.CInt && !ret.Pointer
	fits := map[string]bool{spec.RetErrno: isInt, spec.RetMinus1: isInt, spec.RetNullErrno: ret.Pointer, spec.RetVoid: fn.Ret == "void", spec.RetValue: fn.Ret != "void",
		spec.RetRereg: v.C == "ibv_rereg_mr"}
	if !fits[v.Returns] {
		b.errorf(diag.TypeUnknown, v.At("returns", v.Returns), v.C, "a function that returns "+fn.Ret+" does not return "+v.Returns, "correct returns:")
	}
}
