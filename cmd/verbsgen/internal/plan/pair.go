package plan

import (
	"fmt"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// This file plans a struct with pairs of pointers, to an object and to a record that the verb fills: a method is for one of them.

// pairParam passes the struct, whose other pointers are NULL.
func (c *call) pairParam(p *model.Param) {
	x, at, pins := p.PairOf(c.m), p.Go+"C", p.Go+"Pins"
	word := func(offset int64) string { return fmt.Sprintf("%s[%d]", at, offset/8) }
	in := c.argument((*call).handleParam, x.In)
	c.argument((*call).outRecord, x.Out)
	c.pre = append(c.pre, Until{Var{Name: pins, Type: "mem.Pins"}, "Unpin"},
		Declare{Var{Name: at, Type: fmt.Sprintf("[%d]uintptr", p.Size/8)}},
		set(word(x.InAt), converted("uintptr", in)))
	c.prep = append(c.prep, set(word(x.OutAt), of("mem", "PinValue", addr(pins), addr(x.Out.Go+"C"))))
	c.pass(p, memory(at), number(1))
}

// argument plans a parameter of the method that C has no parameter for, and returns its argument.
func (c *call) argument(plan func(*call, *model.Param), p *model.Param) Value {
	plan(c, p)
	last := len(c.args) - 1
	arg := c.args[last]
	c.args = c.args[:last]
	return arg
}

func (c *call) pairResult(p *model.Param) (string, Value) { return recordResult(c, p.PairOf(c.m).Out) }

func (c *call) pairOutput(p *model.Param, out *outputs) { c.recordOutput(p.PairOf(c.m).Out, out) }
