package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// param adds one C parameter to the method: to its Go parameters, its preparation and the arguments of the raw call.
func (c *call) param(p *model.Param) {
	fixed, isFixed := c.m.Fixed[p.C]
	switch {
	case p == c.recv:
		c.pass(p, id(p.Go, "c"), addrOf(id(p.Go, "c")))
	case c.isMemory(p):
		c.pass(p, id(p.Go), jen.Uint64().Call(id(p.Go)))
	case isFixed && (p.Role != spec.RoleFlags):
		c.fixedParam(p, fixed)
	case p.Role == spec.RoleHandle:
		c.handleParam(p)
	case p.Role == spec.RoleInRec:
		c.recordParam(p)
	case p.Role == spec.RoleOutRec:
		c.outParam(p, p.Go+"C", p.Record.Mirror.Name)
	case p.Role == spec.RoleMask:
		c.maskParam(p)
	case p.Role == spec.RoleOut:
		c.outParam(p, p.Go, c.outType(p))
	case p.Role == spec.RoleSlice:
		c.sliceParam(p)
	case c.sliceOf(p) != nil:
		list := c.sliceOf(p).Go
		c.pass(p, goType(c.rawType(p)).Call(jen.Len(id(list+"C"))), jen.Uint64().Call(jen.Len(id(list))))
	default:
		c.valueParam(p)
	}
}

// pass gives a parameter's argument in the raw call, and what the rules see of it.
func (c *call) pass(p *model.Param, arg jen.Code, in *jen.Statement) {
	c.args = append(c.args, arg)
	c.in[p.C] = in
}

// take adds a parameter of the Go method for one of C.
func (c *call) take(p *model.Param, typ jen.Code) {
	c.params = append(c.params, jen.Id(p.Go).Add(typ))
	if p.Doc != "" {
		c.docs = append(c.docs, p.Go+": "+strings.TrimSuffix(p.Doc, ".")+".")
	}
}

// addrOf is the address of a C object as rules see it: validate.Addr(pd.c).
func addrOf(c jen.Code) *jen.Statement { return rt("validate", "Addr").Call(c) }

// fixedParam passes a value that the spec fixes.
func (c *call) fixedParam(p *model.Param, value uint64) {
	arg := dec(value)
	if p.Role == spec.RoleHandle || p.Role == spec.RoleInRec {
		arg = jen.Nil()
	}
	c.pass(p, arg, dec(value))
}

// handleParam enters a handle. One that may be nil gives its C pointer to a variable:
//
//	var channelC unsafe.Pointer
//	if channel != nil {
//		... entered
//		channelC = channel.c
//	}
func (c *call) handleParam(p *model.Param) {
	c.take(p, goType(p.GoType))
	if !p.Null {
		c.pre = append(c.pre, enterHandle(id(p.Go), c.fail)...)
		c.pass(p, id(p.Go, "c"), addrOf(id(p.Go, "c")))
		return
	}
	in := id(p.Go + "C")
	c.pre = append(c.pre, jen.Var().Add(in).Add(unsafePointer()), c.enterIfGiven(id(p.Go), assign(in, id(p.Go, "c"))))
	c.pass(p, in, addrOf(in))
}

// enterIfGiven enters a handle that is not nil, and hands on its C pointer:
//
//	if h != nil {
//		... entered
//		... then
//	}
func (c *call) enterIfGiven(h *jen.Statement, then ...jen.Code) *jen.Statement {
	return jen.If(notNil(h)).Block(append(enterHandle(h, c.fail), then...)...)
}

// recordParam passes a copy of the builder's mirror, with the handles' C pointers filled in:
//
//	if attr == nil {
//		return nil, verr.NilValue(verb, "CQAttr", "make one with NewCQAttr")
//	}
//	attrC := attr.c
func (c *call) recordParam(p *model.Param) {
	c.take(p, ptr(p.GoType))
	mirror := id(p.Go + "C")
	c.pre = append(c.pre, c.refuseNil(id(p.Go), p.Record.Go, "make one with New"+p.Record.Go), define(p.Go+"C").Add(id(p.Go, "c")))
	if hasInt(p.Record) {
		c.pre = append(c.pre, jen.If(notNil(id(p.Go, "err"))).Block(c.fail.with(id(p.Go, "err"))))
	}
	c.heldMemory(p)
	for _, f := range p.Record.Fields {
		if f.Object == nil {
			continue
		}
		h := id(p.Go, lowerFirst(f.Go))
		then := []jen.Code{assign(dot(mirror, f.Leaf.Go), jen.Uintptr().Call(dot(h, "c")))}
		if f.Bit != nil && p.Record.Mask != "" {
			then = append(then, setBit(dot(mirror, p.Record.Mask), uint64(f.BitValue), f.Bit.C))
		}
		c.pre = append(c.pre, c.enterIfGiven(h, then...))
	}
	if c.m.Form == form.ParentDomain {
		c.allocatorParam(p)
	}
	c.pass(p, unsafeRef(mirror), jen.Lit(1))
}

