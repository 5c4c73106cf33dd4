package bind

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// bindObjects makes the handle types, in two passes: an object names its parents.
func (b *binder) bindObjects() {
	type pair struct {
		o *model.Object
		s spec.Object
	}
	var all []pair
	for _, p := range b.in.Spec.Pages {
		for _, s := range p.Objects {
			if old := b.objects[s.Go]; old != nil {
				b.errorf(diag.GoNameTwice, s.Pos, s.Go, "page "+old.Page+" already has an object of this name", "rename one of them")
				continue
			}
			o := &model.Object{Go: s.Go, C: s.C, Page: p.Page, Device: s.Memory == spec.MemoryDevice, Events: s.Events, Hot: s.Hot, State: s.StateFrom, Doc: s.Doc, Pos: pos(s.Pos)}
			b.objects[s.Go] = o
			all = append(all, pair{o, s})
		}
	}
	for _, x := range all {
		for _, name := range x.s.Parents {
			parent := b.objects[name]
			if parent == nil {
				b.errorf(diag.TypeUnknown, x.s.Pos, x.s.Go, "no object "+name+" in any page", "correct parents:")
				continue
			}
			x.o.Parents = append(x.o.Parents, parent)
		}
		b.bindGetters(x.o, x.s)
		b.pkg.Objects = append(b.pkg.Objects, x.o)
	}
}

func (b *binder) bindGetters(o *model.Object, s spec.Object) {
	rec := b.recs["struct "+s.C]
	if rec == nil {
		if !b.newer("struct " + s.C) {
			b.errorf(diag.NameUnknown, s.Pos, s.Go, "no struct "+s.C+" in this header", "correct c:")
		}
		return
	}
	for _, g := range s.Getters {
		i := slices.IndexFunc(rec.Fields, func(f api.Field) bool { return f.Name == g.C })
		if i < 0 {
			if !b.newer("struct " + s.C + "." + g.C) {
				b.errorf(diag.NameUnknown, g.Pos, s.Go+"."+g.Go, "no field "+g.C+" in struct "+s.C, "correct the name")
			}
			continue
		}
		ctype := rec.Fields[i].Type
		if rec.Fields[i].BitSize != nil {
			at := rec.Fields[i].Pos
			b.headerf(diag.TypeMismatch, at, "struct "+s.C+"."+g.C, "it is a bit-field, which no getter can read", pageFix)
			continue
		}
		if rec.ARM64 != nil && rec.ARM64.Offsets[i] != rec.Fields[i].Offset {
			b.errorf(diag.MirrorImpossible, g.Pos, s.Go+"."+g.Go, "its offset differs between amd64 and arm64", "leave the getter out")
			continue
		}
		if bigEndian(ctype) || g.Type != "" && !(g.Type == "uintptr" && isPointer(ctype)) {
			b.errorf(diag.TypeUnknown, g.Pos, s.Go+"."+g.Go, "C type "+ctype+" cannot be read as "+g.Type+" by a getter", "leave type: out, or the getter")
			continue
		}
		t := g.Type
		if t == "" {
			t = goTypes[ctype]
		}
		if t == "int32" {
			t = "int"
		}
		if t == "" {
			b.errorf(diag.TypeUnknown, g.Pos, s.Go+"."+g.Go, "C type "+ctype+" has no Go type of its own", "write type: with a Go type")
		}
		o.Getters = append(o.Getters, &model.Getter{Go: g.Go, C: g.C, CType: ctype, GoType: t, Label: g.Label, Doc: g.Doc})
	}
}

