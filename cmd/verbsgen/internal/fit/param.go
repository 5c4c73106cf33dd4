package fit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// params compares the roles and types of parameters with their C types.
func (c *checker) params(v *spec.Verb, fn *api.Function) {
	ctypes := map[string]string{}
	for _, q := range c.facts.Callable(fn) {
		ctypes[q.Name] = q.Type
	}
	for i := range v.Params {
		p := &v.Params[i]
		if ctype, ok := ctypes[p.C]; ok {
			c.param(v, p, c.facts.TypeOf(ctype))
		}
		c.length(v, p, ctypes)
		c.mask(v, p)
	}
}

// param compares one parameter with its C type.
func (c *checker) param(v *spec.Verb, p *spec.Param, t spec.CType) {
	subject := v.C + "." + p.C
	switch problem := c.typeProblem(p, t); {
	case !c.hasRole(v, p, t):
		fix := "correct role:"
		if p.Role == role.Data && t.Pointer && !t.Const() {
			fix = "write reads: true if the call leaves the bytes as they are, or correct role:"
		}
		c.fail(p.At("role", p.Role.Name), subject, "a parameter of type "+t.C+" cannot have the role "+p.Role.Name, fix)
	case p.Null && !t.Pointer:
		c.fail(p.Pos, subject, "a parameter of type "+t.C+" is never NULL", "remove null:")
	case p.Reads && t.Const():
		c.fail(p.At("reads", ""), subject, "a parameter of type "+t.C+" is only read in any case", "remove reads:")
	case problem != "":
		c.fail(p.At("type", p.Type), subject, problem, "correct type:")
	}
}

// noUnion finds a type of a role that takes only names of unions.
func (c *checker) noUnion(v *spec.Verb, p *spec.Param) {
	if p.Type != "" && p.Role.Names == role.NamesUnion && c.UnionByGo(p.Type) == nil {
		c.fail(p.At("type", p.Type), v.C+"."+p.C, "a parameter of role "+p.Role.Name+" cannot have type: "+p.Type,
			"leave type: out: the Go type follows from the C type")
	}
}

// hasRole reports whether a C type can have the role of a parameter.
func (c *checker) hasRole(v *spec.Verb, p *spec.Param, t spec.CType) bool {
	var union *spec.Union
	if p.Role.Names == role.NamesUnion {
		union = c.UnionByGo(p.Type)
	}
	return slices.ContainsFunc(p.Role.Fits, func(s role.Shape) bool {
		if union != nil && (s.When != role.WhenUnion || t.Tag != union.C) {
			return false
		}
		return t.Has(s) && c.when(s.When, v, p)
	})
}

// when reports whether a condition of a shape holds for a parameter.
func (c *checker) when(w role.When, v *spec.Verb, p *spec.Param) bool {
	anyForm := func(has func(*form.Form) bool) bool {
		return slices.ContainsFunc(v.Methods, func(m spec.Method) bool { f := form.Of(v.C, m.Form); return f != nil && has(f) })
	}
	switch w {
	case role.WhenTyped:
		return p.Type != ""
	case role.WhenUntyped:
		return p.Type == ""
	case role.WhenUnion:
		return c.UnionByGo(p.Type) != nil
	case role.WhenCreates:
		return v.Creates != ""
	case role.WhenReads:
		return p.Reads
	case role.WhenOfData:
		return slices.ContainsFunc(v.Params, func(q spec.Param) bool { return q.Role == role.Data && q.Len == p.C })
	case role.WhenForm:
		return anyForm(func(f *form.Form) bool { return f.Sig != nil })
	case role.WhenGiven:
		return p.From != "" || alwaysFixed(v, p) || anyForm(func(f *form.Form) bool { return f.Runtime || f.Own })
	}
	return true
}

// alwaysFixed reports whether no method of a verb takes a parameter.
func alwaysFixed(v *spec.Verb, p *spec.Param) bool {
	return len(v.Methods) > 0 && !slices.ContainsFunc(v.Methods, func(m spec.Method) bool { _, fixed := m.Fixed[p.C]; return !fixed })
}

