package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// memory makes how the forms of a registration give its memory.
func (c *call) memory() {
	addr := c.memoryParam()
	if addr == nil {
		return
	}
	switch c.m.Form {
	case form.Bytes:
		c.params = append(c.params, param("buf", "[]byte"))
		c.hold(c.pinned(addr)...)
	case form.Buffer:
		c.params = append(c.params, param("buf", "*mem.Buffer"))
		c.hold(c.retained(addr)...)
	case form.Implicit:
		c.pre = append(c.pre, jen.Const().Defs(
			param(addr.Go, "uintptr").Op("=").Lit(0),
			param(addr.Len.Go, "uint64").Op("=").Add(rt("math", "MaxUint64"))))
	default:
		c.params = append(c.params, param(addr.Go, "uintptr"), param(addr.Len.Go, "uint64"))
	}
}

// memoryParam is the address of host memory that has a length beside it, or nil.
func (c *call) memoryParam() *model.Param {
	for _, p := range c.v.Params {
		if p.Role == spec.RoleAddr && p.Len != nil {
			return p
		}
	}
	return nil
}

// hold takes memory before the rules, and lets go of it unless the new object keeps it.
func (c *call) hold(take ...jen.Code) {
	c.keep = true
	c.pre = append(append(c.pre, take...), releaseUnlessKept())
}

// pinned pins a slice:
//
//	pin, err := mem.PinBytes(buf)
//	if err != nil {
//		return nil, verr.Memory(verb, err)
//	}
//	release := pin.Unpin
//	addr, length := pin.Addr(), pin.Len()
func (c *call) pinned(addr *model.Param) []jen.Code {
	return []jen.Code{
		define("pin", "err").Add(rt("mem", "PinBytes")).Call(id("buf")),
		jen.If(notNil(id("err"))).Block(c.fail.with(rt("verr", "Memory").Call(id("verb"), id("err")))),
		define("release").Add(id("pin.Unpin")),
		placed(addr, "pin"),
	}
}

// retained keeps a buffer from being closed:
//
//	if buf == nil {
//		return nil, verr.NilValue(verb, "buffer", "make one with mem.New")
//	}
//	if err := buf.Retain(verb); err != nil {
//		return nil, err
//	}
//	release := func() { buf.Release(verb) }
//	addr, length := buf.Addr(), buf.Len()
func (c *call) retained(addr *model.Param) []jen.Code {
	return []jen.Code{
		c.refuseNil(id("buf"), "buffer", "make one with mem.New"),
		c.fail.onErr(id("buf.Retain").Call(id("verb"))),
		define("release").Func().Params().Add(short(id("buf.Release").Call(id("verb")))),
		placed(addr, "buf"),
	}
}

// placed is where held memory is: addr, length := pin.Addr(), pin.Len().
func placed(addr *model.Param, held string) *jen.Statement {
	return define(addr.Go, addr.Len.Go).List(id(held, "Addr").Call(), id(held, "Len").Call())
}

// refuseNil refuses a nil argument that is not a handle:
//
//	if x == nil {
//		return nil, verr.NilValue(verb, "PDAttr", "make one with NewPDAttr")
//	}
func (c *call) refuseNil(x *jen.Statement, what, fix string) *jen.Statement {
	return jen.If(isNil(x)).Block(c.fail.with(rt("verr", "NilValue").Call(id("verb"), jen.Lit(what), jen.Lit(fix))))
}

// isMemory tells whether a parameter is the address or length that memory() gave.
func (c *call) isMemory(p *model.Param) bool {
	if p.Role == spec.RoleAddr {
		return p.Len != nil
	}
	for _, q := range c.v.Params {
		if q.Role == spec.RoleAddr && q.Len == p {
			return true
		}
	}
	return false
}

// heldMemory makes the taking of a builder's memory in a method, and in the new object's name:
//
//	release, err := attr.hold(verb, &attrC)
//	if err != nil {
//		return nil, err
//	}
func (c *call) heldMemory(p *model.Param) {
	if memoryField(p.Record) != nil {
		c.hold(define("release", "err").Add(id(p.Go, "hold")).Call(id("verb"), ref(id(p.Go+"C"))), c.fail.ifErr())
		if c.v.Creates != nil {
			buf := id(p.Go, "buf")
			c.post = append(c.post, jen.If(notNil(buf)).Block(
				define("held").Id("o").Dot("release"), keepBuffer(buf, c.v.Creates), id("held").Call()))
		}
	}
}

