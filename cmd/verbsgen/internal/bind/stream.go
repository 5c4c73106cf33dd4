package bind

import (
	"maps"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/diag"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// bindStreams resolves the streams of commands: what each is made of, and the verbs that it calls.
func (b *binder) bindStreams() {
	for _, v := range b.pkg.Verbs {
		s := b.specOf[v.C]
		if s.Stream != nil {
			v.Stream = b.stream(v, s)
		}
	}
}

func (b *binder) stream(v *model.Verb, s *spec.Verb) *model.Stream {
	x := s.Stream
	if len(v.Params) == 0 || v.Dispatch == nil {
		return nil // reported elsewhere
	}
	out := &model.Stream{Request: x.Request, Asks: b.types[x.Asks], Opcode: x.Opcode, Flags: x.Flags, Elements: x.Elements,
		Kind: x.Kind, Start: v.Dispatch.Op,
		C: strings.TrimSpace(strings.Trim(strings.TrimPrefix(v.Params[0].CType, "struct "), "* "))}
	if out.Asks == nil {
		b.errorf(diag.TypeUnknown, s.Pos, v.C, "stream: no flag type "+x.Asks+" in any page", "correct asks:")
		return nil
	}
	for _, to := range slices.Sorted(maps.Keys(x.Sets)) {
		out.Sets = append(out.Sets, model.Assignment{To: to, From: x.Sets[to]})
	}
	out.Inline = b.constant(x.Inline, s.Pos, v.C)
	if x.Driver != "" {
		out.Driver = b.constant(x.Driver, s.Pos, v.C)
	}
	part := func(name string) *model.Call {
		if p := v.Part(name); p != nil {
			p.Inner = true
			return b.call(p)
		}
		return &model.Call{} // reported elsewhere
	}
	out.Complete, out.Abort = part(form.PartComplete).Op, part(form.PartAbort).Op
	out.Element, out.List, out.InlineBy, out.InlineListBy = part(form.PartElement), part(form.PartElements), part(form.PartInline),
		part(form.PartInlines)
	b.copies(out.InlineListBy, out.Request)
	for _, w := range b.pkg.Verbs {
		if len(w.Params) == 0 || w.Params[0].CType != v.Params[0].CType {
			continue
		}
		switch ws := b.specOf[w.C]; {
		case ws.Builds != nil:
			w.Inner = true
			out.Builders = append(out.Builders, &model.Builder{Call: *b.call(w), Opcode: b.constant(ws.Builds.Opcode, ws.Pos, w.C),
				Flag: b.asked(out, ws, w), Data: ws.Builds.Data, Names: ws.Builds.Names})
		case ws.SetsFor != "":
			w.Inner = true
			out.Setters = append(out.Setters, &model.Setter{Call: *b.call(w), Kind: b.constant(ws.SetsFor, ws.Pos, w.C)})
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
	for _, p := range b.specOf[v.C].Params {
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

// constant is an enumerator by its C name.
func (b *binder) constant(c string, at spec.Pos, subject string) *model.Member {
	v, _ := b.lookup(c, at, subject)
	return &model.Member{C: c, Value: v}
}

// asked is the flag that asks for a request.
func (b *binder) asked(s *model.Stream, v *spec.Verb, w *model.Verb) *model.Member {
	m := memberOf(s.Asks, v.Builds.Flag)
	if m == nil {
		b.errorf(diag.TypeUnknown, v.Pos, w.C, "builds: "+v.Builds.Flag+" is no member of "+s.Asks.Go, "correct flag:")
		return &model.Member{}
	}
	return m
}
