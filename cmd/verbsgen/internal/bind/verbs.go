package bind

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// bindVerbs makes the bound functions, in header order.
func (b *binder) bindVerbs() {
	for i := range b.in.Release.Functions {
		f := &b.in.Release.Functions[i]
		s := b.specOf[f.Name]
		if s == nil || !b.want[f.Name] {
			continue
		}
		v := b.bindVerb(f, s)
		b.verbs[v.C] = v
		b.pkg.Verbs = append(b.pkg.Verbs, v)
	}
	for _, v := range b.pkg.Verbs {
		if s := b.specOf[v.C]; s.EndedBy != "" {
			if v.EndedBy = b.verbs[s.EndedBy]; v.EndedBy == nil {
				b.errorf(diag.NameUnknown, s.At("ended_by", s.EndedBy), v.C,
					"ended_by: names "+s.EndedBy+", which no page describes, or which this header does not have", "correct ended_by:")
			}
		}
	}
	b.pinHelper()
	for _, p := range b.in.Spec.Pages {
		for _, s := range p.Objects {
			b.objects[s.Go].Destroy = b.verbs[s.Destroy]
			if b.specOf[s.Destroy] == nil {
				b.errorf(diag.NameUnknown, s.Pos, s.Go, "destroy: names "+s.Destroy+", which no page describes", "correct destroy:")
			}
		}
	}
}

// marks lists the properties that a call gives a value, by name.
func marks(by map[string]string) (out []model.Mark) {
	for _, prop := range slices.Sorted(maps.Keys(by)) {
		out = append(out, model.Mark{Prop: prop, Set: by[prop] == "1"})
	}
	return out
}

func (b *binder) bindVerb(f *api.Function, s *spec.Verb) *model.Verb {
	v := &model.Verb{C: f.Name, Go: model.Exported(b.facts.Bare(f.Name)), Page: s.Page, Doc: s.Doc, Since: b.since(f.Name),
		Returns: s.Returns, CRet: f.Ret, Callbacks: s.Callbacks, Updates: s.Updates,
		Marks: marks(s.Marks), Node: s.Node, Pos: pos(s.Pos), Dispatch: f.Dispatch}
	if s.Creates != "" {
		if v.Creates = b.object(s.Creates); v.Creates == nil {
			b.errorf(diag.TypeUnknown, s.Pos, f.Name, "no object "+s.Creates+" in any page", "correct creates:")
		}
	}
	b.bindResult(v, s)
	b.bindParams(v, f, s)
	b.bindMade(v, s)
	b.bindWay(v, f, s)
	v.Reads, v.Empty = b.lazies[s.Lists], s.Empty
	if s.Lists != "" && v.Reads == nil {
		if v.Lists = b.records[s.Lists]; v.Lists == nil || !v.Lists.Entry {
			b.errorf(diag.TypeUnknown, s.At("lists", s.Lists), f.Name, "no record "+s.Lists+" of role entry or lazy in any page", "correct lists:")
		}
	}
	v.Extent, v.Asks = b.place(v, s, "extent", s.Extent), b.place(v, s, "asks", s.Asks)
	b.bindIOVA(v, s)
	b.bindRoute(v, s)
	for i := range s.Methods {
		b.bindMethod(v, &s.Methods[i])
	}
	return v
}

// bindResult finds the Go type of a value that cannot fail. Whether the page may say it is for package fit.
func (b *binder) bindResult(v *model.Verb, s *spec.Verb) {
	switch t := b.facts.TypeOf(v.CRet); {
	case s.Returns != spec.RetValue:
	case s.Result != "":
		if v.Result, v.Enum = s.Result, b.types[s.Result]; v.Enum == nil {
			b.errorf(diag.TypeUnknown, s.At("result", s.Result), v.C, "no flag or enum type "+s.Result+" in any page", "correct result:")
		}
	case t.Kind == spec.CText:
		v.Result = "string"
	case v.CRet == "_Bool":
		v.Result = "bool"
	case !t.Pointer:
		v.Result = intOf(scalar(v.CRet))
	}
}

// bindMethod resolves one Go face of a verb.
func (b *binder) bindMethod(v *model.Verb, m *spec.Method) {
	f := form.Of(v.C, m.Form)
	if f == nil {
		return // reported by package fit
	}
	recv, name, ok := strings.Cut(m.Go, ".")
	if !ok || recv != form.RecvLib && b.objects[recv] == nil && f.Name != form.Special {
		b.errorf(diag.TypeUnknown, m.Pos, v.C, "method "+m.Go+" must be called TYPE.NAME, where TYPE is an object or Lib",
			"write it like PD.RegMR")
		return
	}
	v.Explained = v.Explained || f.Requests != ""
	v.Methods = append(v.Methods, &model.Method{Recv: recv, Name: name, Form: m.Form, Fixed: b.fixed(m), Pair: m.Pair,
		Sets: b.implied(v, m), Doc: m.Doc})
}