// setBit sets bits of a mask: attrC.comp_mask |= 0x1 // IBV_X.
func setBit(mask *jen.Statement, bits uint64, c string) *jen.Statement {
	s := op(mask, "|=", inHex(bits))
	if c != "" {
		s = remark(s, c)
	}
	return s
}

// outParam passes the address of a variable for the verb to fill: var attrC cPortAttr.
func (c *call) outParam(p *model.Param, name, typ string) {
	c.prep = append(c.prep, jen.Var().Add(param(name, typ)))
	c.pass(p, unsafeRef(id(name)), jen.Lit(1))
}

// maskParam passes the mask that the builder of another parameter kept.
func (c *call) maskParam(p *model.Param) {
	for _, q := range c.v.Params {
		if q.Role == spec.RoleInRec && q.Record == p.Record {
			c.pass(p, goType(c.rawType(p)).Call(id(q.Go, "mask")), jen.Uint64().Call(id(q.Go, "mask")))
		}
	}
}

// sliceParam passes a list of records as an array of their mirrors:
//
//	sgListC := make([]cSGE, len(sgList))
//	for i := range sgList {
//		sgList[i].to(&sgListC[i])
//	}
func (c *call) sliceParam(p *model.Param) {
	c.take(p, jen.Index().Add(goType(p.GoType)))
	list, array := id(p.Go), id(p.Go+"C")
	at := func(x *jen.Statement) *jen.Statement { return x.Clone().Index(id("i")) }
	c.prep = append(c.prep,
		define(p.Go+"C").Make(jen.Index().Id(p.Record.Mirror.Name), jen.Len(list)),
		jen.For(define("i").Range().Add(list)).Block(dot(at(list), "to").Call(ref(at(array)))))
	c.pass(p, unsafePointer().Call(rt("unsafe", "SliceData").Call(array)), jen.Uint64().Call(jen.Len(list)))
}

// sliceOf is the list whose length a parameter is, or nil.
func (c *call) sliceOf(n *model.Param) *model.Param {
	for _, p := range c.v.Params {
		if p.Role == spec.RoleSlice && p.Len == n {
			return p
		}
	}
	return nil
}

// valueParam passes a number, flags or an enum.
func (c *call) valueParam(p *model.Param) {
	if p.Rest {
		c.restParam(p)
		return
	}
	c.take(p, goType(p.GoType))
	for _, flag := range c.m.Sets[p.C] {
		c.pre = append(c.pre, op(id(p.Go), "|=", id(flag.Go)))
	}
	if c.m.Form == form.ImportDM { // behind the one value that it takes
		c.params = append(c.params, param("length", "uint64"))
		c.docs = append(c.docs, "length: length of the device memory in bytes; 0 when it is not known, and then copies go through the provider, unless the provider tells it.")
	}
	if p.GoType == "int" {
		c.pre = append(c.pre, jen.If(notInt32(id(p.Go))).Block(c.fail.with(outOfRange(id("verb"), p.C, id(p.Go)))))
	}
	arg := id(p.Go)
	if rt := c.rawType(p); rt != p.GoType {
		arg = goType(rt).Call(id(p.Go))
	}
	wide := "uint64"
	if p.GoType == "int" || p.GoType == "int64" {
		wide = "int64"
	}
	c.pass(p, arg, id(wide).Call(id(p.Go)))
}

// notInt32 is the condition that an int does not fit into C's: int(int32(x)) != x.
func notInt32(x *jen.Statement) *jen.Statement {
	return op(jen.Int().Call(jen.Int32().Call(x)), "!=", x)
}

// outOfRange is the error of such an int.
func outOfRange(verb jen.Code, what string, x jen.Code) *jen.Statement {
	return rt("verr", "OutOfRange").Call(verb, jen.Lit(what), x)
}

// restParam passes flags that are given one by one:
//
//	var fieldsC QPField
//	for _, f := range fields {
//		fieldsC |= f
//	}
//	if len(fields) == 0 {
//		fieldsC = 0x1f // all that there are
//	}
func (c *call) restParam(p *model.Param) {
	c.take(p, jen.Op("...").Add(goType(p.GoType)))
	all := id(p.Go + "C")
	c.pre = append(c.pre,
		jen.Var().Add(param(p.Go+"C", p.GoType)),
		jen.For(define("_", "f").Range().Id(p.Go)).Block(op(all, "|=", id("f"))),
		jen.If(op(jen.Len(id(p.Go)), "==", jen.Lit(0))).Block(remark(assign(all, inHex(p.Enum.Known)), "all that there are")))
	c.pass(p, goType(c.rawType(p)).Call(all), jen.Uint64().Call(all))
}

// rawType is the type of a value in the raw call.
func (c *call) rawType(p *model.Param) string { return c.e.intOf(p.CType) }

// outType is the Go type behind a pointer to one scalar.
func (c *call) outType(p *model.Param) string {
	if p.GoType != "" {
		return p.GoType
	}
	return c.e.intOf(pointee(p.CType))
}

// pointee is the C type behind a pointer.
func pointee(ctype string) string {
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(ctype), "*"))
}
