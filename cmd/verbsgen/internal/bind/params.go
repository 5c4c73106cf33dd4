package bind

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// callableType is the C type of a parameter, as users call the function; zero where it has none of that name.
func (b *binder) callableType(fn *api.Function, name string) spec.CType {
	for _, q := range b.facts.Callable(fn) {
		if q.Name == name {
			return b.facts.TypeOf(q.Type)
		}
	}
	return spec.CType{}
}

// bindParams resolves the parameters of the header by those of the page, and compares their roles and types with their C types.
func (b *binder) bindParams(v *model.Verb, f *api.Function, s *spec.Verb) {
	params := b.facts.Callable(f)
	var bits []bit
	for i := range s.Params {
		p := &s.Params[i]
		e := entry{v.C + "." + p.C, p.At}
		bits = append(bits, bit{p.Bit, e})
		b.wrong(e,
			row{b.imports(p), "go", "a package that the generated one imports has the name of the parameter", "choose another name under go:"},
			row{model.Reserved(p.Go), "go", "the generated methods use the name " + p.Go + " themselves", "choose another name under go:"},
			row{p.Type != "" && (p.Role.Names == role.NamesUnion || p.Role.Names == role.NamesValue && !b.isValue(p.Type)) &&
				b.UnionByGo(p.Type) == nil, "type",
				"a parameter of role " + p.Role.Name + " cannot have type: " + p.Type, "leave type: out: the Go type follows from the C type"})
		if !slices.ContainsFunc(params, func(q api.Param) bool { return q.Name == p.C }) {
			b.errorf(diag.NameUnknown, p.Pos, f.Name, "no parameter "+p.C+" in the header", "the header has "+paramNames(params))
			continue
		}
		b.checkParam(s, p, b.callableType(f, p.C))
		b.length(s, p, f)
		b.mask(s, p)
	}
	b.sameEnum(bits, "of the verb")
	for _, q := range params {
		p := s.Param(q.Name)
		if p == nil {
			b.errorf(diag.ParamUndecided, s.Pos, f.Name, "parameter "+q.Name+" of the header is not under params:", "add it")
			continue
		}
		v.Params = append(v.Params, b.bindParam(f.Name, q, *p))
	}
	for _, p := range v.Params { // one that the header lacks was reported
		p.Len = v.Param(s.Param(p.C).Len)
	}
}

func (b *binder) bindParam(verb string, q api.Param, s spec.Param) *model.Param {
	p := &model.Param{C: q.Name, Go: cmp.Or(s.Go, model.ParamName(q.Name)), CType: q.Type, Role: s.Role, Null: s.Null, Parent: s.Parent,
		Moves: s.Moves, Rest: s.Rest, Count: s.Count, Most: s.Most, Hex: s.Hex, Doc: s.Doc, Unjudged: s.Unjudged != "",
		GoType: s.Role.GoType, Big: b.facts.TypeOf(q.Type).BigEndian(), Bit: b.member(s.Bit)}
	if s.Type != "" {
		b.bindType(verb, p, s)
	}
	switch t := b.facts.TypeOf(q.Type); {
	case s.Role == role.Bytes && t.Record() != nil:
		p.Size = t.Record().Size
	case s.Role == role.Counted && t.Counted() != nil:
		p.Counted = counted(t)
	case s.Role == role.Pair && t.Record() != nil:
		p.Size = t.Record().Size
		b.bindPairs(verb, p, s, t.Record())
	case p.GoType != "" || s.Role.Names == role.NamesMask || s.Role.Names == role.NamesSize:
	case s.Role == role.Data:
		p.GoType = "[]byte"
		if elem := scalar(pointee(q.Type)); sizes[elem] > 1 && !s.Bytes {
			p.GoType = "[]" + elem
		}
	case s.Role == role.Filled: // with numbers, or bytes
		p.GoType = cmp.Or(scalar(pointee(q.Type)), "byte")
	case s.Role == role.In && q.Type == "_Bool", s.Role == role.Out && q.Type == "_Bool *":
		p.GoType = "bool"
	case s.Role.Number() && !isPointer(q.Type):
		if p.GoType = intOf(scalar(q.Type)); t.Tag != "" { // an enum without a Go type
			p.GoType = map[bool]string{true: "int", false: "uint32"}[t.Signed]
		}
		if p.GoType == "" && t.Kind == spec.CInt {
			b.errorf(diag.TypeUnknown, s.Pos, verb+"."+q.Name, "C type "+q.Type+" has no Go type", "give the parameter another role")
		}
	}
	if s.Field != "" {
		p.Field = b.fieldOfOther(p, s, verb)
	}
	return p
}

