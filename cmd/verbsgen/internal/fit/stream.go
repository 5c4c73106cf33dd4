package fit

import (
	"strings"

	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
)

// stream holds what a stream of commands reads and sets against the header, and the verbs that it calls.
func (c *checker) stream(v *spec.Verb, fn *api.Function) {
	if v.Stream == nil || len(fn.Params) == 0 {
		return
	}
	s := v.Stream
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

// command holds one verb of a stream against the request that it takes values from.
func (c *checker) command(w *spec.Verb, f *api.Function, request spec.CType) {
	if f.Dispatch == nil || f.Dispatch.Way != api.WayObject {
		return
	}
	for i := range w.Params {
		p := &w.Params[i]
		if p.Role == spec.RoleHandle {
			continue
		}
		if p.From == "" {
			c.fail(p.Pos, w.C+"."+p.C, "a stream of commands calls it, and it does not say where the value is in a request", "write from:")
		} else if _, ok := c.pathOf(request, p.From); !ok {
			c.fail(p.At("from", p.From), w.C+"."+p.C, request.C+" has no "+p.From, "correct from:")
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