// bindVerbs makes the bound functions, in header order.
func (b *binder) bindVerbs() {
	page := map[string]*spec.Page{}
	for _, p := range b.in.Spec.Pages {
		for _, v := range p.Verbs {
			page[v.C] = p
		}
	}
	for i := range b.in.Release.Functions {
		f := &b.in.Release.Functions[i]
		s := b.specOf[f.Name]
		if s == nil || !b.want[f.Name] {
			continue
		}
		v := b.bindVerb(f, s)
		v.Page = page[f.Name].Page
		b.verbs[v.C] = v
		b.pkg.Verbs = append(b.pkg.Verbs, v)
	}
	b.pinHelper()
	for c, s := range b.specOf {
		if b.funcs[c] == nil && !b.newer(c) {
			b.errorf(diag.NameUnknown, s.Pos, c, "no such function in this header", "correct the name")
		}
	}
	for _, p := range b.in.Spec.Pages {
		for _, s := range p.Objects {
			b.objects[s.Go].Destroy = b.verbs[s.Destroy]
			if b.specOf[s.Destroy] == nil {
				b.errorf(diag.NameUnknown, s.Pos, s.Go, "destroy: names "+s.Destroy+", which no page describes", "correct destroy:")
			}
		}
	}
}

func (b *binder) bindVerb(f *api.Function, s *spec.Verb) *model.Verb {
	v := &model.Verb{C: f.Name, Go: naming.Exported(strings.TrimPrefix(f.Name, "ibv_")), Doc: s.Doc, Since: b.since(f.Name),
		Returns: s.Returns, CRet: f.Ret, Callbacks: s.Callbacks, Pos: pos(s.Pos), Dispatch: f.Dispatch}
	if s.Creates != "" {
		if v.Creates = b.objects[s.Creates]; v.Creates == nil {
			b.errorf(diag.TypeUnknown, s.Pos, f.Name, "no object "+s.Creates+" in any page", "correct creates:")
		}
	}
	b.bindParams(v, f, s)
	b.bindWay(v, f, s)
	defer b.fitVerb(v, f) // when the methods are known
	if s.Lists != "" {
		if v.Lists = b.records[s.Lists]; v.Lists == nil || !v.Lists.Entry {
			b.errorf(diag.TypeUnknown, s.At("lists", s.Lists), f.Name, "no record "+s.Lists+" of role entry in any page", "correct lists:")
		}
	}
	b.bindExtent(v, s)
	for i := range s.Methods {
		b.bindMethod(v, &s.Methods[i])
	}
	return v
}

// bindMethod resolves one Go face of a verb.
func (b *binder) bindMethod(v *model.Verb, m *spec.Method) {
	f := form.Find(m.Form)
	if f == nil {
		return // told by checkForm
	}
	recv, name, ok := strings.Cut(m.Go, ".")
	if !ok || recv != "Lib" && b.objects[recv] == nil && f.Recv != form.RecvMade {
		b.errorf(diag.TypeUnknown, m.Pos, v.C, "method "+m.Go+" must be called TYPE.NAME, where TYPE is an object or Lib", "write it like PD.RegMR")
		return
	}
	if problem := b.methodProblem(v, recv, f); problem != "" {
		b.errorf(diag.TypeUnknown, m.Pos, m.Go, problem, "change the page, or leave the method out")
		return
	}
	v.Methods = append(v.Methods, &model.Method{Recv: recv, Name: name, Form: m.Form, Fixed: m.Fixed, Sets: b.implied(v, m), Doc: m.Doc})
}

// methodProblem tells what the emitter has no form for.
func (b *binder) methodProblem(v *model.Verb, recv string, f *form.Form) string {
	if !f.InOrder() {
		return "" // its signature is checked
	}
	takes := slices.ContainsFunc(v.Params, func(p *model.Param) bool { return p.Object != nil && p.Object.Go == recv })
	switch {
	case v.Returns == spec.RetValue:
		return v.C + " returns a value, and no form generates such a method yet"
	case recv != "Lib" && !takes:
		return v.C + " has no parameter of type " + recv
	}
	outs, records, rest := 0, 0, ""
	for _, p := range v.Params {
		if p.Role == spec.RoleHandle && p.GoType == "" {
			return "parameter " + p.C + " is a handle without type:, and only some forms take one"
		}
		switch p.Role {
		case spec.RoleOut:
			outs++
		case spec.RoleOutRec:
			records++
		case spec.RoleMask:
		default:
			if rest != "" {
				return "parameter " + p.C + " comes after " + rest + ", which has rest: and must be the last parameter"
			}
		}
		if p.Rest {
			rest = p.C
		}
		if bigEndian(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(p.CType), "*"))) {
			return "parameter " + p.C + " is in network byte order, and no form generates such a method yet"
		}
	}
	if outs > 1 || outs == 1 && records > 0 {
		return v.C + " fills several parameters that are not all records, and no form generates such a method yet"
	}
	return ""
}

