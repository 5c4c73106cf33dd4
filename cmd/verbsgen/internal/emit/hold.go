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
	case plan.Hold:
		take = p.from(s)
	case plan.HoldAttr:
		take = append(p.get("held", id(s.Attr, "hold").Call(id("verb"), ref(id(s.Mirror)))), released())
	case plan.Register:
		take = append(p.get("calls", id("newAllocCalls").Call(id(s.Attr), ref(id(s.Mirror)))), define("release").Add(id("calls.Release")))
	}
	release := id("release")
	return append(take, jen.Defer().Func().Params().Block(jen.If(notNil(release)).Block(release.Clone().Call())).Call())
}

// from takes memory:
//
//	held, err := mem.FromBytes(buf).Take(verb)
//	if err != nil {
//		return nil, verr.Memory(verb, err)
//	}
//	release := held.Release
//	addr, length := held.Addr, held.Len
func (p printer) from(s plan.Hold) []jen.Code {
	out := []jen.Code{
		define("held", "err").Add(p.value(s.From)).Dot("Take").Call(id("verb")),
		jen.If(notNil(id("err"))).Block(p.zero.with(memoryErr())),
		released(),
	}
	if s.Addr != "" {
		out = append(out, define(s.Addr, s.Length).List(id("held.Addr"), id("held.Len")))
	}
	return out
}

// released is how held memory is let go of: release := held.Release.
func released() *jen.Statement { return define("release").Add(id("held.Release")) }

// memoryErr is the error of memory that cannot be had: verr.Memory(verb, err).
func memoryErr() *jen.Statement { return rt("verr", "Memory").Call(id("verb"), id("err")) }

// keep leaves what is held to the new object, and memory in its name:
//
//	held.Rename(&o.h)
//	o.h.Kept, release = release, nil
func keep(s plan.Keep) []jen.Code {
	kept := remark(jen.List(id("o.h.Kept"), id("release")).Op("=").List(id("release"), jen.Nil()), "kept until Close has succeeded")
	if !s.Named {
		return []jen.Code{kept}
	}
	return []jen.Code{id("held.Rename").Call(ref(id("o.h"))), kept}
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
