package gogen

import (
	"github.com/dave/jennifer/jen"

	"strconv"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file plans a struct with pairs of pointers, to an object and to a record that the verb fills: a method is for one of them.

// pairParam passes the struct, whose other pointers are NULL.
func (c *call) pairParam(p *model.Param) {
	x, at, pins := p.PairOf(c.m), p.Go+"C", p.Go+"Pins"
	word := func(offset int64) *jen.Statement { return id(at).Index(dec(uint64(offset / 8))) }
	in := c.argument((*call).handleParam, x.In)
	c.argument((*call).outRecord, x.Out)
	c.pre = append(c.pre, declare(pins, "mem.Pins"), until(pins+".Unpin"),
		declare(at, "["+strconv.FormatInt(p.Size/8, 10)+"]uintptr"),
		assign(word(x.InAt), conversion("uintptr", in)))
	c.prep = append(c.prep, assign(word(x.OutAt), rt("mem", "PinValue").Call(ref(id(pins)), ref(id(x.Out.Go+"C")))))
	c.pass(p, memory(at), dec(1))
}

// argument plans a parameter of the method that C has no parameter for, and returns its argument.
func (c *call) argument(plan func(*call, *model.Param), p *model.Param) jen.Code {
	plan(c, p)
	last := len(c.args) - 1
	arg := c.args[last]
	c.args = c.args[:last]
	return arg
}

func pairResult(e *emitter, v *model.Verb, m *model.Method, p *model.Param) (string, jen.Code) {
	return recordResult(e, v, m, p.PairOf(m).Out)
}

func (c *call) pairOutput(p *model.Param, out *outputs) { c.recordOutput(p.PairOf(c.m).Out, out) }
