package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// hold takes memory, and lets go of it when the method returns, unless the new object keeps it:
//
//	... release
//	defer func() {
//		if release != nil {
//			release()
//		}
//	}()
func (p printer) hold(s plan.Step) []jen.Code {
	var take []jen.Code
	switch s := s.(type) {
	case plan.Whole:
		return []jen.Code{jen.Const().Defs(param(s.Addr, "uintptr").Op("=").Lit(0), param(s.Length, "uint64").Op("=").Add(rt("math", "MaxUint64")))}
	case plan.Unmanaged:
		return p.unmanaged(s)
	case plan.Take:
		return p.get("held", id(s.Change, "what.Take").Call(id("verb"), id(s.Region, "node.String").Call()))
	case plan.Pin:
		take = p.pin(s)
	case plan.Retain:
		take = p.retain(s)
	case plan.HoldAttr:
		take = p.get("release", id(s.Attr, "hold").Call(id("verb"), ref(id(s.Mirror))))
	case plan.Register:
		take = append(p.get("calls", id("newAllocCalls").Call(id(s.Attr), ref(id(s.Mirror)))), define("release").Add(id("calls.Release")))
	}
	release := id("release")
	return append(take, jen.Defer().Func().Params().Block(jen.If(notNil(release)).Block(release.Clone().Call())).Call())
}

// unmanaged refuses memory of Go's heap:
//
//	if err := mem.RefuseGoHeap(addr, length); err != nil {
//		return nil, verr.Memory(verb, err)
//	}
func (p printer) unmanaged(s plan.Unmanaged) []jen.Code {
	refuse := rt("mem", "RefuseGoHeap").Call(id(s.Addr), id(s.Length))
	return []jen.Code{jen.If(define("err").Add(refuse), notNil(id("err"))).Block(p.zero.with(memoryErr()))}
}

// pin pins a slice:
//
//	pin, err := mem.PinBytes(buf)
//	if err != nil {
//		return nil, verr.Memory(verb, err)
//	}
//	release := pin.Unpin
//	addr, length := pin.Addr(), pin.Len()
func (p printer) pin(s plan.Pin) []jen.Code {
	return []jen.Code{
		define("pin", "err").Add(rt("mem", "PinBytes").Call(id(s.Buf))),
		jen.If(notNil(id("err"))).Block(p.zero.with(memoryErr())),
		define("release").Add(id("pin.Unpin")),
		placed(s.Addr, s.Length, "pin"),
	}
}

// memoryErr is the error of memory that cannot be had: verr.Memory(verb, err).
func memoryErr() *jen.Statement { return rt("verr", "Memory").Call(id("verb"), id("err")) }

// retain keeps a buffer from being closed:
//
//	if err := buf.Retain(verb); err != nil {
//		return nil, err
//	}
//	release := func() { buf.Release(verb) }
//	addr, length := buf.Addr(), buf.Len()
func (p printer) retain(s plan.Retain) []jen.Code {
	return []jen.Code{
		p.zero.onErr(id(s.Buf, "Retain").Call(id("verb"))),
		define("release").Func().Params().Add(short(id(s.Buf, "Release").Call(id("verb")))),
		placed(s.Addr, s.Length, s.Buf),
	}
}

// placed is where held memory is: addr, length := pin.Addr(), pin.Len().
func placed(addr, length, held string) *jen.Statement {
	return define(addr, length).List(id(held, "Addr").Call(), id(held, "Len").Call())
}

// keepBuffer keeps a buffer in the name of the new object:
//
//	o.release = buf.Keep("MR (" + o.label() + ")")
//
// and one that a builder may have been given in place of other memory:
//
//	if attr.buf != nil {
//		held := o.release
//		o.release = attr.buf.Keep("MR (" + o.label() + ")")
//		held()
//	}
func keepBuffer(s plan.KeepBuffer) *jen.Statement {
	who := jen.Lit(s.Object + " (").Op("+").Id("o").Dot("label").Call().Op("+").Lit(")")
	keep := assign(id("o.release"), id(s.Buf, "Keep").Call(who))
	if !s.Given {
		return remark(keep, "until Close has succeeded")
	}
	return jen.If(notNil(id(s.Buf))).Block(define("held").Id("o").Dot("release"), keep, id("held").Call())
}

