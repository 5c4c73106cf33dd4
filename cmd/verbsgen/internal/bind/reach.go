package bind

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/templates"
)

// bindWay finds how the C side reaches the verb.
func (b *binder) bindWay(v *model.Verb, f *api.Function, s *spec.Verb) {
	name := f.Name
	if sp, ok := templates.Specials[name]; ok {
		b.bindSpecial(v, f, sp, s)
		return
	}
	switch {
	case f.Private:
		b.errorf(diag.SymbolPrivate, s.Pos, name,
			"it is exported at a private version ("+f.Version+"), which changes with every release", "skip it with this reason")
	case f.Kind == api.Exported:
		v.Way, v.Symbol = model.WayExported, b.symbol(name)
	case f.Dispatch == nil:
		b.errorf(diag.DispatchUnknown, s.Pos, name,
			fmt.Sprintf("%s: it is not known how this %s function calls the provider", f.Pos.Short(), f.Kind),
			"write its C code in templates/ and pin the hash")
	case f.Dispatch.Way == api.WaySpecial || f.Dispatch.Way == api.WayPure:
		b.errorf(diag.DispatchUnknown, s.Pos, name,
			fmt.Sprintf("%s: the inline function does more than call the provider (hash %s)", f.Pos.Short(), f.Dispatch.Hash),
			"write its C code in templates/ and pin the hash")
	case f.Dispatch.Way == api.WayExport:
		v.Way, v.Symbol = model.WayExport, b.symbol(f.Dispatch.Op)
	default:
		v.Way = f.Dispatch.Way
	}
}

// bindSpecial checks that the header's body is one that the hand-written C side was made for.
func (b *binder) bindSpecial(v *model.Verb, f *api.Function, sp templates.Special, s *spec.Verb) {
	body := f
	if f.Redirect != "" {
		body = b.facts.Func(f.Redirect)
	}
	v.Way, v.Special = model.WaySpecial, &model.Special{Name: f.Name, Op: sp.Op, Types: sp.Types}
	if body == nil || body.Dispatch == nil {
		b.errorf(diag.SpecialChanged, s.Pos, f.Name, "the header no longer has an inline body for it",
			"compare the header with templates/special.c.tmpl, then drop or re-pin it in templates/templates.go")
		return
	}
	if !slices.Contains(sp.Hashes, body.Dispatch.Hash) {
		b.errorf(diag.SpecialChanged, s.Pos, f.Name,
			fmt.Sprintf("the body of %s at %s has hash %s, and the hand-written C code was made for another body", body.Name,
				body.Pos.Short(), body.Dispatch.Hash),
			"compare it with templates/special.c.tmpl, then add the hash in templates/templates.go")
	}
	for _, name := range sp.Symbols {
		if b.facts.Func(name) != nil {
			v.Special.Symbols = append(v.Special.Symbols, b.symbol(name))
			continue
		}
		b.errorf(diag.SpecialChanged, s.Pos, f.Name, "its hand-written C code calls "+name+", which the header does not declare",
			"correct templates/templates.go")
	}
}

// contextHelper is the inline through which the header reaches the extended context; the C side walks the same way. It is part of
// how all verbs are reached, as verbs_context and its ops are, and of no page.
const contextHelper = "verbs_get_ctx"

// pinHelper checks the body of contextHelper when a bound verb goes its way.
func (b *binder) pinHelper() {
	user := slices.IndexFunc(b.pkg.Verbs, func(v *model.Verb) bool { return v.Way == model.WayVerbs || v.Way == model.WaySpecial })
	f, sp := b.facts.Func(contextHelper), templates.Specials[contextHelper]
	if user < 0 || (f != nil && f.Dispatch != nil && slices.Contains(sp.Hashes, f.Dispatch.Hash)) {
		return
	}
	if f == nil || f.Dispatch == nil {
		name := b.pkg.Verbs[user].C
		b.errorf(diag.SpecialChanged, spec.Pos(b.facts.Func(name).Pos), name,
			"the header has no inline function "+contextHelper+", by which verbs like this one are reached",
			"compare the header with vg_verbs in templates/shims.c.tmpl")
		return
	}
	b.errs.Add(diag.At(diag.SpecialChanged, f.Pos, contextHelper,
		"its body has hash "+f.Dispatch.Hash+", and the hand-written C code was made for another body",
		"compare it with vg_verbs in templates/shims.c.tmpl, then add the hash in templates/templates.go"))
}

