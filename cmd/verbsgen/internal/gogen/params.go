package gogen

import (
	"math/big"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec/role"
)

// ofRole is what a method does with the parameters of one role.
type ofRole struct {
	// pass prepares the parameter, and gives the argument of the raw call.
	pass func(*call, *model.Param)
	// result is the type of what the method returns for it, and its value in a return of an error; nil where the method returns nothing.
	result func(*emitter, *model.Verb, *model.Method, *model.Param) (typ string, zero jen.Code)
	// output makes the return of what the verb filled, after the results before it; nil where the method returns nothing.
	output func(c *call, p *model.Param, out *outputs)
}

// byRole has this for each role.
var byRole map[*role.Role]ofRole

func init() { // a record of role pair uses other roles
	byRole = map[*role.Role]ofRole{
		role.Handle:      {pass: (*call).handleParam},
		role.Handles:     {pass: (*call).handlesParam},
		role.In:          {pass: (*call).valueParam},
		role.Flags:       {pass: (*call).flagsParam},
		role.Enum:        {pass: (*call).valueParam},
		role.InRecord:    {pass: (*call).recordParam},
		role.InOutRecord: {pass: (*call).inOutRecord, output: (*call).inOutOutput},
		role.OutRecord:   {pass: (*call).outRecord, result: recordResult, output: (*call).recordOutput},
		role.Out:         {pass: (*call).outNumber, result: (*emitter).numberResult, output: (*call).numberOutput},
		role.InOut:       {pass: (*call).changedNumber, result: (*emitter).numberResult, output: (*call).numberOutput},
		role.Text:        {pass: (*call).textParam},
		role.Bytes:       {pass: (*call).bytesParam},
		role.Slice:       {pass: (*call).listParam},
		role.Filled:      {pass: (*call).filledParam, output: (*call).listOutput},
		role.Addr:        {pass: (*call).valueParam},
		role.Len:         {pass: (*call).lengthParam},
		role.Data:        {pass: (*call).dataParam},
		role.Counted:     {pass: (*call).countedParam},
		role.Block:       {pass: (*call).blockParam},
		role.Pair:        {pass: (*call).pairParam, result: pairResult, output: (*call).pairOutput},
		role.Sockaddr:    {pass: (*call).addressParam},
		role.Given:       {pass: (*call).valueParam},
		role.Made:        {pass: (*call).madeParam},
		role.Mask:        {pass: (*call).maskParam},
		role.Size:        {pass: (*call).sizeParam},
		role.OutMask:     {pass: (*call).outMask},
	}
}

// param adds one C parameter to the method: to its Go parameters, its preparation and the arguments of the raw call.
func (c *call) param(p *model.Param) {
	fixed, isFixed := c.m.Fixed[p.C]
	switch {
	case p == c.recv:
		c.pass(p, cOf(p.Object, id(p.Go+".h.C")), addrOf(p.Go+".h.C"))
	case c.v.HostMemory(p):
		if p.Len != nil {
			c.memory(p)
		}
		c.pass(p, id(p.Go), wide(p.Go))
	case isFixed && p.Role != role.Flags:
		c.fixedParam(p, fixed)
	case form.DMABufField(c.m.Form, p.C) != "":
		c.dmaBuf(p)
	default:
		byRole[p.Role].pass(c, p)
	}
}

// dmaBuf passes a number that the caller has in a mem.DMABuf.
func (c *call) dmaBuf(p *model.Param) {
	const buf = "buf"
	if !slices.ContainsFunc(c.v.Params, func(q *model.Param) bool { return c.in[q.C] != nil && form.DMABufField(c.m.Form, q.C) != "" }) {
		c.out.params = append(c.out.params, param(buf, "mem.DMABuf"))
	}
	field := *p
	field.Go = buf + "." + form.DMABufField(c.m.Form, p.C)
	c.number(&field)
}

// pass gives a parameter's argument in the raw call, and what the rules see of it.
func (c *call) pass(p *model.Param, arg, in jen.Code) {
	c.args = append(c.args, arg)
	c.in[p.C] = in
}

// take adds a parameter of the Go method for one of C.
func (c *call) take(p *model.Param, typ string) {
	c.out.params = append(c.out.params, param(p.Go, typ))
	if p.Doc != "" {
		c.docs = append(c.docs, p.Go+": "+strings.TrimSuffix(p.Doc, ".")+".")
	}
}

// fixedParam passes a value that the page fixes.
func (c *call) fixedParam(p *model.Param, value *big.Int) {
	arg, in := digits(value.String()), digits(value.String())
	if p.Role.Passes == role.PassesObject || p.Role.Passes == role.PassesMemory {
		arg = jen.Nil()
	}
	if value.Sign() < 0 && !p.Signed() {
		in = inHex(uint64(value.Int64())) // as the conversion of a variable has it
	}
	c.pass(p, arg, in)
}

