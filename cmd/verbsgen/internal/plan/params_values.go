package plan

import (
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// Parameters that are numbers, texts, bytes or lists of them.

// listParam passes a list of records. Those of the runtime have C's layout themselves.
func (c *call) listParam(p *model.Param) {
	c.take(p, "[]"+p.GoType)
	if longest[c.rawType(p.Len)] < 1<<32-1 {
		c.most(p)
	}
	list := p.Go
	if p.Record.Runtime == "" {
		list += "C"
		c.prep = append(c.prep, CopyList{List: p.Go, Into: list, Type: p.GoType})
	}
	c.pass(p, array(list), length("uint64", p.Go))
}

// addressParam passes the address of a socket.
func (c *call) addressParam(p *model.Param) {
	c.take(p, p.GoType)
	optional := val("false")
	if p.Null {
		optional = yes
	}
	c.pre = append(c.pre, Try{Into: p.Go + "C", Call: of("sockaddr", "Of", verb, text(p.C), val(p.Go), optional)})
	c.pass(p, result(p.Go+"C.Pointer"), number(1))
}

// dataParam passes bytes that the verb reads.
func (c *call) dataParam(p *model.Param) {
	c.take(p, p.GoType)
	c.most(p)
	c.pass(p, array(p.Go), number(1))
}

// countedParam passes a copy of bytes behind their number.
func (c *call) countedParam(p *model.Param) {
	c.take(p, p.GoType)
	c.pre = append(c.pre, Try{p.Go + "C", counted(p.C, p.Counted, p.Go)})
	c.pass(p, array(p.Go+"C"), number(1))
}

// counted makes bytes behind a struct with their number.
func counted(what string, x *model.Counted, bytes string) Value {
	return generic("cmem", "Counted", x.Count, verb, text(what), number(uint64(x.Size)), val(bytes))
}

// blockParam passes a copy of bytes that is as long as the verb may read.
func (c *call) blockParam(p *model.Param) {
	c.take(p, p.GoType)
	c.pre = append(c.pre, Try{p.Go + "C", of("cmem", "Padded", verb, text(p.C), val(p.Go), number(uint64(p.Most)))})
	c.pass(p, array(p.Go+"C"), number(1))
}

// textParam passes a copy of a text with a zero byte behind it.
func (c *call) textParam(p *model.Param) {
	c.take(p, p.GoType)
	c.pre = append(c.pre, Try{p.Go + "C", of("cmem", "Terminated", verb, text(p.C), val(p.Go))})
	c.pass(p, array(p.Go+"C"), number(1))
}

// most refuses a slice that is longer than the type of its length can say.
func (c *call) most(p *model.Param) {
	if t := c.rawType(p.Len); longest[t] > 0 {
		c.pre = append(c.pre, Refuse{operation(result("len", val(p.Go)), ">", number(longest[t])),
			of("verr", "TooLong", verb, text(p.C), length("int", p.Go), number(longest[t]))})
	}
}

// longest is the greatest number that the type of a length holds, where a slice may be longer.
var longest = map[string]uint64{"uint8": 1<<8 - 1, "uint16": 1<<16 - 1, "uint32": 1<<32 - 1}

// lengthParam passes the length of a slice, or a number.
func (c *call) lengthParam(n *model.Param) {
	for _, p := range c.v.Params {
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
	c.pre = append(c.pre, Gather{Flags: p.Go, Into: all, All: p.Enum.Known})
	c.pass(p, converted(c.rawType(p), val(all)), wide(all))
}

// valueParam passes a number, flags or an enum.
func (c *call) valueParam(p *model.Param) {
	c.take(p, p.GoType)
	if p.Union != nil {
		c.pass(p, memory(p.Go), number(1))
		return
	}
	for _, flag := range c.m.Sets[p.C] {
		c.pre = append(c.pre, assign(p.Go, "|=", val(flag.Go)))
	}
	in := wide(p.Go)
	switch p.GoType {
	case "bool":
		flag := func(typ string) Value { return generic("cmem", "Flag", typ, val(p.Go)) }
		c.pass(p, flag(c.rawType(p)), flag("uint64"))
		return
	case "int":
		c.pre = append(c.pre, Refuse{operation(converted("int", converted("int32", val(p.Go))), "!=", val(p.Go)),
			of("verr", "OutOfRange", verb, text(p.C), val(p.Go))})
		in.Type = "int64"
	case "int64":
		in.Type = "int64"
	}
	c.pass(p, hostOrder(p, convert(c.rawType(p), p.GoType, val(p.Go)), c.rawType(p)), in)
}

// hostOrder turns the bytes of a value around where C has it in network byte order: coming and going alike.
func hostOrder(p *model.Param, x Value, typ string) Value {
	if !p.Big {
		return x
	}
	return of("bits", "ReverseBytes"+strings.TrimPrefix(typ, "uint"), x)
}

// rawType is the type of a value in the raw call.
func (c *call) rawType(p *model.Param) string { return c.b.integer(c.v.C+"."+p.C, p.CType) }

// outType is the Go type behind a pointer to one scalar.
func (c *call) outType(p *model.Param) string {
	if p.GoType != "" {
		return p.GoType
	}
	one := c.b.integer(c.v.C+"."+p.C, pointee(p.CType))
	if p.Count > 0 {
		return "[" + strconv.Itoa(p.Count) + "]" + one
	}
	return one
}

// pointee is the C type behind a pointer.
func pointee(ctype string) string {
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(ctype), "*"))
}
