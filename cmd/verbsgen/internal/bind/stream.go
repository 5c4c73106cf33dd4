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

// bindStreams resolves the streams of commands: what each is made of, and the verbs that it calls.
func (b *binder) bindStreams() {
	for _, v := range b.pkg.Verbs {
		s := b.VerbByC(v.C)
		if s.Stream != nil {
			v.Stream = b.stream(v, s)
		}
	}
}

func (b *binder) stream(v *model.Verb, s *spec.Verb) *model.Stream {
	x := s.Stream
	if len(v.Params) == 0 {
		return nil // checkForm reports it
	}
	b.inObject(s, v.C)
	for _, p := range form.Find(form.Stream).Parts {
		if p.Name != form.PartOpen {
			b.inObject(s, s.NeedsVerbs[p.Name])
		}
	}
	request := b.facts.TypeOf("struct " + x.Request)
	object := b.facts.TypeOf("struct " + b.facts.TypeOf(v.Params[0].CType).Tag)
	at := func(of spec.CType, key, path string) {
		_, ok := b.pathOf(of, path)
		b.wrong(entry{v.C, s.At}.on(s.Pos), row{!ok, key, "stream: " + key + ": " + of.C + " has no " + path, ""})
	}
	at(request, "opcode", x.Opcode)
	at(request, "flags", x.Flags)
	at(request, "elements", x.Elements)
	at(object, "kind", x.Kind)
	if v.Dispatch == nil {
		return nil // inObject reports it
	}
	out := &model.Stream{Request: x.Request, Asks: b.types[x.Asks], Opcode: x.Opcode, Flags: x.Flags, Elements: x.Elements,
		Kind: x.Kind, Start: v.Dispatch.Op,
		C: strings.TrimSpace(strings.Trim(strings.TrimPrefix(v.Params[0].CType, "struct "), "* "))}
	if out.Asks == nil {
		b.errorf(diag.TypeUnknown, s.Pos, v.C, "stream: no flag type "+x.Asks+" in any page", "correct asks:")
		return nil
	}
	for _, to := range slices.Sorted(maps.Keys(x.Sets)) {
		at(object, "sets", to)
		at(request, "sets", x.Sets[to])
		out.Sets = append(out.Sets, model.Assignment{To: to, From: x.Sets[to]})
	}
	out.Inline = b.constant(x.Inline)
	out.Driver = b.member(x.Driver)
	part := func(name string) *model.Call {
		if p := v.Part(name); p != nil {
			p.Inner = true
			return b.call(p)
		}
		return &model.Call{} // parts reports it
	}
	out.Complete, out.Abort = part(form.PartComplete).Op, part(form.PartAbort).Op
	out.Element, out.List, out.InlineBy, out.InlineListBy = part(form.PartElement), part(form.PartElements), part(form.PartInline),
		part(form.PartInlines)
	b.copies(out.InlineListBy, out.Request)
	for _, w := range b.pkg.Verbs {
		if len(w.Params) == 0 || w.Params[0].CType != v.Params[0].CType {
			continue
		}
		ws := b.VerbByC(w.C)
		if w != v {
			b.command(ws, request)
		}
		switch {
		case ws.Builds != nil:
			w.Inner = true
			out.Builders = append(out.Builders, &model.Builder{Call: *b.call(w), Opcode: b.constant(ws.Builds.Opcode),
				Flag: b.asked(out, ws, w), Data: ws.Builds.Data, Names: ws.Builds.Names})
		case ws.SetsFor != "":
			w.Inner = true
			out.Setters = append(out.Setters, &model.Setter{Call: *b.call(w), Kind: b.constant(ws.SetsFor)})
		}
	}
	return out
}

// call is the call of a verb with values of a request.
func (b *binder) call(v *model.Verb) *model.Call {
	c := &model.Call{}
	if v.Dispatch != nil {
		c.Op = v.Dispatch.Op
	}
	froms := map[string]string{}
	for _, p := range b.VerbByC(v.C).Params {
		froms[p.C] = p.From
	}
	for _, p := range v.Params[min(1, len(v.Params)):] {
		c.Args = append(c.Args, model.Arg{From: froms[p.C], CType: p.CType})
	}
	return c
}

// copies notes the members of the structs that a list is made of, if the request has another list.
func (b *binder) copies(c *model.Call, request string) {
	for i := range c.Args {
		a := &c.Args[i]
		to := b.facts.TypeOf(a.CType)
		from, ok := b.facts.Member(b.facts.TypeOf("struct "+request), a.From)
		if ok && to.Pointer && to.Tag != "" && to.Tag != from.Tag {
			a.Copies = b.facts.Members(b.facts.TypeOf("struct " + to.Tag))
		}
	}
}

// constant is an enumerator, also of a later release.
func (b *binder) constant(c string) *model.Member { return cmp.Or(b.member(c), &model.Member{C: c}) }

// asked is the flag that asks for a request.
func (b *binder) asked(s *model.Stream, v *spec.Verb, w *model.Verb) *model.Member {
	m := memberOf(s.Asks, v.Builds.Flag)
	if m == nil {
		b.errorf(diag.TypeUnknown, v.Pos, w.C, "builds: "+v.Builds.Flag+" is no member of "+s.Asks.Go, "correct flag:")
		return &model.Member{}
	}
	return m
}

