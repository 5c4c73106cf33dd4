package plan

import "github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"

// This file has the results that a verb fills.

// outputs is the return of what a verb filled, in the making.
type outputs struct {
	fill  []Step  // before the return
	outs  []Value // returned
	count string  // variable with the number that the verb returned, if any
}

// output plans the return of what a verb filled.
func (c *call) output() (fill []Step, outs []Value) {
	var out outputs
	switch {
	case counts(c.v):
		out.count = "n"
		out.outs = append(out.outs, val(out.count))
	case c.v.Result == "string":
		out.outs = append(out.outs, of("cmem", "String", val("x")))
	case c.v.Result == "bool":
		out.outs = append(out.outs, operation(val("x"), "!=", zero))
	case c.v.Result != "":
		out.outs = append(out.outs, convert(c.v.Result, c.b.integer(c.v.C, c.v.CRet), val("x")))
	}
	for _, p := range c.v.Params {
		if add := byRole[p.Role].output; add != nil {
			add(c, p, &out)
		}
	}
	return out.fill, out.outs
}

// recordResult: a record that the verb fills is returned; by value, if another verb takes it so.
func recordResult(_ *call, p *model.Param) (string, Value) {
	if p.Record.In {
		return p.GoType, composite(p.GoType)
	}
	return "*" + p.GoType, null
}

// numberResult: numbers that the verb sets are returned.
func (c *call) numberResult(p *model.Param) (string, Value) {
	if p.Union != nil || p.Count > 0 {
		return c.outType(p), composite(c.outType(p))
	}
	return c.outType(p), zero
}

// listOutput makes records of the mirrors that the verb filled.
func (c *call) listOutput(p *model.Param, out *outputs) {
	if p.Record != nil {
		out.fill = append(out.fill, FillList{List: p.Go, From: p.Go + "C", Type: p.GoType, Count: out.count})
	}
}

// recordOutput makes the record of a mirror that the verb filled.
func (c *call) recordOutput(p *model.Param, out *outputs) {
	mirror, name := p.Go+"C", "out"
	if p.Record.From != nil {
		c.inOutOutput(p, out)
		out.outs = append(out.outs, val(p.Go))
		return
	}
	if p.Record.Caps && c.b.needsCaps() {
		out.fill = append(out.fill, KeepCaps{Device: c.self, Mirror: mirror, Mask: mirror + "." + p.Record.Mask})
	}
	if len(out.outs) > 0 {
		name = p.Go
	}
	out.fill = append(out.fill, Output{Into: name, Mirror: mirror, Type: p.GoType, ByValue: p.Record.In})
	out.outs = append(out.outs, val(name))
}

// numberOutput returns numbers that the verb set.
func (c *call) numberOutput(p *model.Param, out *outputs) {
	out.outs = append(out.outs, hostOrder(p, val(p.Go), c.outType(p)))
}