// counted is the struct before bytes that it counts, or nil.
func counted(t spec.CType) *model.Counted {
	if n := t.Counted(); n != nil {
		return &model.Counted{Count: scalar(n.Type), Size: t.Record().Size}
	}
	return nil
}

// bindPairs resolves the members of the struct of a parameter of role pair, as parameters of their own.
func (b *binder) bindPairs(verb string, p *model.Param, s spec.Param, r *api.Record) {
	for _, x := range s.Pairs {
		in, out := r.Field(x.Name+".in"), r.Field(x.Name+".out")
		if in == nil || out == nil {
			continue // of a later release, or reported by pairs
		}
		as := func(f *api.Field, to *role.Role, typ, name string) *model.Param {
			return b.bindParam(verb, api.Param{Name: s.C + "." + f.Name, Type: f.Type},
				spec.Param{C: s.C + "." + f.Name, Role: to, Type: typ, Go: model.ParamName(name), Entry: spec.Entry{Pos: x.Pos}})
		}
		p.Pairs = append(p.Pairs, &model.Pair{Name: x.Name, Owns: x.Owns, InAt: in.Offset, OutAt: out.Offset,
			In: as(in, role.Handle, x.Type, x.Name), Out: as(out, role.OutRecord, x.Fills, x.Name+"_info")})
	}
}

// fieldOfOther finds the pointer in an object of another module that a function takes in place of the object.
func (b *binder) fieldOfOther(p *model.Param, s spec.Param, verb string) *int64 {
	if p.Object != nil && p.Object.From != nil {
		for _, r := range known(b.Module.UseOf(p.Object.From.Name).Spec.Module.Facts) {
			if f := r.Field(s.Field); r.Tag == "struct "+p.Object.C && f != nil && f.Type == p.CType {
				return &f.Offset
			}
		}
	}
	b.errorf(diag.NameUnknown, s.At("field", s.Field), verb+"."+p.C, "field: "+s.Field+" is not a field of type "+p.CType+
		" in the known C struct of an object of another module", "correct field: or type:")
	return nil
}

// known are the records of the newest release of which facts are stored in a file.
func known(file string) []api.Record {
	stored, err := api.KnownOf(file)
	if err != nil || stored.Newest() == "" {
		return nil
	}
	rel, err := stored.Load(stored.Newest())
	if err != nil {
		return nil
	}
	return rel.Records
}

// bindType resolves what `type:` of a parameter names, as its role says.
func (b *binder) bindType(verb string, p *model.Param, s spec.Param) {
	found, what := false, ""
	p.GoType = s.Type
	switch s.Role.Names {
	case role.NamesObject:
		var o *model.Object
		o, what = b.object(s.Type), "object "+s.Type
		if found = o != nil; found {
			p.GoType = o.Type()
		}
		if p.Object = o; s.Role.List {
			p.Object, p.Handles = nil, o
		}
	case role.NamesRecord:
		p.Record, what = b.record(s.Type), "record "+s.Type
		if found = p.Record != nil; found {
			p.GoType = cmp.Or(p.Record.Ref, s.Type)
		}
	case role.NamesMask:
		p.Record, what, p.GoType = b.record(s.Type), "record "+s.Type+" with mask_param:", ""
		found = p.Record != nil && p.Record.Beside
	case role.NamesSize:
		p.Record, what, p.GoType = b.records[s.Type], "record "+s.Type+" of this module", ""
		found = p.Record != nil
	case role.NamesEnum:
		p.Enum, what = b.enumType(s.Type), "flag or enum type "+s.Type
		if found = p.Enum != nil; found && p.Enum.Go != s.Type { // of another module
			p.GoType = p.Enum.Go
		}
	case role.NamesUnion, role.NamesValue:
		p.Union, found = b.unions[s.Type], true // bindParams reports a type that is not one
		if p.Union == nil && s.Role.Names == role.NamesValue {
			if p.Enum = b.enumType(s.Type); p.Enum != nil {
				p.GoType = p.Enum.Go
			}
		}
	}
	if !found {
		b.errorf(diag.TypeUnknown, s.Pos, verb+"."+p.C, "no "+what+" in any page", "correct type:")
	}
}

