package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file has the results that a verb fills.

// outputs is the return of what a verb filled, in the making.
type outputs struct {
	fill  []jen.Code // before the return
	outs  []jen.Code // returned
	count string     // variable with the number that the verb returned, if any
}

// output is the return of what a verb filled.
func (c *call) output() (fill []jen.Code, outs []jen.Code) {
	var out outputs
	switch {
	case c.v.Creates.Int():
	case counts(c.v):
		out.count = "n"
		out.outs = append(out.outs, id(out.count))
	case c.v.Result == "string":
		out.outs = append(out.outs, rt("cmem", "String").Call(id("x")))
	case c.v.Result == "bool":
		out.outs = append(out.outs, op(id("x"), "!=", jen.Lit(0)))
	case c.v.Result != "":
		out.outs = append(out.outs, converted(c.v.Result, c.e.integer(c.v.C, c.v.CRet), id("x")))
	}
	for _, p := range c.v.Params {
		if add := byRole[p.Role].output; add != nil && c.m.Fixed[p.C] == nil {
			add(c, p, &out)
		}
	}
	return out.fill, out.outs
}

// recordResult: a record that the verb fills is returned; by value, if another verb takes it so.
func recordResult(_ *emitter, _ *model.Verb, _ *model.Method, p *model.Param) (string, jen.Code) {
	if p.Record.In {
		return p.GoType, goType(p.GoType).Values()
	}
	return "*" + p.GoType, jen.Nil()
}

// numberResult: numbers that the verb sets are returned.
func (e *emitter) numberResult(v *model.Verb, _ *model.Method, p *model.Param) (string, jen.Code) {
	typ := e.outType(v, p)
	if p.Union != nil || p.Count > 0 {
		return typ, goType(typ).Values()
	}
	if typ == "bool" {
		return typ, jen.False()
	}
	return typ, jen.Lit(0)
}

// listOutput makes records of the mirrors that the verb filled; what C did not fill stays as it is.
func (c *call) listOutput(p *model.Param, out *outputs) {
	if p.Record != nil {
		from := p.Go + "C"
		n := jen.Len(id(from))
		if out.count != "" {
			n = id(out.count)
		}
		out.fill = append(out.fill, rt("cmem", "FillList").Call(id(p.Go), id(from), n, methodOf(p.GoType, "from")))
	}
}

// recordOutput makes the record of a mirror that the verb filled.
func (c *call) recordOutput(p *model.Param, out *outputs) {
	mirror, name := p.Go+"C", "out"
	if p.Record.From != nil {
		c.inOutOutput(p, out)
		out.outs = append(out.outs, id(p.Go))
		return
	}
	if p.Record.Caps && c.e.needsCaps() {
		keep := remark(id(c.self, "caps.Keep").Call(ref(id(mirror))), "not the plain attributes alone: what is 0 is known to be 0")
		out.fill = append(out.fill, jen.If(op(id(mirror, p.Record.Mask), "==", jen.Lit(0))).Block(keep))
	}
	if len(out.outs) > 0 {
		name = p.Go
	}
	made := define(name).Id("new").Call(goType(p.GoType))
	if p.Record.In {
		made = declare(name, p.GoType)
	}
	out.fill = append(out.fill, made, id(name, "from").Call(ref(id(mirror))))
	out.outs = append(out.outs, id(name))
}

// numberOutput returns numbers that the verb set.
func (c *call) numberOutput(p *model.Param, out *outputs) {
	out.outs = append(out.outs, hostOrder(p, id(p.Go), c.e.outType(c.v, p)))
}
