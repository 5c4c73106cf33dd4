package gogen

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// registers writes a method of a verb that takes host memory. Of several such methods each puts the memory into a mem.Source, and that
// of form memory does the rest.
func (e *emitter) registers(g *goFile, v *model.Verb, m *model.Method) {
	if len(v.Methods) == 1 {
		e.plain(g, v, m)
		return
	}
	first, rules := v.Methods[0], ruleList(v)
	if m != first && rules != "" {
		rules = say("rules of", words{"Method": first.Name})
	}
	i := slices.IndexFunc(v.Methods, func(m *model.Method) bool { return m.Form == form.Memory })
	if i < 0 {
		e.errorf(v.C, "several methods take its memory, and none is of form "+form.Memory)
		return
	}
	if m == v.Methods[i] {
		c := e.inOrder(v, m)
		c.out.doc = c.doc(v.Doc, rules)
		c.write(g)
		return
	}
	results, _ := e.results(v, m)
	c := e.newCall(v, m, results, nil)
	var steps []jen.Code
	for _, p := range v.Params {
		switch {
		case p == c.recv:
		case !v.HostMemory(p):
			c.take(p, p.GoType)
			c.args = append(c.args, id(p.Go))
		case p.Len != nil:
			c.args = append(c.args, c.source(p))
		}
		for _, flag := range m.Sets[p.C] {
			steps = append(steps, op(id(p.Go), "|=", id(flag.Go)))
		}
	}
	c.out.body = append(steps, jen.Return(id(c.self, v.Methods[i].Name).Call(c.args...)))
	c.out.doc = c.doc(v.Doc, rules)
	c.write(g)
}

// source adds to a method the parameters for the memory at p, and returns the source that they make.
func (c *call) source(p *model.Param) *jen.Statement {
	take := func(vars ...jen.Code) { c.out.params = append(c.out.params, vars...) }
	switch is := c.m.Form; {
	case is == form.Memory:
		take(param("from", "mem.Source"))
		return id("from")
	case is == form.Bytes:
		take(param("buf", "[]byte"))
		return rt("mem", "Bytes").Call(id("buf"))
	case is == form.Implicit:
		return rt("mem", "Addr").Call(jen.Lit(0), rt("math", "MaxUint64"))
	}
	take(param(p.Go, "uintptr"), param(p.Len.Go, "uint64"))
	return rt("mem", "Addr").Call(id(p.Go), id(p.Len.Go))
}

// memory takes the memory at p from a source.
func (c *call) memory(p *model.Param) {
	c.hold(define("held", "err").Add(rt("cmem", "Take").Call(c.source(p), id("verb"))),
		c.zero.refuse(notNil(id("err")), rt("fail", "Memory").Call(id("verb"), id("err"))))
	if c.m.Form == form.Bytes || c.m.Form == form.Memory { // others have variables of these names already
		c.pre = append(c.pre, define(p.Go, p.Len.Go).List(id("held.Addr"), id("held.Len")))
	}
}

// hold takes memory before the rules. It is let go of when the method returns, unless release is nil then: the new object keeps it.
//
//	held, err := attr.hold(verb, &attrC)
//	if err != nil {
//		return nil, err
//	}
//	release := held.Release
//	defer object.Release(&release)
func (c *call) hold(take ...jen.Code) {
	c.keep = true
	c.pre = append(append(c.pre, take...), define("release").Add(id("held.Release")),
		jen.Defer().Add(rt("object", "Release").Call(ref(id("release")))))
}

// memoryField is the field of a builder with the address of host memory, or nil.
func memoryField(r *model.Record) *model.Field {
	return model.First(r.Fields, func(f *model.Field) bool { return f.Callback == spec.CallbackMemory })
}