func paramNames(params []api.Param) string {
	var names []string
	for _, p := range params {
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// imports reports whether the Go name of a parameter is that of a package with the types of another module.
func (b *binder) imports(p *spec.Param) bool {
	name := cmp.Or(p.Go, model.ParamName(p.C))
	return slices.ContainsFunc(b.Module.Uses, func(u spec.Use) bool { return path.Base(u.Import) == name })
}

// checkParam compares one parameter with its C type.
func (b *binder) checkParam(v *spec.Verb, p *spec.Param, t spec.CType) {
	e, fix := entry{v.C + "." + p.C, p.At}, "correct role:"
	if p.Role == role.Data && t.Pointer && !t.Const() {
		fix = "write reads: true if the call leaves the bytes as they are, or correct role:"
	}
	r := orZero(b.RecordByGo(p.Type))
	if !b.first(e,
		row{!b.hasRole(v, p, t) && t.Kind == spec.CFunc, "role", callback, "skip it with this reason"},
		row{!b.hasRole(v, p, t), "role", "a parameter of type " + t.C + " cannot have the role " + p.Role.Name, fix},
		row{p.Null && !t.Pointer, "null", "a parameter of type " + t.C + " is never NULL", "remove null:"},
		row{p.Null && p.Role == role.InRecord && strings.Contains(p.Type, ".") && !alwaysFixed(v, p), "null",
			"a builder of another module is always given", "remove null:, or fix the parameter to NULL in each method"},
		row{p.Role.List && strings.Contains(p.Type, ".") && r.Go != "" && r.Runtime == "", "type",
			"a list of records of another module takes those of package dpath only, such as verbs.SGE", "correct type:"},
		row{p.Bytes && sizes[scalar(pointee(t.C))] < 2, "bytes", "a length of " + t.C + " counts bytes in any case", "remove bytes:"},
		row{p.Reads && t.Const(), "reads", "a parameter of type " + t.C + " is only read in any case", "remove reads:"},
		row{p.Role.Names == role.NamesRecord && r.Go != "" && r.C == t.Tag && r.Role != p.Role.Record &&
			!(p.Role == role.OutRecord && handsOn(r)), "type",
			r.Go + " is a record of role " + r.Role + ", and a parameter of role " + p.Role.Name + " takes one of role " + p.Role.Record, ""}) {
		b.shaped(e, "type", p.Type, "it", t, b.typed(p))
		b.checkPairs(v, p, t)
	}
	if p.Role == role.Made {
		b.shaped(e, "role", p.Role.Name, "it", t, b.pointers(v.Creates, 2))
	}
}

// handsOn reports whether a verb may fill a record that another takes.
func handsOn(r *spec.Record) bool { return r.Plain() && holds(r) == 0 }

// checkPairs compares the members of a parameter of role pair with the header, and the methods with them.
func (b *binder) checkPairs(v *spec.Verb, p *spec.Param, t spec.CType) {
	e := entry{v.C + "." + p.C, p.At}
	for _, x := range p.Pairs {
		for _, half := range []struct {
			name, typ string
			role      *role.Role
		}{{x.Name + ".in", x.Type, role.Handle}, {x.Name + ".out", x.Fills, role.OutRecord}} {
			f, ok := b.fieldType(t.Tag, half.name)
			e := e.on(x.Pos)
			if !b.first(e, row{!ok, "", "struct " + t.Tag + " has no field " + half.name, "correct pairs:"}) {
				b.shaped(e, "", half.typ, "it", f, b.typed(&spec.Param{Type: half.typ, Role: half.role}))
			}
		}
	}
	for _, m := range v.Methods {
		known := slices.ContainsFunc(p.Pairs, func(x spec.Pair) bool { return x.Name == m.Pair })
		b.wrong(entry{v.C, m.At}, row{p.Role == role.Pair && !known, "pair",
			m.Go + " does not say which of pairs: it is for", "name it under pair:"})
	}
}

// typed is the shape of what type: of a parameter names.
func (b *binder) typed(p *spec.Param) shape {
	o, r := b.ObjectByGo(p.Type), b.RecordByGo(p.Type)
	switch {
	case p.Field != "": // fieldOfOther knows the other module
		return shape{}
	case p.Role.Names == role.NamesObject && o != nil && o.C == spec.ObjectInt:
		return shape{"an int", code}
	case p.Role.Names == role.NamesObject && o != nil:
		return shape{"a struct " + o.C, func(t spec.CType) bool { return t.Tag == o.C || slices.Contains(o.Also, t.Tag) }}
	case p.Role.Names == role.NamesRecord && r != nil:
		return shape{"a struct " + r.C, func(t spec.CType) bool { return t.Tag == r.C }}
	case p.Role.Names == role.NamesEnum:
		return b.enumShape(p.Type, "least")
	case p.Role.Names == role.NamesValue && b.isValue(p.Type):
		return b.sameShape(p.Type)
	}
	return shape{}
}

// hasRole reports whether a C type can have the role of a parameter.
func (b *binder) hasRole(v *spec.Verb, p *spec.Param, t spec.CType) bool {
	var union *spec.Union
	if p.Role.Names == role.NamesUnion || p.Role.Names == role.NamesValue {
		union = b.UnionByGo(p.Type)
	}
	return slices.ContainsFunc(p.Role.Fits, func(s role.Shape) bool {
		if union != nil && (s.When != role.WhenUnion || t.Tag != union.C) {
			return false
		}
		return t.Has(s) && b.when(s.When, v, p)
	})
}

// when reports whether a condition of a shape holds for a parameter.
func (b *binder) when(w role.When, v *spec.Verb, p *spec.Param) bool {
	switch w {
	case role.WhenTyped:
		return p.Type != ""
	case role.WhenUntyped:
		return p.Type == ""
	case role.WhenInt:
		return orZero(b.ObjectByGo(p.Type)).C == spec.ObjectInt
	case role.WhenUnion:
		return b.UnionByGo(p.Type) != nil
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
func (b *binder) length(v *spec.Verb, p *spec.Param, fn *api.Function) {
	named := slices.ContainsFunc(v.Params, func(q spec.Param) bool {
		return q.Len == p.C || q.Len == "" && q.Role.Takes("len") && q.Role != role.Sockaddr
	})
	e, of := entry{v.C + "." + p.C, p.At}, v.Param(p.Len)
	b.wrong(e, row{p.Role == role.Len && !named && b.hasRole(v, p, b.callableType(fn, p.C)), "role", "no parameter names it under len:",
		"name it there, or give it the role in"})
	if of == nil || b.first(e, row{of.Role != role.Len, "len", "len: " + p.Len + " has the role " + of.Role.Name, "give it the role len"}) {
		return // it has none, or that is reported with the names
	}
	if t := b.callableType(fn, p.Len); t.C != "" && p.Role.Passes == role.PassesHost {
		b.shaped(e, "len", p.Len, "the length "+p.Len, t, length)
	}
}

// mask finds a mask without its record, and a record without its mask.
func (b *binder) mask(v *spec.Verb, p *spec.Param) {
	has := func(as *role.Role) bool {
		return slices.ContainsFunc(v.Params, func(q spec.Param) bool { return q.Role == as && q.Type == p.Type })
	}
	r := orZero(b.RecordByGo(p.Type))
	b.first(entry{v.C + "." + p.C, p.At},
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