// bindParams resolves the parameters of the header by those of the spec.
func (b *binder) bindParams(v *model.Verb, f *api.Function, s *spec.Verb) {
	params := b.callable(f) // the inline's: port attributes in full length
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
	p := &model.Param{C: q.Name, Go: localName(s.Go, q.Name), CType: q.Type, Role: s.Role, Null: s.Null, Parent: s.Parent, Rest: s.Rest, Hex: s.Hex, Doc: s.Doc}
	if s.Rest && s.Role != spec.RoleFlags {
		b.errorf(diag.TypeUnknown, s.Pos, verb+"."+q.Name, "rest: is only for flags", "remove it, or give the parameter the role flags")
	}
	switch s.Role {
	case spec.RoleHandle:
		if s.Type == "" { // a pointer without a Go type
			break
		}
		if p.Object = b.objects[s.Type]; p.Object == nil {
			b.errorf(diag.TypeUnknown, s.Pos, verb+"."+q.Name, "no object "+s.Type+" in any page", "correct type:")
		}
		p.GoType = "*" + s.Type
	case spec.RoleInRec, spec.RoleOutRec, spec.RoleSlice:
		p.GoType = s.Type
		if p.Record = b.records[s.Type]; p.Record == nil {
			b.errorf(diag.TypeUnknown, s.Pos, verb+"."+q.Name, "no record "+s.Type+" in any page", "correct type:")
		}
	case spec.RoleMask:
		if p.Record = b.records[s.Type]; p.Record == nil || !p.Record.Beside {
			b.errorf(diag.TypeUnknown, s.Pos, verb+"."+q.Name, "no record "+s.Type+" with mask_param: in any page", "correct type:")
		}
	case spec.RoleOut:
		p.GoType = s.Type
	case spec.RoleFlags, spec.RoleEnum:
		p.GoType = s.Type
		if p.Enum = b.types[s.Type]; p.Enum == nil {
			b.errorf(diag.TypeUnknown, s.Pos, verb+"."+q.Name, "no flag or enum type "+s.Type+" in any page", "correct type:")
		}
	case spec.RoleAddr:
		p.GoType = "uintptr"
	default:
		if isPointer(q.Type) {
			break
		}
		p.GoType = goTypes[q.Type]
		if p.GoType == "int32" {
			p.GoType = "int"
		}
		if p.GoType == "" {
			b.errorf(diag.TypeUnknown, s.Pos, verb+"."+q.Name, "C type "+q.Type+" has no Go type", "give the parameter another role")
		}
	}
	if s.Bit != "" {
		if value, ok := b.lookup(s.Bit, s.At("bit", s.Bit), verb+"."+q.Name); ok {
			p.Bit = &model.Member{C: s.Bit, Value: value}
		}
	}
	return p
}