// fixed resolves the values that a method fixes.
func (b *binder) fixed(m *spec.Method) map[string]uint64 {
	out := map[string]uint64{}
	for _, c := range slices.Sorted(maps.Keys(m.Fixed)) {
		text := m.Fixed[c]
		n, ok := spec.ParseInt(text)
		if !ok {
			n = b.facts.Const(text)
		}
		if n == nil || !n.IsUint64() {
			b.errorf(diag.NameUnknown, m.At("fixed."+c, text), m.Go,
				"parameter "+c+" is fixed to "+text+", which is no number and no constant of this header that is not negative",
				"correct the value")
			continue
		}
		out[c] = n.Uint64()
	}
	return out
}

// bindParams resolves the parameters of the header by those of the spec.
func (b *binder) bindParams(v *model.Verb, f *api.Function, s *spec.Verb) {
	params := b.facts.Callable(f)
	byName := map[string]spec.Param{}
	for _, p := range s.Params {
		byName[p.C] = p
		if !slices.ContainsFunc(params, func(q api.Param) bool { return q.Name == p.C }) {
			b.errorf(diag.NameUnknown, p.Pos, f.Name, "no parameter "+p.C+" in the header", "the header has "+paramNames(params))
		}
	}
	for _, q := range params {
		p, ok := byName[q.Name]
		if !ok {
			b.errorf(diag.ParamUndecided, s.Pos, f.Name, "parameter "+q.Name+" of the header is not under params:", "add it")
			continue
		}
		v.Params = append(v.Params, b.bindParam(f.Name, q, p))
	}
	for _, p := range v.Params {
		if n := byName[p.C].Len; n != "" {
			if p.Len = v.Param(n); p.Len == nil {
				b.errorf(diag.NameUnknown, byName[p.C].Pos, f.Name, "len: names "+n+", which is not a parameter", "correct len:")
			}
		}
	}
}

func (b *binder) bindParam(verb string, q api.Param, s spec.Param) *model.Param {
	p := &model.Param{C: q.Name, Go: cmp.Or(s.Go, model.ParamName(q.Name)), CType: q.Type, Role: s.Role, Null: s.Null, Parent: s.Parent,
		Moves: s.Moves, Rest: s.Rest, Count: s.Count, Most: s.Most, Hex: s.Hex, Doc: s.Doc,
		GoType: s.Role.GoType, Big: b.facts.TypeOf(q.Type).BigEndian()}
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
	case s.Role == role.Filled: // with numbers, or bytes
		p.GoType = cmp.Or(scalar(pointee(q.Type)), "byte")
	case s.Role == role.In && q.Type == "_Bool":
		p.GoType = "bool"
	case s.Role.Number() && !isPointer(q.Type):
		if p.GoType = intOf(scalar(q.Type)); p.GoType == "" && t.Kind == spec.CInt {
			b.errorf(diag.TypeUnknown, s.Pos, verb+"."+q.Name, "C type "+q.Type+" has no Go type", "give the parameter another role")
		}
	}
	if s.Field != "" {
		p.Field = b.fieldOfOther(p, s, verb)
	}
	if s.Bit != "" {
		if value, ok := b.lookup(s.Bit, s.At("bit", s.Bit), verb+"."+q.Name); ok {
			p.Bit = &model.Member{C: s.Bit, Value: value}
		}
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
			continue // of a later release, or package fit reports it
		}
		as := func(f *api.Field, to *role.Role, typ, name string) *model.Param {
			return b.bindParam(verb, api.Param{Name: s.C + "." + f.Name, Type: f.Type},
				spec.Param{C: s.C + "." + f.Name, Role: to, Type: typ, Go: model.ParamName(name), Pos: x.Pos})
		}
		p.Pairs = append(p.Pairs, &model.Pair{Name: x.Name, InAt: in.Offset, OutAt: out.Offset, In: as(in, role.Handle, x.Type, x.Name),
			Out: as(out, role.OutRecord, x.Fills, x.Name+"_info")})
	}
}

// fieldOfOther finds the pointer in an object of another module that a function takes in place of the object.
func (b *binder) fieldOfOther(p *model.Param, s spec.Param, verb string) *int64 {
	if p.Object != nil && p.Object.From != nil {
		for _, r := range known(b.in.Spec.Module.UseOf(p.Object.From.Name).Spec.Module.Facts) {
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
		p.Union, found = b.unions[s.Type], true // package fit reports a type that is not one
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
