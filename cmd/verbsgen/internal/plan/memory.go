package plan

import (
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
)

// registers plans a method of a verb that takes host memory. Of several such methods each puts the memory into a mem.Source, and a
// private one, planned with the first of them, does the rest.
func (b *builder) registers(v *model.Verb, m *model.Method) (out []Decl) {
	if len(v.Methods) == 1 {
		return b.method(v, m)
	}
	core := naming.Unexported(v.Go)
	first := v.Methods[0]
	if m == first {
		out = append(out, b.core(v, m, core))
	}
	c := b.newCall(v, m)
	c.results()
	c.out.Zero = nil
	var steps []Step
	for _, p := range v.Params {
		switch {
		case p == c.recv:
		case !v.HostMemory(p):
			c.take(p, p.GoType)
			c.args = append(c.args, val(p.Go))
		case p.Len != nil:
			c.args = append(c.args, c.source(p))
		}
		for _, flag := range m.Sets[p.C] {
			steps = append(steps, assign(p.Go, "|=", val(flag.Go)))
		}
	}
	c.out.Steps = append(steps, ret(result(c.self+"."+core, c.args...)))
	c.out.Doc = c.doc(v.Doc)
	if list := ruleList(v); m != first && list != "" {
		more := c.out.Doc.More
		more[len(more)-1] = Says("rules of", Words{"Method": first.Name})
	}
	return append(out, c.out)
}

// core plans the private method that registers memory of any source.
func (b *builder) core(v *model.Verb, m *model.Method, name string) *Method {
	any := *m
	any.Sets, any.Fixed = nil, nil
	c := b.newCall(v, &any)
	c.core = true
	c.results()
	for _, p := range v.Params {
		c.param(p)
	}
	c.out.Name, c.out.Doc = name, Doc{Text: Says("with memory", Words{"Name": name, "Verb": v.C})}
	c.out.Steps = slices.Concat([]Step{Name{v.C}}, c.pre, c.check(), c.prep, c.invoke(), c.hint(), c.success())
	return c.out
}

// source adds to a method the parameters for the memory at p, and returns the source that they make.
func (c *call) source(p *model.Param) Value {
	take := func(vars ...Var) { c.out.Params = append(c.out.Params, vars...) }
	switch is := c.m.Form; {
	case c.core:
		take(Var{Name: "memory", Type: "mem.Source"})
		return val("memory")
	case is == form.Bytes:
		take(Var{Name: "buf", Type: "[]byte"})
		return of("mem", "FromBytes", val("buf"))
	case is == form.Buffer:
		take(Var{Name: "buf", Type: "*mem.Buffer"})
		return of("mem", "FromBuffer", val("buf"))
	case is == form.Pin:
		take(Var{Name: "pin", Type: "*mem.Pin"})
		return of("mem", "FromPin", val("pin"))
	case is == form.Implicit:
		return of("mem", "FromAddr", zero, nameOf("math", "MaxUint64"))
	}
	take(Var{Name: p.Go, Type: "uintptr"}, Var{Name: p.Len.Go, Type: "uint64"})
	return of("mem", "FromAddr", val(p.Go), val(p.Len.Go))
}

// memory takes the memory at p from a source.
func (c *call) memory(p *model.Param) {
	h := Hold{From: c.source(p), Addr: p.Go, Length: p.Len.Go}
	if len(h.From.Args) == 2 { // by an address, which is in variables of these names already
		h.Addr, h.Length = "", ""
	}
	c.hold(h)
}

// hold takes memory before the rules. It is let go of unless the new object keeps it.
func (c *call) hold(take Step) {
	c.keep = true
	c.pre = append(c.pre, take)
}

// memoryField is the field of a builder with the address of host memory, or nil.
func memoryField(r *model.Record) *model.Field {
	for _, f := range r.Fields {
		if f.Callback == spec.CallbackMemory {
			return f
		}
	}
	return nil
}