// used checks that a stream or a view uses what a verb says that it does in one.
func (b *binder) used(v *spec.Verb, fn *api.Function) {
	if len(fn.Params) == 0 {
		return
	}
	by := func(holds func(*spec.Verb, *api.Function) bool) bool {
		for v := range b.Verbs() {
			if f := b.facts.Func(v.C); f != nil && holds(v, f) {
				return true
			}
		}
		return false
	}
	object := fn.Params[0].Type
	streams := by(func(w *spec.Verb, f *api.Function) bool {
		return w.Stream != nil && len(f.Params) > 0 && f.Params[0].Type == object
	})
	views := by(func(w *spec.Verb, f *api.Function) bool { return w.View != nil && f.Ret == object })
	unused := func(key, of string) row {
		return row{true, key, key + ": does nothing: no verb with " + of + " is for " + object,
			"correct the first parameter, bind the verb that makes the " + strings.TrimSuffix(of, ":") + ", or remove " + key + ":"}
	}
	e := entry{v.C, v.At}
	b.wrong(e, row{v.View != nil && !anyForm(v, func(f *form.Form) bool { return f.Name == form.View }), "view",
		"it has view:, and no method of form view", "write the form, or remove view:"})
	switch {
	case v.Builds != nil && !streams:
		b.wrong(e, unused("builds", "stream:"))
	case v.SetsFor != "" && !streams:
		b.wrong(e, unused("sets_for", "stream:"))
	case v.Command != nil && !views:
		b.wrong(e, unused("command", "view:"))
	case v.Command != nil:
		b.inObject(v, v.C)
		b.wrong(e, row{len(v.Methods) > 0 || v.Returns != spec.RetVoid, "command",
			"it has command:, and methods or a result besides",
			"write returns: void and methods: {}"})
	}
}

// inObject checks that a verb that a stream calls is a call of a function in the object that is its first parameter.
func (b *binder) inObject(v *spec.Verb, name string) {
	f := b.facts.Func(name)
	b.wrong(entry{name, v.At}, row{f != nil && !calledInObject(f), "",
		"a stream of commands or a view calls it, and it does not call a function in the object that it is given",
		"correct the verb, or the header"})
}

func calledInObject(f *api.Function) bool {
	return len(f.Params) > 0 && strings.HasPrefix(f.Params[0].Type, "struct ") && f.Dispatch != nil && f.Dispatch.Way == api.WayObject
}

// command compares one verb of a stream with the request that it takes values from.
func (b *binder) command(w *spec.Verb, request spec.CType) {
	if w.Builds != nil || w.SetsFor != "" {
		b.inObject(w, w.C)
	}
	f := b.facts.Func(w.C)
	if !calledInObject(f) {
		return
	}
	for i := range w.Params {
		p := &w.Params[i]
		if p.Role == role.Handle {
			continue
		}
		path, member := strings.CutPrefix(p.From, "&")
		t, ok := b.pathOf(request, path)
		wrong := b.first(entry{w.C + "." + p.C, p.At},
			row{p.From == "", "", "a stream of commands calls it, and it does not say where the value is in a request",
				"write from:"},
			row{p.From != "" && (!ok || member && t.Pointer), "from", request.C + " has no " + p.From, ""})
		if !wrong && p.From != "" && i < len(f.Params) {
			b.sameMembers(w, p, b.facts.TypeOf(f.Params[i].Type), t)
		}
	}
}

// sameMembers compares a list that a parameter takes with another one of the request, which it is made of: both have members of the
// same names.
func (b *binder) sameMembers(w *spec.Verb, p *spec.Param, to, from spec.CType) {
	if !to.Pointer || to.Tag == "" || to.Tag == from.Tag || !from.Pointer || from.Tag == "" {
		return
	}
	of := b.facts.TypeOf("struct " + from.Tag)
	for _, m := range b.facts.Members(b.facts.TypeOf("struct " + to.Tag)) {
		_, ok := b.facts.Member(of, m)
		b.wrong(entry{w.C + "." + p.C, p.At}, row{!ok, "from", of.C + " has no " + m + ", which struct " + to.Tag + " has", ""})
	}
}

// bindViews resolves the views of objects with streams of commands, and the functions that each has.
func (b *binder) bindViews() {
	for _, v := range b.pkg.Verbs {
		s := b.VerbByC(v.C)
		if s.View == nil || len(v.Methods) == 0 {
			continue
		}
		if !b.streams(s.View.Stream) {
			b.errorf(diag.TypeUnknown, s.Pos, v.C, "view: no page of another module has the stream "+s.View.Stream, "correct stream:")
			continue
		}
		of, ref := b.use(s.View.Stream)
		v.View = &model.View{C: strings.TrimSuffix(strings.TrimPrefix(v.CRet, "struct "), " *"), Go: v.Methods[0].Name,
			Requests: s.View.Requests, Stream: ref, Of: of}
		for _, w := range b.pkg.Verbs {
			ws := b.VerbByC(w.C)
			if ws.Command == nil || len(w.Params) == 0 || w.Params[0].CType != v.CRet {
				continue
			}
			w.Inner = true
			c := &model.Command{Verb: w, Go: ws.Command.Go, Builds: ws.Command.Builds}
			if with := ws.Command.With; with != "" {
				if c.With = b.verbs[with]; c.With == nil || len(c.With.Symbols()) == 0 {
					b.errorf(diag.NameUnknown, ws.Pos, w.C, "command: with: names "+with+", which no page describes as a function of the library",
						"correct with:")
				}
			}
			v.View.Commands = append(v.View.Commands, c)
		}
	}
}

// streams reports whether another module has a stream of commands of a type.
func (b *binder) streams(typ string) bool {
	module, bare, _ := strings.Cut(typ, ".")
	use := b.Module.UseOf(module)
	if use == nil {
		return false
	}
	for v := range use.Spec.Verbs() {
		if slices.ContainsFunc(v.Methods, func(m spec.Method) bool {
			return m.Form == form.Stream && strings.ReplaceAll(m.Go, ".", "") == bare
		}) {
			return true
		}
	}
	return false
}
