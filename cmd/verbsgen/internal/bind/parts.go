package bind

import (
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// bindParts resolves the verbs that the generated code of verbs and handles calls beside their own.
func (b *binder) bindParts() {
	used := map[*model.Object]bool{}
	for _, v := range b.pkg.Verbs {
		s := b.VerbByC(v.C)
		used[v.Creates] = true
		b.requireCalls(v.C, s.Pos)
		var want []form.Part
		own := false
		for _, m := range v.Methods {
			f := form.Of(v.C, m.Form)
			want, own = append(want, f.Parts...), own || f.Own
		}
		v.Parts = b.parts(entry{v.C, s.At}, s.NeedsVerbs, want, true)
		for _, part := range v.Parts {
			if part.Verb != nil && own && part.Verb.Way == model.WayObject {
				part.Verb.Inner = true
			}
		}
		if next, end := v.Part(form.PartNext), v.Part(form.PartEnd); v.Reads != nil && next != nil && end != nil {
			v.Reads.Next, v.Reads.End = next.Dispatch.Op, end.Dispatch.Op
		}
	}
	for _, p := range b.Pages {
		each(p.Objects, func(s *spec.Object) {
			o := b.objects[s.Go]
			o.Parts = b.parts(entry{s.Go, s.At}, s.NeedsVerbs, form.PartsOf(s), used[o])
		})
	}
}

// parts resolves the verbs under needs_verbs, and compares them with the parts that there are. It refuses a release without a verb that
// generated code calls, if there is such code.
func (b *binder) parts(e entry, needs map[string]string, want []form.Part, called bool) map[string]*model.Part {
	known, out := map[string]bool{}, map[string]*model.Part{}
	for _, part := range want {
		known[part.Name] = true
		name, problem := needs[part.Name], ""
		v := b.VerbByC(name)
		if v != nil && part.Sig != nil {
			problem = b.misfit(name, v, part.Sig)
		}
		b.wrong(e.on(e.at("needs_verbs."+part.Name, name)),
			row{name == "" && !part.Optional, "", "needs_verbs: has no verb for the part " + part.Name, "name the verb"},
			row{name != "" && v == nil, "", "needs_verbs: names " + name + ", which no page describes", "describe it, or correct the name"},
			row{problem != "", "", name + " cannot be the part " + part.Name + ": " + problem, "name another verb"})
		if called && name != "" && b.verbs[name] == nil && !part.Optional {
			b.errorf(diag.NameUnknown, e.at("", ""), e.name, "the generated code calls "+name+", which this header does not declare",
				"use a complete verbs.h")
		}
	}
	for name, c := range needs {
		b.wrong(e.on(e.at("needs_verbs", name)), row{!known[name], "", "needs_verbs: there is no part " + name + " here", "remove it"})
		out[name] = &model.Part{C: c, Page: orZero(b.VerbByC(c)).Page, Verb: b.verbs[c]}
	}
	return out
}

// requireCalls refuses a release without a function that the file of a verb calls.
func (b *binder) requireCalls(c string, at spec.Pos) {
	for _, x := range form.FileOf(c).All() {
		if b.verbs[x.C] == nil && !x.Optional {
			b.errorf(diag.NameUnknown, at, c, "the generated code calls "+x.C+", which this header does not declare", "use a complete verbs.h")
		}
	}
}

// bindEvents resolves what asynchronous events concern. Events of a later release are left out.
func (b *binder) bindEvents() {
	for t := range b.Enums() {
		for _, x := range t.EventOf {
			e := b.types[t.Go]
			e.Events = append(e.Events, model.EventOf{Of: x.Of, Object: b.objectOf(x.Of), Members: x.Events})
		}
	}
}

// objectOf is the handle of a C tag, nil when no page has one.
func (b *binder) objectOf(tag string) *model.Object {
	return model.First(b.pkg.Objects, func(o *model.Object) bool { return o.C == tag })
}

// place resolves where a value stands in a record, such as the length of new device memory; nil for none.
func (b *binder) place(v *model.Verb, s *spec.Verb, key, path string, want shape) *model.Extent {
	if path == "" {
		return nil
	}
	param, field, _ := strings.Cut(path, ".")
	if p := v.Param(param); p != nil && p.Record != nil {
		if leaf := b.leaf(p.Record.Mirror, field); leaf != nil {
			b.shaped(entry{v.C, s.At}, key, path, path, b.facts.TypeOf(leaf.CType), want)
			return &model.Extent{Param: p, Leaf: leaf}
		}
	} else if p != nil && (p.Role == role.In || p.Role == role.Len) && field == "" {
		b.shaped(entry{v.C, s.At}, key, path, path, b.facts.TypeOf(p.CType), want)
		return &model.Extent{Param: p}
	}
	b.errorf(diag.NameUnknown, s.At(key, path), v.C, key+": "+path+" is no field of a record", "write it like attr.length")
	return nil
}

// bindMade resolves where a verb stores the object that it makes.
func (b *binder) bindMade(v *model.Verb, s *spec.Verb) {
	for _, p := range v.Params {
		if p.Role == role.Made {
			v.Made = &model.Made{Param: p}
		}
	}
	if s.MadeIn == "" {
		return
	}
	at := s.At("made_in", s.MadeIn)
	param, field, _ := strings.Cut(s.MadeIn, ".")
	p := v.Param(param)
	if p == nil || p.Object == nil || p.Object.From != nil || field == "" {
		b.errorf(diag.NameUnknown, at, v.C, "made_in: "+s.MadeIn+" is no field of an object that the verb takes", "write it like id.qp")
		return
	}
	if x := b.objectField(p.Object.C, field, at, v.C); x != nil {
		b.shaped(entry{v.C, s.At}, "made_in", s.MadeIn, s.MadeIn, b.facts.TypeOf(x.Type), b.pointers(s.Creates, 1))
		v.Made = &model.Made{Param: p, Field: field}
		b.read(p.Object, field, "unsafe.Pointer", *x)
	}
}

// implied resolves the flags that a method always sets: each goes to the parameter whose type has it.
func (b *binder) implied(v *model.Verb, m *spec.Method) map[string][]*model.Member {
	sets := map[string][]*model.Member{}
	for _, c := range m.ImpliesFlags {
		if !b.has(c) {
			continue
		}
		found := false
		for _, p := range v.Params {
			if p.Role != role.Flags || p.Enum == nil {
				continue
			}
			if x := memberOf(p.Enum, c); x != nil {
				sets[p.C], found = append(sets[p.C], x), true
			}
		}
		if !found {
			b.errorf(diag.TypeUnknown, m.At("implies_flags", c), m.Go, "no parameter of role flags has "+c, "remove it from implies_flags:")
		}
	}
	return sets
}

// bindIOVA resolves where addresses in a new memory region begin.
func (b *binder) bindIOVA(v *model.Verb, s *spec.Verb) {
	if v.Creates == nil || v.Creates.Region == nil || len(s.IOVA) == 0 {
		return
	}
	v.IOVA = &model.IOVA{Unknown: s.IOVA[0] == spec.IOVAUnknown}
	for i, path := range s.IOVA {
		at := entry{v.C, s.At}.on(s.At("iova", path))
		if path == spec.IOVAZero || path == spec.IOVAUnknown {
			b.wrong(at, row{len(s.IOVA) > 1, "iova", "iova: " + path + " is beside others", "keep one of them"})
			continue
		}
		param, field, nested := strings.Cut(path, ".")
		from := model.IOVAFrom{Param: v.Param(param)}
		if nested && from.Param != nil && from.Param.Record != nil {
			from.Field = from.Param.Record.Field(field)
		}
		if from.Param == nil || nested && from.Field == nil {
			b.errorf(diag.NameUnknown, s.At("iova", path), v.C, "iova: "+path+" is neither a parameter nor a field of a record", "correct iova:")
			continue
		}
		given, ctype := from.Field == nil || from.Field.Bit == nil, from.Param.CType
		if nested {
			ctype = from.Field.Leaf.CType
		}
		b.shaped(at, "iova", path, path, b.facts.TypeOf(ctype), address)
		b.wrong(at, row{i < len(s.IOVA)-1 && given, "iova",
			"iova: " + path + " is always given, so that what is behind it never counts", "let it be the last"})
		v.IOVA.From = append(v.IOVA.From, from)
	}
	if len(v.IOVA.From) > 0 && v.Creates.Region.Vague != nil {
		v.IOVA.Vague = flagged(v, v.Creates.Region.Vague.C)
	}
}

// flagged finds the parameter or field whose type has a flag, or nil.
func flagged(v *model.Verb, flag string) *model.IOVAFrom {
	has := func(e *model.Enum) bool { return e != nil && e.Flags && memberOf(e, flag) != nil }
	for _, p := range v.Params {
		if has(p.Enum) {
			return &model.IOVAFrom{Param: p}
		}
		if p.Taken() == nil {
			continue
		}
		for _, f := range p.Record.Fields {
			if has(f.Enum) {
				return &model.IOVAFrom{Param: p, Field: f}
			}
		}
	}
	return nil
}
