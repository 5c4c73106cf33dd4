package plan

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// This file plans views: their type, that of their requests, and the functions that build requests or add to them.

// viewParams are the parameters of the C function of a view.
var viewParams = []Cross{{Name: "fn0", Type: "uintptr"}, {Name: "object", Type: pointer}, {Name: "to", Type: pointer, Memory: true}}

// view plans a method that finds a view, and its types.
func (b *builder) view(v *model.Verb, m *model.Method) []Decl {
	x := v.View
	c := b.newCall(v, m)
	p := v.Params[0]
	uses := c.uses(x.Of)
	c.out.Params = []Var{{Name: p.Go, Type: "*" + x.Stream}}
	c.out.Results, c.out.Zero = []Var{{Type: "*" + x.Go}, {Type: "error"}}, []Value{null}
	c.out.Doc = c.doc(v.Doc)
	c.out.Steps = slices.Concat([]Step{Name{v.C}}, c.pre, []Step{
		Try{"held", of("bridge", "EnterStream", addr(uses), text(p.C), val(p.Go))}}, b.supports(c, uses),
		[]Step{define("x", composite("*"+x.Go, Entry{"lib", val(c.lib)})),
			Assign{To: []string{"x.view.Of", "x.view.Handle", "x.view.Type"}, Op: "=",
				Values: []Value{val("held.Gate"), val("held.Handle"), text(x.Requests)}},
			do(raw(v, c.lib, val("held.Object"), result("x.view.Memory"))),
			Refuse{result("!x.view.Found"), of("verr", "NoView", verb, text(x.Go))},
			ret(val("x"), null)})
	return []Decl{c.out}
}

// viewTypes plans the types of a view and of its requests.
func (b *builder) viewTypes(v *model.Verb) []Decl {
	x := v.View
	m := v.Methods[0]
	words := Words{"Object": x.Go}
	recv, out := Var{Name: "x", Type: "*" + x.Go}, []Var{{Name: "w", Type: x.Requests}, {Name: "err", Type: "error"}}
	decls := []Decl{
		&Struct{Name: x.Go, Doc: Doc{Does: Says("view", words), C: "struct " + x.C, Page: v.Page},
			Fields: []Var{{Name: "lib", Type: "*Lib"}, {Name: "view", Type: "dpath.View"}}},
		&Method{Doc: Doc{Does: Says("view WR", words), C: v.C, Page: v.Page}, Recv: recv, Name: "WR",
			Params: []Var{{Name: "b", Type: "*dpath.SendBatch"}, {Name: "i", Type: "int"}}, Results: out, Zero: []Value{val("w")},
			Steps: []Step{Name{v.C}, Refuse{operation(isNil("x"), "||", result("!x.view.Found")),
				of("verr", "NilValue", verb, text(x.Go), text("make one with "+m.Recv+"."+m.Name))},
				assign("w.lib", "=", val("x.lib")),
				Assign{To: []string{"w.SendWR", "w.more", "err"}, Op: "=", Values: []Value{result("x.view.More", verb, val("b"), val("i"))}},
				ret(val("w"), val("err"))}},
		&Struct{Name: x.Requests, Doc: Doc{Does: Says("view requests", words), C: "struct " + x.C, Page: v.Page},
			Fields: []Var{{Name: "", Type: "dpath.SendWR"}, {Name: "lib", Type: "*Lib"}, {Name: "more", Type: "dpath.More"}}}}
	for i, k := range x.Commands {
		decls = append(decls, b.command(x, k, i))
	}
	return decls
}

// supports refuses a stream of a device that the library is not for, where a function of the library fails for it or says so.
func (b *builder) supports(c *call, uses string) []Step {
	v := c.v.Part(form.PartSupports)
	if v == nil || len(v.Methods) == 0 || v.Params[0].Object == nil {
		return nil
	}
	return []Step{
		Try{"dev", generic("bridge", "Root", v.Params[0].Object.Type()[1:], addr(uses), text(c.v.View.Go))},
		Try{Call: result(uses+".Supported", result(c.lib+"."+v.Methods[0].Name, val("dev")))},
	}
}

// command plans a method that adds a function of a view to a request.
func (b *builder) command(x *model.View, k *model.Command, at int) *Method {
	c := &call{b: b, v: k.Verb, m: &model.Method{Recv: x.Requests, Name: k.Go}, self: "w", lib: "w.lib", in: map[string]Value{},
		others: map[string]bool{}, out: &Method{Name: k.Go, Recv: Var{Name: "w", Type: x.Requests}, Results: errOnly}}
	c.pre = []Step{Try{Call: result("w.more.Made", verb, text(x.Requests), text("take one with "+x.Go+".WR"))}}
	if k.With != nil {
		missing := b.missing(k.With, c.lib)[0].(Missing)
		missing.Verb = k.C
		c.pre = append(c.pre, missing)
	}
	add := []Value{verb, number(uint64(at))}
	if k.Builds {
		c.out.Params = []Var{{Name: "id", Type: "uint64"}}
	}
	for _, p := range k.Params[1:] {
		c.param(p)
		add = append(add, c.deferred(p, c.args[len(c.args)-1]))
	}
	var build []Step
	if k.Builds {
		build = []Step{do(result("w.more.Build", val("id")))}
	}
	c.out.Steps = slices.Concat([]Step{Name{k.C}}, c.pre, c.prep, build, []Step{ret(result("w.more.Add", add...))})
	c.out.Doc = c.doc(k.Doc)
	return c.out
}

// deferred is the argument of a call that a post makes.
func (c *call) deferred(p *model.Param, arg Value) Value {
	switch {
	case p.Object != nil && p.Object.From != nil:
		return of("dpath", "Used", text(p.C), val(held(p)))
	case p.Object != nil:
		return of("dpath", "Used", text(p.C), addr(p.Go+".h"))
	case p.Role == role.Slice || p.Role == role.Data:
		list := p.Go
		if p.Record != nil && p.Record.Runtime == "" {
			list += "C"
		}
		return of("dpath", "ListOf", val(list))
	case p.Role.Passes == role.PassesMemory:
		return of("dpath", "Memory", arg)
	}
	return of("dpath", "Number", arg)
}
