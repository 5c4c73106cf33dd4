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
func keep() []jen.Code {
	kept := remark(jen.List(id("o.h.Kept"), id("release")).Op("=").List(id("release"), jen.Nil()), "kept until Close has succeeded")
	return []jen.Code{id("held.Rename").Call(ref(id("o.h"))), kept}
}