// takeMemory takes the memory of a builder:
//
//	var from mem.Source
//	switch {
//	case a.buf != nil:
//		from = mem.FromBuffer(a.buf)
//	case a.pin != nil:
//		from = mem.FromBytes(a.pin)
//	case c.addr != 0:
//		from = mem.FromAddr(c.addr, c.length)
//	default:
//		return func() {}, nil
//	}
//	held, err := from.Take(verb)
//	if err != nil {
//		return nil, verr.Memory(verb, err)
//	}
//	c.addr, c.length = held.Addr, held.Len
//	return held.Release, nil
func (p printer) takeMemory(s plan.TakeMemory) []jen.Code {
	from := func(fn, field string) *jen.Statement {
		return assign(id("from"), rt("mem", fn).Call(id("a", field)))
	}
	return []jen.Code{
		jen.Var().Id("from").Add(rt("mem", "Source")),
		jen.Switch().Block(
			jen.Case(notNil(id("a.buf"))).Block(from("FromBuffer", "buf")),
			jen.Case(notNil(id("a.pin"))).Block(from("FromBytes", "pin")),
			jen.Case(op(id(s.Addr), "!=", jen.Lit(0))).Block(assign(id("from"), rt("mem", "FromAddr").Call(id(s.Addr), id(s.Length)))),
			jen.Default().Block(jen.Return(jen.Func().Params().Block(), jen.Nil()))),
		define("held", "err").Add(id("from.Take")).Call(id("verb")),
		jen.If(notNil(id("err"))).Block(p.zero.with(memoryErr())),
		jen.List(id(s.Addr), id(s.Length)).Op("=").List(id("held.Addr"), id("held.Len")),
		jen.Return(id("held.Release"), jen.Nil()),
	}
}

// settle decides who holds which memory after the change of a region:
//
//	return change.what.Settle(verb, code, errno, rereg.Region{
//		Node: &mr.node, From: nodeOfPD(mr.pd), To: nodeOfPD(change.pd), Release: &mr.release, New: held,
//		Changed: func() {
//			if change.pd != nil {
//				mr.pd = change.pd
//			}
//			mr.load()
//			mr.node.SetLabel(mr.label())
//		},
//	})
func settle(s plan.Settle) *jen.Statement {
	mr, from, to := id(s.Region), s.Region+".pd", s.Change+".pd"
	changed := jen.Func().Params().Block(
		jen.If(notNil(id(to))).Block(assign(id(from), id(to))),
		dot(mr, "load").Call(),
		dot(mr, "node.SetLabel").Call(dot(mr, "label").Call()))
	region := rt("rereg", "Region").Add(lines(
		key("Node", ref(dot(mr, "node"))),
		key("From", nodeOf(s.Domain, from)),
		key("To", nodeOf(s.Domain, to)),
		key("Release", ref(dot(mr, "release"))),
		key("New", id("held")),
		key("Changed", changed)))
	return jen.Return(id(s.Change, "what.Settle").Call(id("verb"), id("code"), id("errno"), region))
}

// newCalls registers the functions of an allocator, in the types of the package:
//
//	with, user := a.allocator, a.userContext
//	if with == nil {
//		return nil, nil
//	}
//	calls, c.alloc, c.free, c.pd_context, err = pdalloc.NewCalls(pdalloc.Allocator[PD]{
//		Alloc: func(pd *PD, size, align uint64, resource pdalloc.Resource) (uintptr, error) {
//			return with.Alloc(AllocRequest{PD: pd, Size: size, Align: align, Resource: resource, Context: user})
//		},
//		Free: func(pd *PD, addr uintptr, resource pdalloc.Resource) {
//			with.Free(AllocRequest{PD: pd, Resource: resource, Context: user}, addr)
//		},
//	})
//	if err != nil {
//		return nil, err
//	}
func (p printer) newCalls(s plan.NewCalls) []jen.Code {
	handle, resource := param("pd", "*"+s.Object), param("resource", "pdalloc.Resource")
	request := func(sizes ...jen.Code) *jen.Statement {
		entries := append([]jen.Code{key("PD", id("pd"))}, sizes...)
		return id("AllocRequest").Values(append(entries, key("Resource", id("resource")), key("Context", id("user")))...)
	}
	alloc := jen.Func().Params(handle, jen.List(id("size"), id("align")).Uint64(), resource).Params(jen.Uintptr(), jen.Error()).
		Block(jen.Return(id("with.Alloc").Call(request(key("Size", id("size")), key("Align", id("align"))))))
	free := jen.Func().Params(handle, param("addr", "uintptr"), resource).
		Block(id("with.Free").Call(request(), id("addr")))
	funcs := rt("pdalloc", "Allocator").Types(id(s.Object)).Add(lines(key("Alloc", alloc), key("Free", free)))
	return []jen.Code{
		define("with", "user").List(id("a.allocator"), id("a.userContext")),
		jen.If(isNil(id("with"))).Block(jen.Return(jen.Nil(), jen.Nil())),
		jen.List(id("calls"), id(s.Alloc), id(s.Free), id(s.Context), id("err")).Op("=").Add(rt("pdalloc", "NewCalls")).Call(funcs),
		p.zero.ifErr(),
	}
}
