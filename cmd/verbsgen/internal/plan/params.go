package plan

import (
	"strconv"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/spec"
)

// param adds one C parameter to the method: to its Go parameters, its preparation and the arguments of the raw call.
func (c *call) param(p *model.Param) {
	fixed, isFixed := c.m.Fixed[p.C]
	switch {
	case p == c.recv:
		c.pass(p, val(p.Go+".c"), as(Handle, p.Go+".c"))
	case c.isMemory(p):
		if p.Role == spec.RoleAddr {
			c.memory(p)
		}
		c.pass(p, val(p.Go), wide(p.Go))
	case isFixed && p.Role != spec.RoleFlags:
		c.fixedParam(p, fixed)
	case p.Role == spec.RoleSock:
		c.addressParam(p)
	case p.Role == spec.RoleData:
		c.dataParam(p)
	case p.Role == spec.RoleMade:
		c.outParam(p, p.Go+"C", pointer)
	case p.Role == spec.RoleHandle && p.Object != nil && p.Object.From != nil:
		c.otherHandle(p)
	case p.Role == spec.RoleHandle:
		c.handleParam(p)
	case p.Role == spec.RoleInRec && p.Record.Runtime != "":
		c.take(p, "*"+p.GoType)
		c.pre = append(c.pre, refuseNil(p.Go, p.C, "pass a "+p.GoType))
		c.pass(p, converted(pointer, val(p.Go)), number(1))
	case p.Role == spec.RoleInRec && p.Record.From != nil:
		c.otherRecord(p)
	case p.Role == spec.RoleInRec:
		c.recordParam(p)
	case p.Role == spec.RoleBytes:
		c.take(p, p.GoType)
		size := number(uint64(p.Size))
		c.pre = append(c.pre, Refuse{Value{As: IsShort, Path: p.Go, N: size.N}, of("verr", "TooShort", verb, text(p.C), size)})
		c.pass(p, as(Array, p.Go), number(1))
	case p.Role == spec.RoleOutRec:
		c.outRecord(p)
	case p.Role == spec.RoleMask:
		c.maskParam(p)
	case p.Role == spec.RoleOut:
		c.outParam(p, p.Go, c.outType(p))
	case p.Role == spec.RoleSlice:
		c.listParam(p)
	case p.Role == spec.RoleFilled:
		c.filledParam(p)
	case c.dataOf(p) != nil:
		data := c.dataOf(p).Go
		c.pass(p, Value{As: Length, Path: data, Type: c.rawType(p)}, Value{As: Length, Path: data, Type: "uint64"})
	case c.sliceOf(p) != nil:
		list := c.sliceOf(p).Go
		c.pass(p, Value{As: Length, Path: list, Type: c.rawType(p)}, Value{As: Length, Path: list, Type: "uint64"})
	case p.Rest:
		c.restParam(p)
	default:
		c.valueParam(p)
	}
}

// pass gives a parameter's argument in the raw call, and what the rules see of it.
func (c *call) pass(p *model.Param, arg, in Value) {
	c.args = append(c.args, arg)
	c.in[p.C] = in
}

// take adds a parameter of the Go method for one of C.
func (c *call) take(p *model.Param, typ string) {
	c.out.Params = append(c.out.Params, Var{Name: p.Go, Type: typ})
	if p.Doc != "" {
		c.docs = append(c.docs, p.Go+": "+strings.TrimSuffix(p.Doc, ".")+".")
	}
}

// fixedParam passes a value that the page fixes.
func (c *call) fixedParam(p *model.Param, value uint64) {
	n := number(value)
	arg := n
	if p.Role == spec.RoleHandle || p.Role == spec.RoleInRec {
		arg = null
	}
	c.pass(p, arg, n)
}

// handleParam enters a handle. One that may be nil gives its C pointer to a variable.
func (c *call) handleParam(p *model.Param) {
	c.take(p, p.GoType)
	at := p.Go + ".c"
	if p.Null {
		at = p.Go + "C"
		c.pre = append(c.pre, Declare{Var{Name: at, Type: pointer}},
			Enter{Handle: p.Go, Optional: true, Then: append(c.sameDevice(p.Go, p.C), set(at, val(p.Go+".c")))})
	} else {
		c.pre = append(append(c.pre, Enter{Handle: p.Go}), c.sameDevice(p.Go, p.C)...)
	}
	c.pass(p, val(at), as(Handle, at))
}

