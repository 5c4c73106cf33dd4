package bind

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// Some of what is generated is written by hand, in the emitter, in templates/ and in the packages under runtime/. It
// stands on declarations that it names. This file holds a header to them, so that the text is never put beside
// declarations that it was not written for.

// formOf is the form of a verb's methods that is written for its C function; nil for a verb whose methods are plain.
func formOf(v *model.Verb) *form.Form {
	for _, m := range v.Methods {
		if f := form.Find(m.Form); f != nil && f.Sig != nil {
			return f
		}
	}
	return nil
}

// fitText holds the verbs with text of their own to the declarations that the text was written for.
func (b *binder) fitText() {
	told := map[string]bool{}
	for _, v := range b.pkg.Verbs {
		if formOf(v) != nil || v.Special != nil {
			b.fitKnown(v, b.funcs[v.C], told)
		}
	}
	if b.in.Known != nil && slices.ContainsFunc(b.pkg.Verbs, func(v *model.Verb) bool { return v.Way == model.WayVerbs }) {
		b.knownRecord(b.in.Known, extendedContext)
	}
}

// extendedContext is the record behind a context, which the C side walks through.
const extendedContext = "struct verbs_context"

// fitKnown compares what the text of a verb stands on with the newest known release.
func (b *binder) fitKnown(v *model.Verb, f *api.Function, told map[string]bool) {
	known := b.in.Known
	if known == nil {
		return
	}
	functions := []string{v.C}
	var tags, constants []string
	if f := formOf(v); f != nil {
		tags = slices.Clone(f.Reads)
	}
	if v.Special != nil {
		for _, s := range v.Special.Symbols {
			functions = append(functions, s.Name)
		}
		for _, t := range v.Special.Types {
			if strings.HasPrefix(t, "struct ") {
				tags = append(tags, t)
			} else {
				constants = append(constants, t)
			}
		}
	}
	for _, p := range f.Params {
		if tag := pointee(p.Type); strings.HasPrefix(tag, "struct ") {
			tags = append(tags, tag)
		}
	}
	for _, name := range functions {
		if !told[name] {
			told[name] = true
			b.knownSignature(known, name)
		}
	}
	for _, tag := range tags {
		if !told[tag] {
			told[tag] = true
			b.knownRecord(known, tag)
		}
	}
	for _, p := range v.Params {
		if p.Bit != nil {
			constants = append(constants, p.Bit.C)
		}
	}
	for _, name := range constants {
		b.knownConstant(known, name, f.Pos)
	}
}

const textFix = "take the header as rdma-core has it"

// knownSignature refuses a function that is declared otherwise than in a known release. Its callers are written by hand.
func (b *binder) knownSignature(known *api.Release, name string) {
	f := b.funcs[name]
	i := slices.IndexFunc(known.Functions, func(g api.Function) bool { return g.Name == name })
	if f == nil || i < 0 {
		return
	}
	was, is := declaration(&known.Functions[i]), declaration(f)
	if was != is {
		b.headerf(diag.SpecialChanged, f.Pos, name, "it is declared as "+is+"; what calls it was written for "+was, textFix)
	}
}

// declaration is the type of a function, and whether it is a symbol.
func declaration(f *api.Function) string {
	var params []string
	for _, p := range f.Params {
		params = append(params, p.Type)
	}
	s := f.Ret + " (" + strings.Join(params, ", ") + ")"
	if f.Variadic {
		s = f.Ret + " (" + strings.Join(append(params, "..."), ", ") + ")"
	}
	if f.Kind == api.Inline {
		s = "static inline " + s
	}
	return s
}

// knownRecord refuses a record with a member that is another than in a known release. One that the header lacks is as in
// an older release, and one that it has more is as in a newer one. Members that only hold a place (_compat_...) are used by
// nothing.
func (b *binder) knownRecord(known *api.Release, tag string) {
	rec := b.recs[tag]
	i := slices.IndexFunc(known.Records, func(r api.Record) bool { return r.Tag == tag })
	if rec == nil || i < 0 || known.Records[i].Incomplete {
		return
	}
	if rec.Incomplete {
		b.headerf(diag.SpecialChanged, rec.Pos, tag, "it is declared, but not defined; what uses it reads its members", textFix)
		return
	}
	was := map[string]api.Field{}
	for _, m := range known.Records[i].Fields {
		was[m.Name] = m
	}
	has := map[string]bool{}
	for _, m := range rec.Fields {
		has[m.Name] = true
		old, ok := was[m.Name]
		if !ok || m.Name == "" || strings.HasPrefix(m.Name, "_compat") || tag == extendedContext && m.Type == old.Type { // which grows at its beginning
			continue
		}
		if placement(m) != placement(old) {
			b.headerf(diag.SpecialChanged, m.Pos, tag+"."+m.Name, "it is "+placement(m)+"; what uses it was written for "+placement(old), textFix)
		}
	}
	for _, m := range known.Records[i].Fields {
		if m.Name != "" && !has[m.Name] && !strings.HasPrefix(m.Name, "_compat") && b.in.Since(tag+"."+m.Name) == b.in.Oldest {
			b.headerf(diag.SpecialChanged, rec.Pos, tag, "it has no "+m.Name+", which what uses it was written for", textFix)
		}
	}
}