// handleParam enters a handle. One that may be nil gives its C pointer to a variable.
func (c *call) handleParam(p *model.Param) {
	if p.Object != nil && p.Object.From != nil {
		c.otherHandle(p)
		return
	}
	c.take(p, p.GoType)
	at := p.Go + ".h.C"
	if p.Null {
		at = p.Go + "C"
		c.pre = append(c.pre, declare(at, pointer), c.enterOptional(p.Go, p.C, assign(id(at), id(p.Go+".h.C"))))
	} else {
		c.pre = append(c.pre, c.enter(p.Go, p.C))
	}
	if p.Object != nil {
		c.aboveGiven(p.Go, p.C, p.Object)
	}
	c.pass(p, cOf(p.Object, id(at)), addrOf(at))
}

// handlesParam enters a list of handles, and passes an array of their C pointers.
func (c *call) handlesParam(p *model.Param) {
	c.take(p, "[]"+p.GoType)
	at := p.Go + "C"
	c.enterList(at, p.Go, p.C, p.Handles)
	c.pass(p, array(at), length("uint64", p.Go))
}

// recordParam passes attributes that the caller filled: of the runtime, of another module, or of this one.
func (c *call) recordParam(p *model.Param) {
	switch {
	case p.Record.Runtime != "":
		c.take(p, "*"+p.GoType)
		if !c.optional(p) {
			c.pre = append(c.pre, c.zero.nilValue(p.Go, p.C, "pass a "+p.GoType))
		}
		ptr := conversion(pointer, id(p.Go))
		c.pass(p, ptr, rt("fail", "Addr").Call(ptr))
	case p.Record.From != nil:
		c.otherRecord(p)
	default:
		c.attrParam(p)
	}
}

// bytesParam passes a struct that the caller has as bytes.
func (c *call) bytesParam(p *model.Param) {
	c.take(p, p.GoType)
	size := dec(uint64(p.Size))
	c.pre = append(c.pre, c.zero.refuse(op(jen.Len(id(p.Go)), "<", size), rt("fail", "TooShort").Call(id("verb"), jen.Lit(p.C), size)))
	c.pass(p, array(p.Go), dec(1))
}

// attrParam passes C's layout of attributes, with the handles' C pointers filled in: a copy of that of a builder, or written from a
// plain struct.
func (c *call) attrParam(p *model.Param) {
	mirror, r, optional := p.Go+"C", p.Record, c.optional(p)
	if r.Empty() {
		c.pre = append(c.pre, define(mirror).Add(id(r.Mirror.Name).Values()))
		c.passRecord(p, memory(mirror))
		return
	}
	switch {
	case optional:
		c.take(p, "*"+p.GoType)
		c.docs = append(c.docs, p.Go+" may be nil, for NULL.")
		c.pre = append(c.pre, define(p.Go+"Given").Add(notNil(id(p.Go))), assign(id(p.Go), rt("object", "OrZero").Call(id(p.Go))))
	case r.Plain:
		c.take(p, p.GoType)
	default:
		c.take(p, "*"+p.GoType)
		c.pre = append(c.pre, c.zero.nilValue(p.Go, r.Go, "make one with New"+r.Go))
	}
	c.pre = append(c.pre, c.zero.copyAttr(p.Go, mirror, r))
	if memoryField(r) != nil {
		c.hold(c.zero.try("held", id(p.Go, "hold").Call(id("verb"), ref(id(mirror)))))
	}
	c.pointers(p.Go, mirror, r)
	for _, f := range r.Fields {
		if f.Bytes && !f.Filled {
			bytes := p.Go + "." + kept(r, f)
			if f.Counted != nil {
				c.pre = append(c.pre, c.zero.try(p.Go+f.Go, counted(f.C, f.Counted, bytes)))
				bytes = p.Go + f.Go
			}
			c.prep = append(c.prep, pinData(mirror+"."+f.Leaf.Go, bytes))
		}
		if f.Divides != "" {
			c.prep = append(c.prep, divisor(mirror, f, c.lib, c.root))
		}
		if f.Object == nil {
			continue
		}
		if c.apart(f.Object) {
			c.otherField(p, f, mirror)
			continue
		}
		h := p.Go + "." + kept(r, f)
		c.pre = append(c.pre, c.enterOptional(h, f.C, putHandle(mirror, h+".h.C", r, f)...))
		c.aboveGiven(h, f.C, f.Object)
	}
	if t := r.Tail; t != nil {
		packed := p.Go + "B"
		c.arms(p.Go+"."+model.Unexported(t.Go), mirror, packed, t)
		c.passRecord(p, array(packed))
		return
	}
	c.passRecord(p, memory(mirror))
}

