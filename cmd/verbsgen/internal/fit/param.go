package fit

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// params compares the roles and types of parameters with their C types.
func (c *checker) params(v *spec.Verb, fn *api.Function) {
	ctypes := map[string]spec.CType{}
	if fn != nil {
		for _, q := range c.facts.Callable(fn) {
			ctypes[q.Name] = c.facts.TypeOf(q.Type)
		}
	}
	var bits []bit
	for i := range v.Params {
		p := &v.Params[i]
		e := entry{v.C + "." + p.C, p.At}
		bits = append(bits, bit{p.Bit, e})
		c.all(e,
			row{c.imports(p), "go", "a package that the generated one imports has the name of the parameter", "choose another name under go:"},
			row{model.Reserved(p.Go), "go", "the generated methods use the name " + p.Go + " themselves", "choose another name under go:"},
			row{p.Type != "" && (p.Role.Names == role.NamesUnion || p.Role.Names == role.NamesValue && !c.isValue(p.Type)) &&
				c.UnionByGo(p.Type) == nil, "type",
				"a parameter of role " + p.Role.Name + " cannot have type: " + p.Type, "leave type: out: the Go type follows from the C type"})
		if t, ok := ctypes[p.C]; ok {
			c.param(v, p, t)
		}
		if fn != nil {
			c.length(v, p, ctypes)
			c.mask(v, p)
		}
	}
	c.sameEnum(bits, "of the verb")
}

// imports reports whether the Go name of a parameter is that of a package with the types of another module.
func (c *checker) imports(p *spec.Param) bool {
	name := cmp.Or(p.Go, model.ParamName(p.C))
	return slices.ContainsFunc(c.Module.Uses, func(u spec.Use) bool { return path.Base(u.Import) == name })
}

// param compares one parameter with its C type.
func (c *checker) param(v *spec.Verb, p *spec.Param, t spec.CType) {
	e, fix := entry{v.C + "." + p.C, p.At}, "correct role:"
	if p.Role == role.Data && t.Pointer && !t.Const() {
		fix = "write reads: true if the call leaves the bytes as they are, or correct role:"
	}
	r := orZero(c.RecordByGo(p.Type))
	handsOn := p.Role == role.OutRecord && r.Plain() && holds(r) == 0 // another verb takes what this one fills
	if !c.first(e,
		row{!c.hasRole(v, p, t), "role", "a parameter of type " + t.C + " cannot have the role " + p.Role.Name, fix},
		row{p.Null && !t.Pointer, "null", "a parameter of type " + t.C + " is never NULL", "remove null:"},
		row{p.Null && p.Role == role.InRecord && strings.Contains(p.Type, ".") && !alwaysFixed(v, p), "null",
			"a builder of another module is always given", "remove null:, or fix the parameter to NULL in each method"},
		row{p.Role.List && strings.Contains(p.Type, ".") && r.Go != "" && r.Runtime == "", "type",
			"a list of records of another module takes those of package dpath only, such as verbs.SGE", "correct type:"},
		row{p.Reads && t.Const(), "reads", "a parameter of type " + t.C + " is only read in any case", "remove reads:"},
		row{p.Role.Names == role.NamesRecord && r.Go != "" && r.C == t.Tag && r.Role != p.Role.Record && !handsOn, "type",
			r.Go + " is a record of role " + r.Role + ", and a parameter of role " + p.Role.Name + " takes one of role " + p.Role.Record, ""}) {
		c.fits(e, "type", p.Type, "it", t, c.typed(p))
		c.pairs(v, p, t)
	}
	if p.Role == role.Made {
		c.fits(e, "role", p.Role.Name, "it", t, c.pointers(v.Creates, 2))
	}
}

// pairs compares the members of a parameter of role pair with the header, and the methods with them.
func (c *checker) pairs(v *spec.Verb, p *spec.Param, t spec.CType) {
	e := entry{v.C + "." + p.C, p.At}
	for _, x := range p.Pairs {
		for _, half := range []struct {
			name, typ string
			role      *role.Role
		}{{x.Name + ".in", x.Type, role.Handle}, {x.Name + ".out", x.Fills, role.OutRecord}} {
			f, ok := c.fieldType(t.Tag, half.name)
			e := e.on(x.Pos)
			if !c.first(e, row{!ok, "", "struct " + t.Tag + " has no field " + half.name, "correct pairs:"}) {
				c.fits(e, "", half.typ, "it", f, c.typed(&spec.Param{Type: half.typ, Role: half.role}))
			}
		}
	}
	for _, m := range v.Methods {
		known := slices.ContainsFunc(p.Pairs, func(x spec.Pair) bool { return x.Name == m.Pair })
		c.all(entry{v.C, m.At}, row{p.Role == role.Pair && !known, "pair",
			m.Go + " does not say which of pairs: it is for", "name it under pair:"})
	}
}