// localName is the Go name of a parameter.
func localName(given, c string) string {
	name := naming.Local(c)
	switch {
	case given != "":
		return given
	case name == "context": // a package name in Go
		return "dev"
	case slices.Contains(textLocals, name) || types.Universe.Lookup(name) != nil:
		return name + "_"
	}
	return name
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

// bindWay finds how the C side reaches the verb.
func (b *binder) bindWay(v *model.Verb, f *api.Function, s *spec.Verb) {
	name := f.Name
	if sp, ok := b.in.Specials[name]; ok {
		b.bindSpecial(v, f, sp, s)
		return
	}
	switch {
	case f.Private:
		b.errorf(diag.SymbolPrivate, s.Pos, name, "it is exported at a private version ("+f.Version+"), which changes with every release", "skip it with this reason")
	case f.Kind == api.Exported:
		v.Way, v.Symbol = model.WayExported, b.symbol(name)
	case f.Dispatch == nil:
		b.errorf(diag.DispatchUnknown, s.Pos, name, fmt.Sprintf("%s: it is not known how this %s function calls the provider", f.Pos.Short(), f.Kind), "write its C code in templates/ and pin the hash")
	case f.Dispatch.Way == api.WaySpecial || f.Dispatch.Way == api.WayPure:
		b.errorf(diag.DispatchUnknown, s.Pos, name, fmt.Sprintf("%s: the inline function does more than call the provider (hash %s)", f.Pos.Short(), f.Dispatch.Hash), "write its C code in templates/ and pin the hash")
	case f.Dispatch.Way == api.WayExport:
		v.Way, v.Symbol = model.WayExport, b.symbol(f.Dispatch.Op)
	default:
		v.Way = f.Dispatch.Way
	}
}

// bindSpecial checks that the header's body is one that the hand-written C side was made for.
func (b *binder) bindSpecial(v *model.Verb, f *api.Function, sp Special, s *spec.Verb) {
	body := f
	if f.Redirect != "" {
		body = b.funcs[f.Redirect]
	}
	v.Way, v.Special = model.WaySpecial, &model.Special{Name: f.Name, Op: sp.Op, Types: sp.Types}
	if body == nil || body.Dispatch == nil {
		b.errorf(diag.SpecialChanged, s.Pos, f.Name, "the header no longer has an inline body for it", "compare the header with templates/special.c.tmpl, then drop or re-pin it in templates/templates.go")
		return
	}
	if !slices.Contains(sp.Hashes, body.Dispatch.Hash) {
		b.errorf(diag.SpecialChanged, s.Pos, f.Name, fmt.Sprintf("the body of %s at %s has hash %s, and the hand-written C code was made for another body", body.Name, body.Pos.Short(), body.Dispatch.Hash),
			"compare it with templates/special.c.tmpl, then add the hash in templates/templates.go")
	}
	for _, name := range sp.Symbols {
		if b.funcs[name] != nil {
			v.Special.Symbols = append(v.Special.Symbols, b.symbol(name))
			continue
		}
		b.errorf(diag.SpecialChanged, s.Pos, f.Name, "its hand-written C code calls "+name+", which the header does not declare", "correct templates/templates.go")
	}
}

// contextHelper is the inline through which the header reaches the extended context; the C side walks the same way.
const contextHelper = "verbs_get_ctx"

// pinHelper checks the body of contextHelper when a bound verb goes its way.
func (b *binder) pinHelper() {
	user := slices.IndexFunc(b.pkg.Verbs, func(v *model.Verb) bool { return v.Way == model.WayVerbs || v.Way == model.WaySpecial })
	f, sp := b.funcs[contextHelper], b.in.Specials[contextHelper]
	if user < 0 || (f != nil && f.Dispatch != nil && slices.Contains(sp.Hashes, f.Dispatch.Hash)) {
		return
	}
	if f == nil || f.Dispatch == nil {
		name := b.pkg.Verbs[user].C
		b.headerf(diag.SpecialChanged, b.funcs[name].Pos, name, "the header has no inline function "+contextHelper+", by which verbs like this one are reached", "compare the header with vg_verbs in templates/shims.c.tmpl")
		return
	}
	b.errs.Add(diag.New(diag.SpecialChanged, f.Pos.File, f.Pos.Line, f.Pos.Col, contextHelper, "its body has hash "+f.Dispatch.Hash+", and the hand-written C code was made for another body",
		"compare it with vg_verbs in templates/shims.c.tmpl, then add the hash in templates/templates.go"))
}

// symbol gives the entry of an exported function in the package's table.
func (b *binder) symbol(name string) *model.Symbol {
	for _, s := range b.pkg.Symbols {
		if s.Name == name {
			return s
		}
	}
	s := &model.Symbol{Name: name, Since: b.in.Since(name)}
	if f := b.funcs[name]; f != nil {
		s.Version = f.Version
	}
	if s.Version == "" { // a header given by path has no library beside it
		s.Version = b.in.Version(name)
	}
	b.pkg.Symbols = append(b.pkg.Symbols, s)
	return s
}