// divisor keeps 0 from a provider that divides by a field. The functions of a package without a root object are of one provider:
//
//	attrC.cap.max_recv_sge = fail.Divisor(pd.lib.src, pd.dev.h.Label(), "efa", attrC.cap.max_recv_sge)
func divisor(mirror string, f *model.Field, lib, root string) *jen.Statement {
	at := id(mirror, f.Leaf.Go)
	if root == "" {
		return assign(at, id("max").Call(at, dec(1)))
	}
	return assign(at, rt("fail", "Divisor").Call(id(lib, "src"), id(root, "h.Label").Call(), jen.Lit(f.Divides), at))
}

// optional reports whether a method takes nil for a record: one that may be NULL, unless another method of the verb is for NULL.
func (c *call) optional(p *model.Param) bool {
	return p.Null && !slices.ContainsFunc(c.v.Methods, func(m *model.Method) bool { _, fixed := m.Fixed[p.C]; return fixed })
}

// passRecord passes the memory of a record, or NULL where that is optional and not given.
func (c *call) passRecord(p *model.Param, ptr jen.Code) {
	if !c.optional(p) {
		c.pass(p, ptr, dec(1))
		return
	}
	at := p.Go + "At"
	c.pre = append(c.pre, define(at).Add(rt("cmem", "Optional").Call(id(p.Go+"Given"), ptr)))
	c.pass(p, id(at), addrOf(at))
}

// arms packs a struct and the arms of a list behind it, which are counted in the struct. The handles that they have are of the same device
// as the receiver:
//
//	if err := object.UseArms(&uses, &qp.h, verb, "FlowSpec", attr.specs, FlowSpec.uses); err != nil {
//		return nil, err
//	}
//	attrB, err := cmem.Behind(verb, int(unsafe.Sizeof(attrC)), math.MaxUint8, math.MaxUint16, attr.specs, FlowSpec.pack)
//	if err != nil {
//		return nil, err
//	}
//	attrC.num_of_specs, attrC.size = uint8(len(attr.specs)), uint16(len(attrB))
func (c *call) arms(list, head, packed string, t *model.Tail) {
	c.useMany()
	size := jen.Int().Call(rt("unsafe", "Sizeof").Call(id(head)))
	c.pre = append(c.pre,
		c.zero.onErr(rt("object", "UseArms").Call(ref(id("uses")), ref(id(c.self, "h")), id("verb"), jen.Lit(t.Of), id(list), id(t.Of, "uses"))),
		c.zero.try(packed, rt("cmem", "Behind").Call(id("verb"), size, greatest(t.Count.GoType), greatest(t.Size.GoType), id(list),
			id(t.Of, "pack"))),
		jen.List(id(head, t.Count.Go), id(head, t.Size.Go)).Op("=").List(length(t.Count.GoType, list), length(t.Size.GoType, packed)))
	c.prep = append(c.prep, rt("cmem", "Put").Call(id(packed), ref(id(head))))
}

// greatest is the greatest number of a type: math.MaxUint8.
func greatest(typ string) *jen.Statement {
	return rt("math", "MaxUint"+strings.TrimPrefix(typ, "uint"))
}

// enter begins the use of a handle until the method returns, in the place with the C name what. One of another device than the receiver is
// refused: the kernel would look for it among the objects of that one.
//
//	if err := pd.base().EnterBeside(&dev.h, verb, "pd"); err != nil {
//		return nil, err
//	}
//	defer pd.h.Exit()
func (c *call) enter(handle, what string) *jen.Statement {
	if c.recv == nil { // of a request
		return c.zero.enter(handle)
	}
	beside := id(handle, "base").Call().Dot("EnterBeside").Call(ref(id(c.self, "h")), id("verb"), jen.Lit(what))
	return all(c.zero.onErr(beside), until(handle+".h.Exit"))
}

// enterOptional enters a handle unless it is nil, and then takes the steps of then.
func (c *call) enterOptional(handle, what string, then ...jen.Code) *jen.Statement {
	return jen.If(notNil(id(handle))).Block(append([]jen.Code{c.enter(handle, what)}, then...)...)
}

// useMany declares what has the handles of lists, and puts the new object under them. A method of Lib takes no list.
func (c *call) useMany() {
	if c.many == "" {
		c.many = "uses"
		c.pre = append(c.pre, declare(c.many, "object.Uses"), until(c.many+".Exit"))
	}
}

