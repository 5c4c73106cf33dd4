package fit

import (
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/spec"
	"github.com/verbsgen/verbsgen/spec/api"
	"github.com/verbsgen/verbsgen/spec/role"
)

// stream compares what a stream of commands reads and sets with the header, and checks the verbs that it calls.
func (c *checker) stream(v *spec.Verb, fn *api.Function) {
	s := v.Stream
	if s == nil || len(fn.Params) == 0 {
		return
	}
	c.inObject(v, v.C)
	for _, p := range form.Find(form.Stream).Parts {
		if p.Name != form.PartOpen {
			c.inObject(v, v.NeedsVerbs[p.Name])
		}
	}
	request := c.facts.TypeOf("struct " + s.Request)
	object := c.facts.TypeOf("struct " + c.facts.TypeOf(fn.Params[0].Type).Tag)
	at := func(of spec.CType, key, path string) {
		_, ok := c.pathOf(of, path)
		c.all(entry{v.C, v.At}.on(v.Pos), row{!ok, key, "stream: " + key + ": " + of.C + " has no " + path, ""})
	}
	at(request, "opcode", s.Opcode)
	at(request, "flags", s.Flags)
	at(request, "elements", s.Elements)
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

// used checks that a stream or a view uses what a verb says that it does in one.
func (c *checker) used(v *spec.Verb, fn *api.Function) {
	if len(fn.Params) == 0 {
		return
	}
	by := func(holds func(*spec.Verb, *api.Function) bool) bool {
		for _, p := range c.Pages {
			for i := range p.Verbs {
				if f := c.facts.Func(p.Verbs[i].C); f != nil && holds(&p.Verbs[i], f) {
					return true
				}
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
	c.all(e, row{v.View != nil && !anyForm(v, func(f *form.Form) bool { return f.Name == form.View }), "view",
		"it has view:, and no method of form view", "write the form, or remove view:"})
	switch {
	case v.Builds != nil && !streams:
		c.all(e, unused("builds", "stream:"))
	case v.SetsFor != "" && !streams:
		c.all(e, unused("sets_for", "stream:"))
	case v.Command != nil && !views:
		c.all(e, unused("command", "view:"))
	case v.Command != nil:
		c.inObject(v, v.C)
		c.all(e, row{len(v.Methods) > 0 || v.Returns != spec.RetVoid, "command",
			"it has command:, and methods or a result besides",
			"write returns: void and methods: {}"})
	}
}

// inObject checks that a verb that a stream calls is a call of a function in the object that is its first parameter.
func (c *checker) inObject(v *spec.Verb, name string) {
	f := c.facts.Func(name)
	c.all(entry{name, v.At}, row{f != nil && !calledInObject(f), "",
		"a stream of commands or a view calls it, and it does not call a function in the object that it is given",
		"correct the verb, or the header"})
}

func calledInObject(f *api.Function) bool {
	return len(f.Params) > 0 && f.Dispatch != nil && f.Dispatch.Way == api.WayObject
}

// command compares one verb of a stream with the request that it takes values from.
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
		path, member := strings.CutPrefix(p.From, "&")
		t, ok := c.pathOf(request, path)
		wrong := c.first(entry{w.C + "." + p.C, p.At},
			row{p.From == "", "", "a stream of commands calls it, and it does not say where the value is in a request",
				"write from:"},
			row{p.From != "" && (!ok || member && t.Pointer), "from", request.C + " has no " + p.From, ""})
		if !wrong && p.From != "" && i < len(f.Params) {
			c.sameMembers(w, p, c.facts.TypeOf(f.Params[i].Type), t)
		}
	}
}

// sameMembers compares a list that a parameter takes with another one of the request, which it is made of: both have members of the
// same names.
func (c *checker) sameMembers(w *spec.Verb, p *spec.Param, to, from spec.CType) {
	if !to.Pointer || to.Tag == "" || to.Tag == from.Tag || !from.Pointer || from.Tag == "" {
		return
	}
	of := c.facts.TypeOf("struct " + from.Tag)
	for _, m := range c.facts.Members(c.facts.TypeOf("struct " + to.Tag)) {
		_, ok := c.facts.Member(of, m)
		c.all(entry{w.C + "." + p.C, p.At}, row{!ok, "from", of.C + " has no " + m + ", which struct " + to.Tag + " has", ""})
	}
}