func placement(f api.Field) string {
	s := fmt.Sprintf("%s at offset %d", f.Type, f.Offset)
	if f.BitSize != nil {
		s += fmt.Sprintf(", %d bits", *f.BitSize)
	}
	return s
}

// knownConstant refuses a constant that is missing or has another value than in a known release.
func (b *binder) knownConstant(known *api.Release, name string, at api.Pos) {
	for _, e := range known.Enums {
		for _, m := range e.Enumerators {
			if m.Name != name {
				continue
			}
			if is, ok := b.enumr[name]; !ok {
				b.headerf(diag.SpecialChanged, at, name, "the header does not have it, and what is written for the function uses it", textFix)
			} else if is.value != m.Value {
				b.headerf(diag.SpecialChanged, is.pos, name, fmt.Sprintf("its value is %d; what uses it was written for %d", is.value, m.Value), textFix)
			}
		}
	}
}

// fitRuntime holds the enums whose names a package under runtime/ knows to the values that it knows.
func (b *binder) fitRuntime() {
	if b.in.Known == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(b.types)) {
		if e := b.types[name]; e.Runtime != "" {
			for _, m := range e.Members {
				b.knownConstant(b.in.Known, m.C, api.Pos{})
			}
		}
	}
}

// fitObjects looks whether every object can be closed: by a function of the header that takes it and nothing else.
func (b *binder) fitObjects() {
	for _, o := range b.pkg.Objects {
		d := o.Destroy
		if d == nil {
			if name := b.destroyOf(o); b.specOf[name] != nil { // that no page describes it is told already
				b.headerf(diag.HeaderLacks, b.makerPos(o), o.Go, "nothing closes it: this header does not declare "+name, "take a header that is whole")
			}
			continue
		}
		pos := b.funcs[d.C].Pos
		if len(d.Params) != len(b.funcs[d.C].Params) {
			continue // the page does not have its parameters, which is told already
		}
		if len(d.Params) != 1 || d.Params[0].Role != spec.RoleHandle || d.Params[0].Object != nil && d.Params[0].Object != o {
			b.headerf(diag.TypeMismatch, pos, d.C, "it does not take a "+o.Go+" alone, which it is to close", pageFix)
		}
		if d.Returns != spec.RetErrno && d.Returns != spec.RetMinus1 && d.Returns != spec.RetVoid {
			b.headerf(diag.TypeMismatch, pos, d.C, "it closes a "+o.Go+", and returns: "+d.Returns+" has no form for that", pageFix)
		}
	}
}

// makerPos is the place of a function that makes or takes an object.
func (b *binder) makerPos(o *model.Object) api.Pos {
	for _, v := range b.pkg.Verbs {
		if v.Creates == o || slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.Object == o }) {
			return b.funcs[v.C].Pos
		}
	}
	return api.Pos{File: o.Pos.File, Line: o.Pos.Line, Col: o.Pos.Col}
}

func (b *binder) destroyOf(o *model.Object) string {
	for _, p := range b.in.Spec.Pages {
		for _, s := range p.Objects {
			if s.Go == o.Go {
				return s.Destroy
			}
		}
	}
	return ""
}

// fitNames refuses Go names of a package that are given twice, where the header gives one of them.
func (b *binder) fitNames() {
	seen := map[string]string{}
	for _, e := range b.pkg.Enums {
		seen[e.Go] = cmp.Or(e.C, e.Go)
	}
	for _, o := range b.pkg.Objects {
		seen[o.Go] = "struct " + o.C
	}
	for _, r := range b.pkg.Records {
		seen[r.Go], seen["New"+r.Go] = "struct "+r.C, "struct "+r.C
	}
	twice := func(pos api.Pos, goName, c string) {
		if other := seen[goName]; other != "" {
			b.headerf(diag.GoNameTwice, pos, c, "it gets the Go name "+goName+", which "+other+" has already", "give one of them another name in its page")
		}
		seen[goName] = c
	}
	for _, e := range b.pkg.Enums {
		for _, m := range e.Members {
			twice(b.enumr[m.C].pos, m.Go, m.C)
		}
	}
	for _, m := range b.pkg.Mirrors {
		twice(b.recs["struct "+m.C].Pos, m.Name, "struct "+m.C)
		fields := map[string]bool{}
		for _, l := range m.Leaf {
			if l.Go != "_" && fields[l.Go] {
				b.headerf(diag.GoNameTwice, b.fieldPos(m.C, l.C), "struct "+m.C+"."+l.C, "its name in Go, "+l.Go+", is that of another field", pageFix)
			}
			fields[l.Go] = true
		}
	}
}
