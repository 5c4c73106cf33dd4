package bind

import (
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/role"
)

// bindParts resolves the verbs that the generated code of verbs and handles calls beside their own.
func (b *binder) bindParts() {
	resolve := func(needs map[string]string) map[string]*model.Part {
		parts := map[string]*model.Part{}
		for name, c := range needs {
			parts[name] = &model.Part{C: c, Verb: b.verbs[c]}
			if s := b.specOf[c]; s != nil {
				parts[name].Page = s.Page
			}
		}
		return parts
	}
	used := map[*model.Object]bool{}
	for _, v := range b.pkg.Verbs {
		s := b.specOf[v.C]
		v.Parts = resolve(s.NeedsVerbs)
		used[v.Creates] = true
		b.requireCalls(v.C, s.Pos)
		for _, m := range v.Methods {
			f := form.Of(v.C, m.Form)
			b.requireParts(v.C, v.Parts, f.Parts, s.Pos)
			for _, part := range v.Parts {
				if part.Verb != nil && f.Own && part.Verb.Way == model.WayObject {
					part.Verb.Inner = true
				}
			}
			if next, end := v.Part(form.PartNext), v.Part(form.PartEnd); v.Reads != nil && next != nil && end != nil {
				v.Reads.Next, v.Reads.End = next.Dispatch.Op, end.Dispatch.Op
			}
		}
	}
	for _, p := range b.in.Spec.Pages {
		for i := range p.Objects {
			s := &p.Objects[i]
			if o := b.objects[s.Go]; o != nil && used[o] {
				o.Parts = resolve(s.NeedsVerbs)
				b.requireParts(o.Go, o.Parts, form.PartsOf(s), s.Pos)
			}
		}
	}
}

// requireParts refuses a release without a verb that generated code calls.
func (b *binder) requireParts(subject string, parts map[string]*model.Part, required []form.Part, at spec.Pos) {
	for _, want := range required {
		if p := parts[want.Name]; p != nil && p.Verb == nil && !want.Optional {
			b.errorf(diag.NameUnknown, at, subject, "the generated code calls "+p.C+", which this header does not declare", "use a complete verbs.h")
		}
	}
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
	for _, p := range b.in.Spec.Pages {
		for i := range p.Enums {
			for _, x := range p.Enums[i].EventOf {
				e := b.types[p.Enums[i].Go]
				e.Events = append(e.Events, model.EventOf{Of: x.Of, Object: b.objectOf(x.Of), Members: x.Events})
			}
		}
	}
}

// objectOf is the handle of a C tag, nil when no page has one.
func (b *binder) objectOf(tag string) *model.Object {
	for _, o := range b.pkg.Objects {
		if o.C == tag {
			return o
		}
	}
	return nil
}

// place resolves where a value stands in a record, such as the length of new device memory; nil for none.
func (b *binder) place(v *model.Verb, s *spec.Verb, key, path string) *model.Extent {
	if path == "" {
		return nil
	}
	param, field, _ := strings.Cut(path, ".")
	if p := v.Param(param); p != nil && p.Record != nil {
		if leaf := b.leaf(p.Record.Mirror, field); leaf != nil {
			return &model.Extent{Param: p, Leaf: leaf}
		}
	} else if p != nil && p.Role == role.In && field == "" {
		return &model.Extent{Param: p}
	}
	b.errorf(diag.NameUnknown, s.At(key, path), v.C, key+": "+path+" is no field of a record", "write it like attr.length")
	return nil
}

// bindRoute resolves where the path to a peer stands.
func (b *binder) bindRoute(v *model.Verb, s *spec.Verb) {
	if s.Route == "" {
		return
	}
	param, rest, inside := strings.Cut(s.Route, ".")
	path := ""
	if inside {
		path = "." + rest
	}
	within := func(l *model.Leaf) bool { return strings.HasPrefix("."+l.C+".", path+".") }
	if p := v.Param(param); p != nil && p.Record != nil && slices.ContainsFunc(p.Record.Mirror.Leaf, within) {
		v.Route = &model.Route{Param: p, Path: path}
		return
	}
	b.errorf(diag.NameUnknown, s.At("route", s.Route), v.C,
		"route: "+s.Route+" is no struct ibv_ah_attr of a record", "write it like attr.ah_attr")
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
		v.Made = &model.Made{Param: p, Field: field, Offset: x.Offset}
	}
}

// implied resolves the flags that a method always sets: each goes to the parameter whose type has it.
func (b *binder) implied(v *model.Verb, m *spec.Method) map[string][]*model.Member {
	sets := map[string][]*model.Member{}
	for _, c := range m.ImpliesFlags {
		if _, ok := b.lookup(c, m.At("implies_flags", c), m.Go); !ok {
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