// recordParam passes a copy of the builder's mirror, with the handles' C pointers filled in.
func (c *call) recordParam(p *model.Param) {
	mirror, r := p.Go+"C", p.Record
	c.take(p, "*"+p.GoType)
	c.pre = append(c.pre, refuseNil(p.Go, r.Go, "make one with New"+r.Go), CopyAttr{Attr: p.Go, Into: mirror})
	if hasInt(r) {
		c.pre = append(c.pre, Refuse{as(IsGiven, p.Go+".err"), val(p.Go + ".err")})
	}
	if memoryField(r) != nil {
		c.hold(HoldAttr{Attr: p.Go, Mirror: mirror})
	}
	c.pointers(p.Go, mirror, r)
	for _, f := range r.Fields {
		if f.Bytes && !f.Filled {
			c.prep = append(c.prep, PinData{Into: mirror + "." + f.Leaf.Go, Bytes: p.Go + "." + naming.Unexported(f.Go)})
		}
		if f.Object == nil {
			continue
		}
		h := p.Go + "." + naming.Unexported(f.Go)
		then := append(c.sameDevice(h, f.C), set(mirror+"."+f.Leaf.Go, converted("uintptr", val(h+".c"))))
		if f.Bit != nil && r.Mask != "" {
			then = append(then, maskBits(mirror+"."+r.Mask, f))
		}
		c.pre = append(c.pre, Enter{Handle: h, Optional: true, Then: then})
	}
	if c.m.Form == form.ParentDomain {
		c.hold(Register{Attr: p.Go, Mirror: mirror})
		c.post = append(c.post, set("o.parent", val(p.Go+".pd")), set("o.calls", val("calls")), Do{result("calls.Bind", val("o"))})
	}
	if t := r.Tail; t != nil {
		list, packed := p.Go+"."+naming.Unexported(t.Go), p.Go+"B"
		nodes := p.Go + "Nodes"
		c.under = append(c.under, nodes)
		c.pre = append(c.pre, EnterArms{List: list, Of: t.Of, Nodes: nodes, Self: c.self, Root: c.root},
			PackArms{List: list, Head: mirror, Into: packed, Count: t.Count, Size: t.Size})
		c.prep = append(c.prep, CopyHead{Head: mirror, Into: packed, Mirror: r.Mirror.Name})
		c.pass(p, as(Array, packed), number(1))
		return
	}
	c.pass(p, as(Memory, mirror), number(1))
}

// sameDevice refuses a handle of another device than the receiver: the kernel would look for it among the objects of that one.
// What is the C name of the handle's place.
func (c *call) sameDevice(handle, what string) []Step {
	if c.recv == nil {
		return nil
	}
	if c.root == "" {
		return []Step{Refuse{Value{As: Differ, Args: []Value{val(handle + ".lib"), val(c.lib)}}, of("bridge", "OtherLibrary", verb, text(what), as(Address, handle+".node"))}}
	}
	node := func(h string) Value { return as(Address, h+".node") }
	return []Step{Refuse{Value{As: Differ, Args: []Value{val(handle + ".dev"), val(c.root)}},
		of("object", "OtherDevice", verb, text(what), node(handle), node(handle+".dev"), node(c.self), node(c.root))}}
}

// maskBits sets the bits of a mask that say that a field is given.
func maskBits(mask string, f *model.Field) SetBits {
	return SetBits{To: mask, Bits: hex(uint64(f.BitValue)), Remark: f.Bit.C}
}

// outParam passes the address of a variable for the verb to fill.
func (c *call) outParam(p *model.Param, name, typ string) {
	c.prep = append(c.prep, Declare{Var{Name: name, Type: typ}})
	c.pass(p, as(Memory, name), number(1))
}

// outRecord passes the address of a mirror for the verb to fill. Where the mask has bits for the fields, it asks for them, and the
// rules see it.
func (c *call) outRecord(p *model.Param) {
	mirror := p.Go + "C"
	var asked []Step
	bits := map[int64]bool{}
	for _, f := range p.Record.Fields {
		if f.Bit != nil && p.Record.Mask != "" && !p.Record.In && !bits[f.BitValue] {
			bits[f.BitValue] = true
			asked = append(asked, maskBits(mirror+"."+p.Record.Mask, f))
		}
	}
	if len(asked) == 0 {
		c.outParam(p, mirror, p.Record.Mirror.Name)
		return
	}
	c.pre = append(append(c.pre, Declare{Var{Name: mirror, Type: p.Record.Mirror.Name}}), asked...)
	c.pass(p, as(Memory, mirror), number(1))
}

