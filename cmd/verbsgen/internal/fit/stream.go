package fit

import (
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// stream holds what a stream of commands reads and sets against the header, and the verbs that it calls.
func (c *checker) stream(v *spec.Verb, fn *api.Function) {
	if v.Stream == nil {
		return
	}
	s := v.Stream
	calls := []string{v.C}
	for _, part := range []string{form.PartComplete, form.PartAbort, form.PartElement, form.PartElements, form.PartInline, form.PartInlines} {
		calls = append(calls, v.NeedsVerbs[part])
	}
	for _, name := range calls {
		c.inObject(v, name)
	}
	if len(fn.Params) == 0 {
		return
	}
	request := c.facts.TypeOf("struct " + s.Request)
	object := c.facts.TypeOf("struct " + c.facts.TypeOf(fn.Params[0].Type).Tag)
	at := func(of spec.CType, key, path string) {
		if _, ok := c.pathOf(of, path); !ok {
			c.fail(v.Pos, v.C, "stream: "+key+": "+of.C+" has no "+path, "correct "+key+":")
		}
	}
	for key, path := range map[string]string{"opcode": s.Opcode, "flags": s.Flags, "elements": s.Elements} {
		at(request, key, path)
	}
	at(object, "kind", s.Kind)
	for to, from := range s.Sets {
		at(object, "sets", to)
		at(request, "sets", from)
	}
	for _, p := range c.Pages {
		for i := range p.Verbs {
			w := &p.Verbs[i]
			if f := c.facts.Func(w.C); f != nil && len(f.Params) > 0 && f.Params[0].Type == fn.Params[0].Type && w != v {
				c.command(w, f, request)
			}
		}
	}
}

// inObject holds a verb that a stream calls against what it is: a call of a function in the object that is its first parameter.
func (c *checker) inObject(v *spec.Verb, name string) {
	if f := c.facts.Func(name); f != nil && !calledInObject(f) {
		c.fail(v.Pos, name, "a stream of commands calls it, and it does not call a function in the object that it is given",
			"correct the verb, or the header")
	}
}

func calledInObject(f *api.Function) bool {
	return len(f.Params) > 0 && f.Dispatch != nil && f.Dispatch.Way == api.WayObject
}

// command holds one verb of a stream against the request that it takes values from.
func (c *checker) command(w *spec.Verb, f *api.Function, request spec.CType) {
	if w.Builds != nil || w.SetsFor != "" {
		c.inObject(w, w.C)
	}
	if !calledInObject(f) {
		return
	}
	for i := range w.Params {
		p := &w.Params[i]
		if p.Role == role.Handle {
			continue
		}
		if p.From == "" {
			c.fail(p.Pos, w.C+"."+p.C, "a stream of commands calls it, and it does not say where the value is in a request", "write from:")
		} else if t, ok := c.pathOf(request, strings.TrimPrefix(p.From, "&")); !ok || strings.HasPrefix(p.From, "&") && t.Pointer {
			c.fail(p.At("from", p.From), w.C+"."+p.C, request.C+" has no "+p.From, "correct from:")
		} else if i < len(f.Params) {
			c.sameMembers(w, p, c.facts.TypeOf(f.Params[i].Type), t)
		}
	}
}

// sameMembers holds a list that a parameter takes against another one of the request, which it is made of: both have members of the
// same names.
func (c *checker) sameMembers(w *spec.Verb, p *spec.Param, to, from spec.CType) {
	if !to.Pointer || to.Tag == "" || to.Tag == from.Tag || !from.Pointer || from.Tag == "" {
		return
	}
	of := c.facts.TypeOf("struct " + from.Tag)
	for _, m := range c.facts.Members(c.facts.TypeOf("struct " + to.Tag)) {
		if _, ok := c.facts.Member(of, m); !ok {
			c.fail(p.At("from", p.From), w.C+"."+p.C, of.C+" has no "+m+", which struct "+to.Tag+" has", "correct from:")
		}
	}
}

// pathOf gives the type at the end of a path through structs, unions, and the first element of lists ("sg_list->addr").
func (c *checker) pathOf(t spec.CType, path string) (spec.CType, bool) {
	ok := true
	for step := range strings.SplitSeq(strings.ReplaceAll(path, "->", "."), ".") {
		if t.Pointer && t.Tag != "" {
			t = c.facts.TypeOf("struct " + t.Tag)
		}
		if t, ok = c.facts.Member(t, step); !ok {
			return t, false
		}
	}
	return t, true
}