// typeProblem says why a parameter of a C type cannot have the Go type that the page gives it.
func (c *checker) typeProblem(p *spec.Param, t spec.CType) string {
	of := "" // the C type that the Go type is made of
	switch p.Role.Names {
	case role.NamesObject:
		if o := c.ObjectByGo(p.Type); o != nil {
			of = o.C
			if slices.Contains(o.Also, t.Tag) {
				of = t.Tag
			}
		}
	case role.NamesRecord:
		if r := c.RecordByGo(p.Type); r != nil {
			of = r.C
			if want := p.Role.Record; r.Role != want && of == t.Tag && !(p.Role == role.OutRecord && handsOn(r)) {
				return fmt.Sprintf("%s is a record of role %s, and a parameter of role %s takes one of role %s", r.Go, r.Role, p.Role, want)
			}
		}
	case role.NamesEnum:
		enum, bits := c.enumType(p.Type)
		if bits > t.Bits {
			return fmt.Sprintf("a parameter of type %s has %d bits, and %s has %d", t.C, t.Bits, p.Type, bits)
		}
		if t.Tag != "" {
			of = enum
		}
	}
	if cmp.Or(of, t.Tag) == t.Tag {
		return ""
	}
	return fmt.Sprintf("a parameter of type %s is no %s, which is made of %s", t.C, p.Type, of)
}

// handsOn reports whether a verb can fill a record that another one takes: one of values alone.
func handsOn(r *spec.Record) bool {
	return r.Plain() && !slices.ContainsFunc(r.Fields, func(f spec.RecordField) bool {
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

// length compares the length of memory or of a list with the header.
func (c *checker) length(v *spec.Verb, p *spec.Param, ctypes map[string]string) {
	named := slices.ContainsFunc(v.Params, func(q spec.Param) bool { return q.Len == p.C || q.Len == "" && q.Role.Takes("len") })
	if p.Role == role.Len && !named && c.hasRole(v, p, c.facts.TypeOf(ctypes[p.C])) {
		c.fail(p.At("role", p.Role.Name), v.C+"."+p.C, "no parameter names it under len:", "name it there, or give it the role in")
	}
	i := slices.IndexFunc(v.Params, func(q spec.Param) bool { return q.C == p.Len })
	if i < 0 {
		return // it has none, or that is reported elsewhere
	}
	if n := v.Params[i].Role; n != role.Len {
		c.fail(p.At("len", p.Len), v.C+"."+p.C, "len: "+p.Len+" has the role "+n.Name, "give it the role len")
		return
	}
	if t := c.facts.TypeOf(ctypes[p.Len]); p.Role.Passes == role.PassesHost && t.C != "" && (t.Bits != 64 || t.Signed) {
		c.fail(p.At("len", p.Len), v.C+"."+p.C, "the length "+p.Len+" is of type "+t.C+", and a length of memory has 64 bits without a sign",
			"correct len:")
	}
}

// mask finds a mask without its record, and a record without its mask.
func (c *checker) mask(v *spec.Verb, p *spec.Param) {
	has := func(as *role.Role) bool {
		return slices.ContainsFunc(v.Params, func(q spec.Param) bool { return q.Role == as && q.Type == p.Type })
	}
	r := c.RecordByGo(p.Type)
	switch {
	case p.Role == role.Mask && !has(role.InRecord):
		c.fail(p.At("role", p.Role.Name), v.C+"."+p.C, "no parameter of role in_record has the type "+p.Type+" that this is the mask of",
			"correct role: or type:")
	case p.Role == role.Mask && r != nil && r.MaskParam != p.C:
		c.fail(p.At("type", p.Type), v.C+"."+p.C, p.Type+" has its mask in mask_param: "+r.MaskParam, "correct mask_param: or role:")
	case p.Role == role.InRecord && r != nil && r.MaskParam != "" && r.Mask == "" && !has(role.Mask):
		c.fail(p.At("type", p.Type), v.C+"."+p.C, "the mask of "+p.Type+" is handed in by itself, and no parameter has the role mask",
			"give "+r.MaskParam+" the role mask")
	}
}