// memoryField is the field of a builder with the address of host memory, or nil.
func memoryField(r *model.Record) *model.Field {
	for _, f := range r.Fields {
		if f.Callback == form.CallbackMemory {
			return f
		}
	}
	return nil
}

// memorySetters makes the setters of a builder that give host memory which the new object then holds, beside the one that
// gives an address:
//
//	func (a *MRInitAttr) Memory(buf []byte) *MRInitAttr {
//		a.pin, a.buf = buf, nil
//		a.c.length = uint64(len(buf))
//		a.c.comp_mask |= 0x1
//		return a
//	}
func (e *emitter) memorySetters(g *goFile, r *model.Record, f *model.Field) {
	set := func(name, typ, does string, body ...jen.Code) {
		body = append(body, setBit(id("a.c", r.Mask), uint64(f.BitValue), ""), jen.Return(id("a")))
		g.fn(fn{doc: doc(name, does, "struct "+r.C+"."+f.C, r.Page), recv: recv("a", r.Go), name: name,
			params: []jen.Code{param("buf", typ)}, results: []jen.Code{ptr(r.Go)}, body: body})
	}
	length := id("a.c", f.Len.Go)
	both := func(pin, buf jen.Code) *jen.Statement {
		return jen.List(id("a.pin"), id("a.buf")).Op("=").List(pin, buf)
	}
	set("Memory", "[]byte", "sets address and length by a slice, which is pinned from the call on until the new object's Close has succeeded",
		both(id("buf"), jen.Nil()), assign(length.Clone(), jen.Uint64().Call(jen.Len(id("buf")))))
	set("Buffer", "*mem.Buffer", "sets address and length by a buffer, which cannot be closed until the new object's Close has succeeded",
		both(jen.Nil(), id("buf")), jen.If(notNil(id("buf"))).Block(assign(length.Clone(), id("buf.Len").Call())))
	e.holdMemory(g, r, f)
}

// holdMemory makes the taking of a builder's memory:
//
//	func (a *MRInitAttr) hold(verb string, c *cMRInitAttr) (release func(), err error) {
//		var from mem.Source
//		switch {
//		case a.buf != nil:
//			from = mem.FromBuffer(a.buf)
//		case a.pin != nil:
//			from = mem.FromBytes(a.pin)
//		default:
//			return func() {}, nil
//		}
//		held, err := from.Take(verb)
//		if err != nil {
//			return nil, verr.Memory(verb, err)
//		}
//		c.addr, c.length = held.Addr, held.Len
//		return held.Release, nil
//	}
func (e *emitter) holdMemory(g *goFile, r *model.Record, f *model.Field) {
	from := func(fn, field string) *jen.Statement {
		return assign(id("from"), rt("mem", fn).Call(id("a", field)))
	}
	g.fn(fn{
		doc:  "// hold takes the memory and puts its address into c; release lets go of it again.",
		recv: recv("a", r.Go), name: "hold",
		params:  []jen.Code{param("verb", "string"), param("c", "*"+r.Mirror.Name)},
		results: []jen.Code{jen.Id("release").Func().Params(), jen.Id("err").Error()},
		body: []jen.Code{
			jen.Var().Id("from").Add(rt("mem", "Source")),
			jen.Switch().Block(
				jen.Case(notNil(id("a.buf"))).Block(from("FromBuffer", "buf")),
				jen.Case(notNil(id("a.pin"))).Block(from("FromBytes", "pin")),
				jen.Default().Block(jen.Return(jen.Func().Params().Block(), jen.Nil()))),
			define("held", "err").Add(id("from.Take")).Call(id("verb")),
			jen.If(notNil(id("err"))).Block(jen.Return(jen.Nil(), rt("verr", "Memory").Call(id("verb"), id("err")))),
			jen.List(id("c", f.Leaf.Go), id("c", f.Len.Go)).Op("=").List(id("held.Addr"), id("held.Len")),
			jen.Return(id("held.Release"), jen.Nil()),
		},
	})
}
