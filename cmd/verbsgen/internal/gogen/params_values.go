package gogen

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// Parameters that are numbers, texts, bytes or lists of them.

// listParam passes a list of records. Those of the runtime have C's layout themselves.
func (c *call) listParam(p *model.Param) {
	c.take(p, "[]"+p.GoType)
	c.mostOf(p)
	list := p.Go
	if p.Record.Runtime == "" {
		list += "C"
		c.prep = append(c.prep, define(list).Add(rt("cmem", "Mirrors").Call(id(p.Go), methodOf(p.GoType, "to"))))
	}
	c.pass(p, array(list), length("uint64", p.Go))
}

// addressParam passes the address of a socket.
func (c *call) addressParam(p *model.Param) {
	c.take(p, p.GoType)
	c.pre = append(c.pre, c.zero.try(p.Go+"C", rt("cmem", "SockAddrOf").Call(id("verb"), jen.Lit(p.C), id(p.Go), jen.Lit(p.Null))))
	c.pass(p, id(p.Go+"C.Pointer").Call(), dec(1))
}

// dataParam passes bytes that the verb reads.
func (c *call) dataParam(p *model.Param) {
	c.take(p, p.GoType)
	c.most(p)
	c.pass(p, array(p.Go), dec(1))
}

// countedParam passes a copy of bytes behind their number.
func (c *call) countedParam(p *model.Param) {
	c.take(p, p.GoType)
	c.pre = append(c.pre, c.zero.try(p.Go+"C", counted(p.C, p.Counted, p.Go)))
	c.pass(p, array(p.Go+"C"), dec(1))
}

// counted makes bytes behind a struct with their number.
func counted(what string, x *model.Counted, bytes string) jen.Code {
	return rt("cmem", "Counted").Types(goType(x.Count)).Call(id("verb"), jen.Lit(what), dec(uint64(x.Size)), id(bytes))
}

// blockParam passes a copy of bytes that is as long as the verb may read.
func (c *call) blockParam(p *model.Param) {
	c.take(p, p.GoType)
	c.pre = append(c.pre, c.zero.try(p.Go+"C", rt("cmem", "Padded").Call(id("verb"), jen.Lit(p.C), id(p.Go), dec(uint64(p.Most)))))
	c.pass(p, array(p.Go+"C"), dec(1))
}

// textParam passes a copy of a text with a zero byte behind it.
func (c *call) textParam(p *model.Param) {
	c.take(p, p.GoType)
	c.pre = append(c.pre, c.zero.try(p.Go+"C", rt("cmem", "Terminated").Call(id("verb"), jen.Lit(p.C), id(p.Go))))
	if p.Null {
		c.pre = append(c.pre, jen.If(op(id(p.Go), "==", jen.Lit(""))).Block(assign(id(p.Go+"C"), jen.Nil())))
	}
	c.pass(p, array(p.Go+"C"), dec(1))
}

// most refuses a slice that is longer than the type of its length can say.
func (c *call) most(p *model.Param) {
	if t := c.rawType(p.Len); longest[t] > 0 {
		most := dec(longest[t])
		c.pre = append(c.pre, c.zero.refuse(op(jen.Len(id(p.Go)), ">", most),
			rt("fail", "TooLong").Call(id("verb"), jen.Lit(p.C), length("int", p.Go), most)))
	}
}

// mostOf is that of a list, of which no program has 1<<32 elements.
func (c *call) mostOf(p *model.Param) {
	if longest[c.rawType(p.Len)] < 1<<32-1 {
		c.most(p)
	}
}

// longest is the greatest number that the type of a length holds, where a slice may be longer.
var longest = map[string]uint64{"uint8": 1<<8 - 1, "uint16": 1<<16 - 1, "uint32": 1<<32 - 1,
	"int8": 1<<7 - 1, "int16": 1<<15 - 1, "int32": 1<<31 - 1}

// lengthParam passes the length of a slice, or a number.
func (c *call) lengthParam(n *model.Param) {
	for _, p := range c.v.Params {
		if p.Len == n && p.Role == role.Sockaddr {
			size := func(typ string) jen.Code { return conversion(typ, id(p.Go+"C.Len").Call()) }
			c.pass(n, size(c.rawType(n)), size("uint64"))
			return
		}
		if p.Len == n && p.Role.Passes == role.PassesMemory {
			c.pass(n, length(c.rawType(n), p.Go), length("uint64", p.Go))
			return
		}
	}
	c.valueParam(n)
}