// symbol returns the entry of an exported function in the package's table.
func (b *binder) symbol(name string) *model.Symbol {
	for _, s := range b.pkg.Symbols {
		if s.Name == name {
			return s
		}
	}
	s := &model.Symbol{Name: name, Since: b.since(name), Floor: b.oldest != "" && b.came[name] == b.oldest}
	if f := b.facts.Func(name); f != nil {
		s.Version = f.Version
	}
	for _, f := range b.newest.Functions { // a header given by path has no library beside it, and versions never change
		if f.Name == name && s.Version == "" {
			s.Version = f.Version
		}
	}
	b.pkg.Symbols = append(b.pkg.Symbols, s)
	return s
}

// checkDispatch checks that a C compiler takes the call in an inline body: the C parser is more patient.
func (b *binder) checkDispatch(v *model.Verb) {
	f := b.facts.Func(v.C)
	d := f.Dispatch
	if d == nil || v.Special != nil || d.Way == api.WayPure || d.Way == api.WaySpecial {
		return
	}
	problem := ""
	switch fn := b.callee(f, d); {
	case fn == nil && d.Way == api.WayExport:
		problem = ", which the header does not declare"
	case fn == nil:
		problem = " through " + d.Object + ", where the header has no such function"
	case len(fn.Params) != len(d.Args):
		problem = fmt.Sprintf(" with %d arguments, and it takes %d", len(d.Args), len(fn.Params))
	case f.Ret != "void" && !b.passes(fn.Ret, f.Ret):
		problem = ", whose result is " + fn.Ret + " and not " + f.Ret
	default:
		for i, arg := range d.Args {
			t, ok := b.facts.Param(f, arg)
			if ok && !b.passes(t.C, fn.Params[i].Type) {
				problem = " with " + arg + " of type " + t.C + " for " + fn.Params[i].Type
			}
		}
	}
	if problem != "" {
		b.errorf(diag.DispatchUnknown, spec.Pos(f.Pos), f.Name, "its body calls "+d.Op+problem, takeHeader)
	}
}

// callee is the type of what a body calls; nil if the header has no such function.
func (b *binder) callee(f *api.Function, d *api.Dispatch) *api.FnType {
	if d.Way == api.WayExport {
		if g := b.facts.Func(d.Op); g != nil {
			return &api.FnType{Ret: g.Ret, Params: g.Params}
		}
		return nil
	}
	param, path, _ := strings.Cut(d.Object, "->")
	t, _ := b.facts.Param(f, param)
	if path != "" {
		t, _ = b.pathOf(t, path)
	}
	tag := "struct " + t.Tag
	switch {
	case d.Way == api.WayOps:
		t, _ = b.pathOf(t, "ops")
		tag = "struct " + t.Tag
	case d.Way == api.WayVerbs && tag == "struct ibv_context":
		tag = extendedContext
	case d.Way == api.WayVerbs:
		return nil
	}
	return orZero(b.facts.Record(tag).Field(d.Op)).Func
}

// passes reports whether C takes a value of one type for another without a word.
func (b *binder) passes(from, to string) bool {
	s, t := b.facts.TypeOf(from), b.facts.TypeOf(to)
	value := func(t spec.CType) bool { return t.Kind == spec.CInt && !t.Pointer && !t.Array }
	switch {
	case from == to, value(s) && value(t):
		return true
	case s.Kind == spec.CFunc || t.Kind == spec.CFunc || !s.Pointer || !t.Pointer || s.Const() && !t.Const():
		return false
	}
	return from == strings.TrimPrefix(to, "const ") || isVoid(s) || isVoid(t)
}
