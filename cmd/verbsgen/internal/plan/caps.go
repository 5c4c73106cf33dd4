package plan

import (
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// capsFunc is the helper of a device that gives the capabilities.
const capsFunc = "capabilities"

// capsRecord is the record that a device keeps for the rules on capabilities, or nil.
func (b *builder) capsRecord() *model.Record {
	for _, r := range b.pkg.Records {
		if r.Caps {
			return r
		}
	}
	return nil
}

// capabilities plans how a device comes to know its capabilities: at the first need of a rule, unless the program has asked for
// them before. The rules that need them are named when they cannot be read.
func (b *builder) capabilities(o *model.Object) []Decl {
	r := b.capsRecord()
	if r == nil || !b.needsCaps() {
		return nil
	}
	known := "*" + r.Mirror.Name
	m := on(o, capsFunc, Says(capsFunc, nil), one(known),
		define("caps", result("o.caps.Known")))
	ask := b.askCapabilities(o, r)
	if ask == nil {
		m.Steps = []Step{ret(result("o.caps.Known"))}
		return []Decl{m}
	}
	m.Doc.Text = Says(capsFunc+" asked", nil)
	m.Steps = append(m.Steps, If{isGiven("caps"), []Step{ret(val("caps"))}}, ret(result("o.caps.Read", val("o."+ask.Name))))
	return []Decl{m, ask, unjudged(o, ask, r.Page), gone(o, ask)}
}

// goneFunc is the helper of a device that recognises that it was taken away.
const goneFunc = "gone"

// noticesGone reports whether a device has goneFunc.
func (b *builder) noticesGone() bool {
	r := b.capsRecord()
	return r != nil && b.needsCaps() && b.askCapabilities(b.pkg.Root, r) != nil
}

// gone plans goneFunc.
func gone(o *model.Object, ask *Method) *Method {
	m := on(o, goneFunc, Says(goneFunc, nil), one("bool"), ret(of("validate", "Gone", val("errno"), val("o."+ask.Name))))
	m.Params = []Var{{Name: "errno", Type: "syscall.Errno"}}
	return m
}

// needsCaps tells whether a rule looks at capabilities.
func (b *builder) needsCaps() bool {
	for _, v := range b.pkg.Verbs {
		for _, o := range v.Inputs() {
			if o.Kind == model.OpCap {
				return true
			}
		}
	}
	return false
}

// askCapabilities plans the query of the capabilities by a method that takes nothing. It is nil when no method is such.
func (b *builder) askCapabilities(o *model.Object, r *model.Record) *Method {
	for _, v := range b.pkg.Verbs {
		for _, m := range v.Methods {
			if c := b.newCall(v, m); m.Form == form.Plain && m.Recv == o.Go && c.fills(r) {
				return c.ask(o, r)
			}
		}
	}
	return nil
}

// fills tells whether the method takes nothing and fills a record, and makes the arguments of the call.
func (c *call) fills(r *model.Record) (fills bool) {
	for _, p := range c.v.Params {
		_, fixed := c.m.Fixed[p.C]
		out := p.Filled() == r
		if p != c.recv && !fixed && !out {
			return false
		}
		fills = fills || out
	}
	return fills
}

// ask plans the helper: the call alone, of a handle that the verb with the rule has entered.
func (c *call) ask(o *model.Object, r *model.Record) *Method {
	out := on(o, "askCapabilities", "askCapabilities reads the capabilities by "+c.v.C+".",
		[]Var{{Type: "*" + r.Mirror.Name}, {Type: "error"}})
	out.Recv.Name, out.Zero = c.self, []Value{null}
	mirror := ""
	for _, p := range c.v.Params {
		c.param(p)
		if p.Filled() == r {
			mirror = p.Go + "C"
		}
	}
	call := Call{Verb: c.v.C, By: raw(c.v, c.lib, c.args...), Answer: answer(c.v)}
	out.Steps = append([]Step{Name{c.v.C}}, c.b.missing(c.v, c.lib)...)
	out.Steps = append(append(out.Steps, c.prep...), call,
		Refuse{operation(val(mirror+"."+r.Mask), "!=", zero), of("verr", "NoCaps", verb)}, ret(addr(mirror), null))
	return out
}

// unjudged plans the method that tells which rules are not judged.
func unjudged(o *model.Object, ask *Method, page string) *Method {
	name := ask.Steps[0].(Name)
	m := on(o, "UnjudgedRules", "", []Var{{Type: "[]verr.Rule"}, {Type: "error"}}, name, Enter{Handle: "o"},
		ret(of("verr", "Unjudged", val("capable"), result("o.caps.Why", val("o."+ask.Name)))))
	m.Zero = []Value{null}
	m.Doc = Doc{Does: Says(m.Name, Words{"Object": o.Go}),
		More: []string{Says(m.Name+" more", nil)}, C: name.Verb, Page: page}
	return m
}
