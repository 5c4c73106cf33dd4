package fit

import (
	"fmt"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// keys finds keys of a parameter that its role has no use for.
func (c *checker) keys(v *spec.Verb, p *spec.Param) {
	typed := p.Type != "" && ((p.Role != spec.RoleOut && p.Role != spec.RoleIn) || c.UnionByGo(p.Type) == nil)
	for _, k := range []struct {
		key, text string
		given     bool
		roles     []string
		fix       string
	}{
		{"type", p.Type, typed, []string{spec.RoleHandle, spec.RoleInRec, spec.RoleOutRec, spec.RoleSlice, spec.RoleFilled, spec.RoleFlags, spec.RoleEnum, spec.RoleMask, spec.RoleMade, spec.RoleGiven},
			"leave type: out: the Go type follows from the C type"},
		{"len", p.Len, p.Len != "", []string{spec.RoleAddr, spec.RoleSlice, spec.RoleFilled, spec.RoleData}, "remove len:, or correct role:"},
		{"rest", "", p.Rest, []string{spec.RoleFlags}, "remove rest:, or give the parameter the role flags"},
		{"count", "", p.Count > 0, []string{spec.RoleOut}, "remove count:, or give the parameter the role out"},
		{"moves", "", p.Moves, []string{spec.RoleHandle}, "remove moves:, or give the parameter the role handle"},
		{"reads", "", p.Reads, []string{spec.RoleData}, "remove reads:, or give the parameter the role data"},
		{"parent", "", p.Parent, []string{spec.RoleHandle}, "remove parent:, or give the parameter the role handle"},
		{"null", "", p.Null, []string{spec.RoleHandle, spec.RoleInRec, spec.RoleOutRec, spec.RoleOut, spec.RoleSlice, spec.RoleFilled, spec.RoleAddr, spec.RoleIn, spec.RoleSock}, "remove null:, or correct role:"},
	} {
		if k.given && !slices.Contains(k.roles, p.Role) {
			with := k.key + ":"
			if k.text != "" {
				with += " " + k.text
			}
			c.fail(p.At(k.key, k.text), v.C+"."+p.C, "a parameter of role "+p.Role+" cannot have "+with, k.fix)
		}
	}
}

// params holds the roles and types of parameters against their C types.
func (c *checker) params(v *spec.Verb, fn *api.Function) {
	ctypes := map[string]string{}
	for _, q := range c.facts.Callable(fn) {
		ctypes[q.Name] = q.Type
	}
	for i := range v.Params {
		p := &v.Params[i]
		if ctype, ok := ctypes[p.C]; ok {
			t := c.facts.TypeOf(ctype)
			if !c.hasRole(v, p, t) {
				fix := "correct role:"
				if p.Role == spec.RoleData && t.Pointer && !t.Const() {
					fix = "write reads: true if the call leaves the bytes as they are, or correct role:"
				}
				c.fail(p.At("role", p.Role), v.C+"."+p.C, "a parameter of type "+t.C+" cannot have the role "+p.Role, fix)
			} else if p.Null && !t.Pointer && t.Kind == spec.CInt && p.Role == spec.RoleIn {
				c.fail(p.Pos, v.C+"."+p.C, "a parameter of type "+t.C+" is never NULL", "remove null:")
			} else if p.Reads && p.Role == spec.RoleData && t.Const() {
				c.fail(p.At("reads", ""), v.C+"."+p.C, "a parameter of type "+t.C+" is only read in any case", "remove reads:")
			} else if problem := c.typeProblem(p, t); problem != "" {
				c.fail(p.At("type", p.Type), v.C+"."+p.C, problem, "correct type:")
			}
		}
		c.length(v, p, ctypes)
		c.mask(v, p)
	}
}

// hasRole reports whether a C type can have a role.
func (c *checker) hasRole(v *spec.Verb, p *spec.Param, t spec.CType) bool {
	if t.Kind == spec.CFunc || t.Array {
		return false
	}
	toStruct := t.Depth() == 1 && t.Tag != ""
	switch p.Role {
	case spec.RoleHandle:
		return toStruct || p.Type == "" && t.Pointer && t.Tag != ""
	case spec.RoleInRec, spec.RoleSlice:
		return toStruct
	case spec.RoleBytes:
		return toStruct && t.Record() != nil && !t.Record().Incomplete
	case spec.RoleOutRec:
		return toStruct && !t.Const()
	case spec.RoleFilled:
		return !t.Const() && (toStruct && p.Type != "" || t.Depth() == 1 && t.Kind == spec.CAddr && t.Bits > 0 && p.Type == "" && !t.BigEndian())
	case spec.RoleOut:
		if u := c.UnionByGo(p.Type); u != nil {
			return toStruct && t.Tag == u.C && !t.Const()
		}
		return ownForm(v) || t.Depth() == 1 && !t.Const() && (t.Kind == spec.CAddr && t.Bits > 0 || t.Kind == spec.CText)
	case spec.RoleFlags, spec.RoleEnum, spec.RoleMask:
		return isInt(t)
	case spec.RoleGiven:
		return t.Depth() == 2 && t.Tag != ""
	case spec.RoleMade:
		return t.Depth() == 2 && t.Tag != "" && v.Creates != ""
	case spec.RoleLen:
		data := slices.ContainsFunc(v.Params, func(q spec.Param) bool { return q.Role == spec.RoleData && q.Len == p.C })
		return isInt(t) && (t.Bits >= 32 || data)
	case spec.RoleSock:
		return toStruct && t.Tag == "sockaddr"
	case spec.RoleData:
		return t.Depth() == 1 && t.Tag == "" && (t.Const() || p.Reads)
	case spec.RoleAddr:
		return t.Depth() == 1 && t.Tag == ""
	case spec.RoleIn:
		if u := c.UnionByGo(p.Type); u != nil {
			return toStruct && t.Tag == u.C
		}
		return t.Kind == spec.CInt && !t.Pointer || t.Pointer && (calledByRuntime(v) || alwaysFixed(v, p) || p.From != "")
	}
	return true
}

// ownForm reports whether a form of a method is written for the C function, and looks at the roles itself.
func ownForm(v *spec.Verb) bool {
	return slices.ContainsFunc(v.Methods, func(m spec.Method) bool { f := form.Of(v.C, m.Form); return f != nil && f.Sig != nil })
}

// calledByRuntime reports whether a package under runtime/, or a C function of the form, calls the function, and hands in pointers of
// its own.
func calledByRuntime(v *spec.Verb) bool {
	return slices.ContainsFunc(v.Methods, func(m spec.Method) bool { f := form.Of(v.C, m.Form); return f != nil && (f.Runtime || f.Own) })
}

// alwaysFixed reports whether no method of a verb takes a parameter.
func alwaysFixed(v *spec.Verb, p *spec.Param) bool {
	return len(v.Methods) > 0 && !slices.ContainsFunc(v.Methods, func(m spec.Method) bool { _, fixed := m.Fixed[p.C]; return !fixed })
}

// typeProblem says why a parameter of a C type cannot have the Go type that the page gives it.
func (c *checker) typeProblem(p *spec.Param, t spec.CType) string {
	of := "" // the C type that the Go type is made of
	switch p.Role {
	case spec.RoleHandle:
		if o := c.ObjectByGo(p.Type); o != nil {
			of = o.C
			if slices.Contains(o.Also, t.Tag) {
				of = t.Tag
			}
		}
	case spec.RoleInRec, spec.RoleOutRec, spec.RoleSlice, spec.RoleFilled, spec.RoleGiven:
		if r := c.RecordByGo(p.Type); r != nil {
			of = r.C
			want := spec.RecordOut
			if p.Role == spec.RoleGiven {
				want = spec.RecordEvent
			}
			if p.Role == spec.RoleInRec {
				want = spec.RecordIn
			}
			if r.Role != want && of == t.Tag && !(p.Role == spec.RoleOutRec && handsOn(r)) {
				return fmt.Sprintf("%s is a record of role %s, and a parameter of role %s takes one of role %s", r.Go, r.Role, p.Role, want)
			}
		}
	case spec.RoleFlags, spec.RoleEnum:
		enum, bits := c.enumType(p.Type)
		if bits > t.Bits {
			return fmt.Sprintf("a parameter of type %s has %d bits, and %s has %d", t.C, t.Bits, p.Type, bits)
		}
		if t.Tag != "" {
			of = enum
		}
	}
	if of == "" || of == t.Tag {
		return ""
	}
	return fmt.Sprintf("a parameter of type %s is no %s, which is made of %s", t.C, p.Type, of)
}

// handsOn reports whether a verb can fill a record that another one takes: one of values alone.
func handsOn(r *spec.Record) bool {
	return r.Role == spec.RecordIn && r.Runtime == "" && r.MaskParam == "" && !slices.ContainsFunc(r.Fields, func(f spec.RecordField) bool {
		return f.Handle != "" || f.Callback != "" || f.Handles != "" || f.Points != "" || f.Bytes
	})
}

// enumType gives the C enum of a Go type of flags or values, and its width; 0 when there is no such type.
func (c *checker) enumType(name string) (enum string, bits uint) {
	if f := c.FlagByGo(name); f != nil {
		return f.Enum, uint(f.Bits)
	}
	if e := c.EnumByGo(name); e != nil {
		if len(e.Members)+len(e.Enum) == 0 {
			return "", uint(form.FindCode(e.Code).Bits)
		}
		return e.Enum, 32
	}
	return "", 0
}

// length holds the length of memory or of a list against the header.
func (c *checker) length(v *spec.Verb, p *spec.Param, ctypes map[string]string) {
	names := func(q spec.Param) bool {
		return q.Len == p.C || q.Len == "" && (q.Role == spec.RoleAddr || spec.IsList(q.Role) || q.Role == spec.RoleData)
	}
	if p.Role == spec.RoleLen && c.hasRole(v, p, c.facts.TypeOf(ctypes[p.C])) && !slices.ContainsFunc(v.Params, names) {
		c.fail(p.At("role", p.Role), v.C+"."+p.C, "no parameter names it under len:", "name it there, or give it the role in")
	}
	if p.Role != spec.RoleAddr && !spec.IsList(p.Role) && p.Role != spec.RoleData {
		return
	}
	if p.Len == "" {
		if p.Role != spec.RoleAddr {
			c.fail(p.Pos, v.C+"."+p.C, "a parameter of role "+p.Role+" has no len:", "name the parameter with the number of elements")
		}
		return
	}
	i := slices.IndexFunc(v.Params, func(q spec.Param) bool { return q.C == p.Len })
	if i < 0 {
		return // reported elsewhere
	}
	if v.Params[i].Role != spec.RoleLen {
		c.fail(p.At("len", p.Len), v.C+"."+p.C, "len: "+p.Len+" has the role "+v.Params[i].Role, "give it the role len")
		return
	}
	if t := c.facts.TypeOf(ctypes[p.Len]); p.Role == spec.RoleAddr && t.C != "" && (t.Bits != 64 || t.Signed) {
		c.fail(p.At("len", p.Len), v.C+"."+p.C, "the length "+p.Len+" is of type "+t.C+", and a length of memory has 64 bits without a sign", "correct len:")
	}
}

// mask finds a mask without its record, and a record without its mask.
func (c *checker) mask(v *spec.Verb, p *spec.Param) {
	has := func(role string) bool {
		return slices.ContainsFunc(v.Params, func(q spec.Param) bool { return q.Role == role && q.Type == p.Type })
	}
	r := c.RecordByGo(p.Type)
	if p.Role == spec.RoleMask && !has(spec.RoleInRec) {
		c.fail(p.At("role", p.Role), v.C+"."+p.C, "no parameter of role in_record has the type "+p.Type+" that this is the mask of", "correct role: or type:")
	} else if p.Role == spec.RoleMask && r != nil && r.MaskParam != p.C {
		c.fail(p.At("type", p.Type), v.C+"."+p.C, p.Type+" has its mask in mask_param: "+r.MaskParam, "correct mask_param: or role:")
	}
	if p.Role == spec.RoleInRec && r != nil && r.MaskParam != "" && r.Mask == "" && !has(spec.RoleMask) {
		c.fail(p.At("type", p.Type), v.C+"."+p.C, "the mask of "+p.Type+" is handed in by itself, and no parameter has the role mask", "give "+r.MaskParam+" the role mask")
	}
}