// enterList begins the use of all handles of a list, and declares a variable with their C objects:
//
//	listC, err := object.UseList(&uses, &qp.h, verb, "list", list, (*PD).base)
//	if err != nil {
//		return nil, err
//	}
func (c *call) enterList(into, list, what string, o *model.Object) {
	c.useMany()
	entered := rt("object", "UseList").Call(ref(id(c.many)), ref(id(c.self, "h")), id("verb"), jen.Lit(what), id(list),
		methodOf(o.Type()[1:], "base"))
	c.pre = append(c.pre, c.zero.try(into, entered))
}

// putHandle puts a C object into the mirror of a record.
func putHandle(mirror, c string, r *model.Record, f *model.Field) []jen.Code {
	steps := []jen.Code{assign(id(mirror+"."+f.Leaf.Go), conversion("uintptr", id(c)))}
	if f.Bit != nil && r.Mask != "" {
		steps = append(steps, maskBits(mirror+"."+r.Mask, f))
	}
	return steps
}

// maskBits sets the bits of a mask that say that a field is given.
func maskBits(mask string, f *model.Field) *jen.Statement {
	return remark(id(mask).Op("|=").Add(inHex(uint64(f.BitValue))), f.Bit.C)
}

// outParam passes the address of a variable for the verb to fill.
func (c *call) outParam(p *model.Param, name, typ string) {
	c.prep = append(c.prep, declare(name, typ))
	c.pass(p, memory(name), dec(1))
}

// outNumber passes the address of a number for the verb to set.
func (c *call) outNumber(p *model.Param) { c.outParam(p, p.Go, c.e.outType(c.v, p)) }

// changedNumber passes the address of the number that the caller gave, for the verb to change.
func (c *call) changedNumber(p *model.Param) {
	c.take(p, c.e.outType(c.v, p))
	c.pass(p, memory(p.Go), dec(1))
}

// madeParam passes the address of a pointer for the verb to store the new object in.
func (c *call) madeParam(p *model.Param) { c.outParam(p, p.Go+"C", pointer) }

// outRecord passes the address of a mirror for the verb to fill. Where the mask has bits for the fields, it asks for them, and the
// rules see it.
func (c *call) outRecord(p *model.Param) {
	if p.Record.From != nil {
		c.pre = append(c.pre, define(p.Go).Add(id("new").Call(goType(p.GoType))))
		c.fillOther(p)
		return
	}
	mirror := p.Go + "C"
	var asked []jen.Code
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
	c.pre = append(append(c.pre, declare(mirror, p.Record.Mirror.Name)), asked...)
	c.pass(p, memory(mirror), dec(1))
}

// filledParam passes a list of the caller for the verb to fill: its numbers as they are, records by an array of their mirrors.
func (c *call) filledParam(p *model.Param) {
	c.take(p, "[]"+p.GoType)
	c.mostOf(p)
	at := p.Go
	if p.Record != nil {
		at += "C"
		c.prep = append(c.prep, define(at).Add(id("make").Call(goType("[]"+p.Record.Mirror.Name), jen.Len(id(p.Go)))))
	}
	c.pass(p, array(at), length("uint64", p.Go))
}

// maskParam passes the mask that the builder of another parameter kept.
func (c *call) maskParam(p *model.Param) {
	for _, q := range c.v.Params {
		if q.Taken() == p.Record {
			c.pass(p, conversion(c.rawType(p), id(q.Go+".mask")), wide(q.Go+".mask"))
			return
		}
	}
	c.e.errorf(c.v.C+"."+p.C, "no parameter has the fields of the mask")
}

// sizeParam passes the size of a record.
func (c *call) sizeParam(p *model.Param) {
	size := dec(uint64(p.Record.Mirror.Size))
	c.pass(p, size, size)
}

// outMask passes the memory of the mask of a record of another package.
func (c *call) outMask(p *model.Param) {
	for _, q := range c.v.Params {
		if q.Role == role.InOutRecord && q.Record == p.Record {
			c.pass(p, id(held(q)+".Mask"), dec(1))
		}
	}
}

// copyAttr copies a builder's mirror, or writes a plain struct into one. A builder keeps its first error, a plain struct returns it:
//
//	attrC := attr.c
//	if attr.err != nil {
//		return nil, attr.err
//	}
func (f fail) copyAttr(attr, into string, r *model.Record) *jen.Statement {
	write := id(attr, "to").Call(ref(id(into)))
	switch {
	case r.Plain && keepsError(r):
		return all(declare(into, r.Mirror.Name), f.onErr(write))
	case r.Plain:
		return all(declare(into, r.Mirror.Name), write)
	case keepsError(r):
		return all(define(into).Add(id(attr, "c")), f.refuse(notNil(id(attr, "err")), id(attr, "err")))
	}
	return define(into).Add(id(attr, "c"))
}