// typed is the shape of what type: of a parameter names.
func (c *checker) typed(p *spec.Param) shape {
	o, r := c.ObjectByGo(p.Type), c.RecordByGo(p.Type)
	switch {
	case p.Field != "": // package bind knows the other module
		return shape{}
	case p.Role.Names == role.NamesObject && o != nil:
		return shape{"a struct " + o.C, func(t spec.CType) bool { return t.Tag == o.C || slices.Contains(o.Also, t.Tag) }}
	case p.Role.Names == role.NamesRecord && r != nil:
		return shape{"a struct " + r.C, func(t spec.CType) bool { return t.Tag == r.C }}
	case p.Role.Names == role.NamesEnum:
		return c.enumShape(p.Type, "least")
	case p.Role.Names == role.NamesValue && c.isValue(p.Type):
		return c.sameShape(p.Type)
	}
	return shape{}
}

// hasRole reports whether a C type can have the role of a parameter.
func (c *checker) hasRole(v *spec.Verb, p *spec.Param, t spec.CType) bool {
	var union *spec.Union
	if p.Role.Names == role.NamesUnion || p.Role.Names == role.NamesValue {
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
	case role.WhenOfRead:
		return slices.ContainsFunc(v.Params, func(q spec.Param) bool {
			return (q.Role == role.Data || q.Role == role.Slice) && q.Len == p.C
		})
	case role.WhenGiven:
		return p.From != "" || alwaysFixed(v, p) || anyForm(v, func(f *form.Form) bool { return f.Runtime || f.Own })
	}
	return true
}

// alwaysFixed reports whether no method of a verb takes a parameter.
func alwaysFixed(v *spec.Verb, p *spec.Param) bool {
	return len(v.Methods) > 0 && !slices.ContainsFunc(v.Methods, func(m spec.Method) bool { _, fixed := m.Fixed[p.C]; return !fixed })
}

// length compares the length of memory or of a list with the header.
func (c *checker) length(v *spec.Verb, p *spec.Param, ctypes map[string]spec.CType) {
	named := slices.ContainsFunc(v.Params, func(q spec.Param) bool { return q.Len == p.C || q.Len == "" && q.Role.Takes("len") })
	e, of := entry{v.C + "." + p.C, p.At}, v.Param(p.Len)
	c.all(e, row{p.Role == role.Len && !named && c.hasRole(v, p, ctypes[p.C]), "role", "no parameter names it under len:",
		"name it there, or give it the role in"})
	if of == nil || c.first(e, row{of.Role != role.Len, "len", "len: " + p.Len + " has the role " + of.Role.Name, "give it the role len"}) {
		return // it has none, or that is reported elsewhere
	}
	if t, ok := ctypes[p.Len]; ok && p.Role.Passes == role.PassesHost {
		c.fits(e, "len", p.Len, "the length "+p.Len, t, length)
	}
}

// mask finds a mask without its record, and a record without its mask.
func (c *checker) mask(v *spec.Verb, p *spec.Param) {
	has := func(as *role.Role) bool {
		return slices.ContainsFunc(v.Params, func(q spec.Param) bool { return q.Role == as && q.Type == p.Type })
	}
	r := orZero(c.RecordByGo(p.Type))
	c.first(entry{v.C + "." + p.C, p.At},
		row{p.Role == role.InOutRecord && (!strings.Contains(p.Type, ".") || r.MaskParam == "" || !has(role.OutMask)), "type",
			p.Type + " is not a record of another module with its mask in a parameter of role out_mask", "correct role: or type:"},
		row{p.Role == role.OutMask && !has(role.InOutRecord), "role",
			"no parameter of role in_out_record has the type " + p.Type + " that this is the mask of", "correct role: or type:"},
		row{p.Role == role.Mask && !has(role.InRecord), "role",
			"no parameter of role in_record has the type " + p.Type + " that this is the mask of", "correct role: or type:"},
		row{p.Role == role.Mask && r.Go != "" && r.MaskParam != p.C, "type", p.Type + " has its mask in mask_param: " + r.MaskParam,
			"correct mask_param: or role:"},
		row{p.Role == role.Size && !has(role.InRecord) && !has(role.OutRecord), "type",
			"no parameter of role in_record or out_record has the type " + p.Type + " that this is the size of", "correct role: or type:"},
		row{p.Role == role.InRecord && r.MaskParam != "" && r.Mask == "" && !has(role.Mask), "type",
			"the mask of " + p.Type + " is passed by itself, and no parameter has the role mask", "give " + r.MaskParam + " the role mask"})
}