// filledParam passes a list of the caller for the verb to fill: its numbers as they are, records by an array of their mirrors.
func (c *call) filledParam(p *model.Param) {
	c.take(p, "[]"+p.GoType)
	at := p.Go
	if p.Record != nil {
		at += "C"
		c.prep = append(c.prep, Define{at, Value{As: MakeList, Path: p.Go, Type: p.Record.Mirror.Name}})
	}
	c.pass(p, as(Array, at), Value{As: Length, Path: p.Go, Type: "uint64"})
}

// maskParam passes the mask that the builder of another parameter kept.
func (c *call) maskParam(p *model.Param) {
	for _, q := range c.v.Params {
		if q.Role == spec.RoleInRec && q.Record == p.Record {
			c.pass(p, converted(c.rawType(p), val(q.Go+".mask")), wide(q.Go+".mask"))
			return
		}
	}
	c.b.errorf(c.v.C+"."+p.C, "no parameter has the fields of the mask")
}

// listParam passes a list of records. Those of the runtime have C's layout themselves.
func (c *call) listParam(p *model.Param) {
	c.take(p, "[]"+p.GoType)
	list := p.Go
	if p.Record.Runtime == "" {
		list += "C"
		c.prep = append(c.prep, CopyList{List: p.Go, Into: list, Mirror: p.Record.Mirror.Name})
	}
	c.pass(p, as(Array, list), Value{As: Length, Path: p.Go, Type: "uint64"})
}

// addressParam passes the address of a socket.
func (c *call) addressParam(p *model.Param) {
	c.take(p, p.GoType)
	optional := val("false")
	if p.Null {
		optional = yes
	}
	c.pre = append(c.pre, Get{p.Go + "C", of("sockaddr", "Of", verb, text(p.C), val(p.Go), optional)})
	c.pass(p, result(p.Go+"C.Pointer"), number(1))
}

// dataParam passes bytes that the verb reads.
func (c *call) dataParam(p *model.Param) {
	c.take(p, p.GoType)
	if t := c.rawType(p.Len); longest[t] > 0 {
		c.pre = append(c.pre, Refuse{Value{As: IsLonger, Path: p.Go, N: longest[t]}, of("verr", "TooLong", verb, text(p.C), Value{As: Length, Path: p.Go, Type: "int"}, number(longest[t]))})
	}
	c.pass(p, as(Array, p.Go), number(1))
}

// longest is the greatest number that the type of a length holds, where a slice may be longer.
var longest = map[string]uint64{"uint8": 1<<8 - 1, "uint16": 1<<16 - 1, "uint32": 1<<32 - 1}

// dataOf is the data whose length a parameter is, or nil.
func (c *call) dataOf(n *model.Param) *model.Param {
	for _, p := range c.v.Params {
		if p.Role == spec.RoleData && p.Len == n {
			return p
		}
	}
	return nil
}

// sliceOf is the list whose length a parameter is, or nil.
func (c *call) sliceOf(n *model.Param) *model.Param {
	for _, p := range c.v.Params {
		if spec.IsList(p.Role) && p.Len == n {
			return p
		}
	}
	return nil
}

// restParam passes flags that are given one by one.
func (c *call) restParam(p *model.Param) {
	all := p.Go + "C"
	c.take(p, "..."+p.GoType)
	c.pre = append(c.pre, Gather{Flags: p.Go, Into: all, Type: p.GoType, All: p.Enum.Known})
	c.pass(p, converted(c.rawType(p), val(all)), wide(all))
}

// valueParam passes a number, flags or an enum.
func (c *call) valueParam(p *model.Param) {
	c.take(p, p.GoType)
	if p.Union != nil {
		c.pass(p, as(Memory, p.Go), number(1))
		return
	}
	for _, flag := range c.m.Sets[p.C] {
		c.pre = append(c.pre, SetBits{To: p.Go, Bits: val(flag.Go)})
	}
	if c.m.Form == form.ImportDM { // behind the one value that it takes
		c.out.Params = append(c.out.Params, Var{Name: "length", Type: "uint64"})
		c.docs = append(c.docs, "length: length of the device memory in bytes; 0 if it is not known. Then copies go through the provider, unless the provider reports the length.")
	}
	in := wide(p.Go)
	switch p.GoType {
	case "int":
		c.pre = append(c.pre, Refuse{as(IsWide, p.Go), of("verr", "OutOfRange", verb, text(p.C), val(p.Go))})
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
	return Value{As: Reversed, Args: []Value{x}, N: bitsOf(typ)}
}

// bitsOf is the width of a Go type of unsigned integers.
func bitsOf(typ string) uint64 {
	n, _ := strconv.ParseUint(strings.TrimPrefix(typ, "uint"), 10, 64)
	return n
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