// flagsParam passes flags: as one value, or given one by one.
func (c *call) flagsParam(p *model.Param) {
	if p.Rest {
		c.restParam(p)
		return
	}
	c.valueParam(p)
}

// restParam passes flags that are given one by one.
func (c *call) restParam(p *model.Param) {
	all := p.Go + "C"
	c.take(p, "..."+p.GoType)
	c.pre = append(c.pre, define(all).Add(rt("cmem", "Join").Call(id(p.Go), inHex(p.Enum.Known))))
	c.pass(p, conversion(c.rawType(p), id(all)), wide(all))
}

// valueParam passes a number, flags or an enum.
func (c *call) valueParam(p *model.Param) {
	c.take(p, p.GoType)
	if p.Union != nil {
		c.pass(p, memory(p.Go), dec(1))
		return
	}
	c.number(p)
}

// number passes a value that the caller has in a variable or a field.
func (c *call) number(p *model.Param) {
	for _, flag := range c.m.Sets[p.C] {
		c.pre = append(c.pre, op(id(p.Go), "|=", id(flag.Go)))
	}
	in := wide(p.Go)
	switch p.GoType {
	case "bool":
		flag := func(typ string) jen.Code { return rt("cmem", "Flag").Types(goType(typ)).Call(id(p.Go)) }
		c.pass(p, flag(c.rawType(p)), flag("uint64"))
		return
	case "int":
		wraps := op(conversion("int", conversion("int32", id(p.Go))), "!=", id(p.Go))
		c.pre = append(c.pre, c.zero.refuse(wraps, rt("fail", "OutOfRange").Call(id("verb"), jen.Lit(p.C), id(p.Go))))
		in = conversion("int64", id(p.Go))
	case "int64":
		in = conversion("int64", id(p.Go))
	}
	c.pass(p, hostOrder(p, converted(c.rawType(p), p.GoType, id(p.Go)), c.rawType(p)), in)
}

// hostOrder turns the bytes of a value around where C has it in network byte order: coming and going alike.
func hostOrder(p *model.Param, x *jen.Statement, typ string) *jen.Statement {
	if !p.Big {
		return x
	}
	return reversed(typ, x)
}

// rawType is the type of a value in the raw call.
func (c *call) rawType(p *model.Param) string { return c.e.integer(c.v.C+"."+p.C, p.CType) }

// outType is the Go type behind a pointer to one scalar.
func (e *emitter) outType(v *model.Verb, p *model.Param) string {
	if p.GoType != "" {
		return p.GoType
	}
	one := e.integer(v.C+"."+p.C, pointee(p.CType))
	if p.Count > 0 {
		return "[" + strconv.Itoa(p.Count) + "]" + one
	}
	return one
}

// pointee is the C type behind a pointer.
func pointee(ctype string) string {
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(ctype), "*"))
}

// pairParam passes the struct, whose other pointers are NULL.
func (c *call) pairParam(p *model.Param) {
	x, at, pins := p.PairOf(c.m), p.Go+"C", p.Go+"Pins"
	word := func(offset int64) *jen.Statement { return id(at).Index(dec(uint64(offset / 8))) }
	in := c.argument((*call).handleParam, x.In)
	if x.Owns {
		c.pre = append(c.pre, c.zero.onErr(rt("bridge", "OwnsQueues").Call(id("verb"), jen.Lit(x.In.C), id(held(x.In)))))
	}
	c.argument((*call).outRecord, x.Out)
	c.pre = append(c.pre, declare(pins, "cmem.Pins"), until(pins+".Unpin"),
		declare(at, "["+strconv.FormatInt(p.Size/8, 10)+"]uintptr"),
		assign(word(x.InAt), conversion("uintptr", in)))
	c.prep = append(c.prep, assign(word(x.OutAt), rt("cmem", "PinValue").Call(ref(id(pins)), ref(id(x.Out.Go+"C")))))
	c.pass(p, memory(at), dec(1))
}

// argument adds a parameter of the method that C has no parameter for, and returns its argument.
func (c *call) argument(add func(*call, *model.Param), p *model.Param) jen.Code {
	add(c, p)
	last := len(c.args) - 1
	arg := c.args[last]
	c.args = c.args[:last]
	return arg
}

func pairResult(e *emitter, v *model.Verb, m *model.Method, p *model.Param) (string, jen.Code) {
	return recordResult(e, v, m, p.PairOf(m).Out)
}

func (c *call) pairOutput(p *model.Param, out *outputs) { c.recordOutput(p.PairOf(c.m).Out, out) }
