package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// arms makes the type that stands for any of several records, and what a method asks of one:
//
//	type FlowSpec interface {
//		pack() []byte
//		uses() []usedByFlowSpec
//	}
//
//	type usedByFlowSpec struct {
//		h    *object.Handle
//		dev  *Device
//		what string
//	}
func (g *goFile) arms(a plan.Arms) {
	var names []string
	for _, r := range a.Tail.Arms {
		names = append(names, "*"+r.Go)
	}
	used := usedBy(a.Tail.Of)
	g.decl(comment(a.Tail.Of+" is one of "+strings.Join(names, ", ")+"."), jen.Type().Id(a.Tail.Of).Interface(
		jen.Id("pack").Params().Index().Byte(), jen.Id("uses").Params().Index().Id(used)))
	g.structType("// "+used+" is a handle that a "+a.Tail.Of+" has.", used,
		param("h", "*object.Handle"), param("dev", "*"+a.Dev), param("what", "string"))
}

func usedBy(of string) string { return "usedBy" + of }

// armMethods makes what a method asks of an arm:
//
//	func (a *FlowSpecActionCount) pack() []byte {
//		if a == nil {
//			return nil
//		}
//		var c cFlowSpecActionCount
//		a.to(&c)
//		if a.Counters != nil {
//			c.counters = uintptr(a.Counters.h.C)
//		}
//		return cmem.BytesOf(&c)
//	}
//
//	func (a *FlowSpecActionCount) uses() []usedByFlowSpec {
//		if a == nil {
//			return nil
//		}
//		counters := usedByFlowSpec{h: a.Counters.base(), what: "counters"}
//		if a.Counters != nil {
//			counters.dev = a.Counters.dev
//		}
//		return []usedByFlowSpec{counters}
//	}
func (g *goFile) armMethods(a plan.ArmMethods) {
	none := jen.If(isNil(id("a"))).Block(jen.Return(jen.Nil()))
	pack := []jen.Code{none, jen.Var().Add(param("c", a.Record.Mirror.Name)), id("a.to").Call(ref(id("c")))}
	uses := []jen.Code{none.Clone()}
	var all []jen.Code
	used := usedBy(a.Record.Arm.Of)
	for _, f := range a.Record.Fields {
		if f.Object == nil {
			continue
		}
		h := naming.Unexported(f.Go)
		at := id("a", f.Go)
		pack = append(pack, jen.If(notNil(at)).Block(assign(id("c", f.Leaf.Go), jen.Uintptr().Call(dot(at, "h.C")))))
		uses = append(uses, define(h).Id(used).Values(key("h", dot(at, "base").Call()), key("what", jen.Lit(f.C))),
			jen.If(notNil(at.Clone())).Block(assign(id(h, "dev"), dot(at, "dev"))))
		all = append(all, id(h))
	}
	pack = append(pack, jen.Return(rt("cmem", "BytesOf").Call(ref(id("c")))))
	uses = append(uses, jen.Return(jen.Index().Id(used).Values(all...)))
	if len(all) == 0 {
		uses = []jen.Code{jen.Return(jen.Nil())}
	}
	recv := param("a", "*"+a.Record.Go)
	g.fn(fn{doc: "// pack gives the C layout.", recv: recv, name: "pack", results: []jen.Code{jen.Index().Byte()}, body: pack})
	g.fn(fn{doc: "// uses gives the handles.", recv: recv.Clone(), name: "uses", results: []jen.Code{jen.Index().Id(used)},
		body: uses, short: len(all) == 0})
}

// enterArms begins the use of the handles of arms, and collects their nodes:
//
//	var nodes []*object.Node
//	for _, x := range flow.specs {
//		if x == nil {
//			return nil, verr.NilValue(verb, "FlowSpec", "make one")
//		}
//		for _, h := range x.uses() {
//			if err := h.h.Enter(verb); err != nil {
//				return nil, err
//			}
//			defer h.h.Exit()
//			if h.dev != qp.dev {
//				return nil, object.OtherDevice(verb, h.what, &h.h.Node, &h.dev.h.Node, &qp.h.Node, &qp.dev.h.Node)
//			}
//			if !slices.Contains(nodes, &h.h.Node) {
//				nodes = append(nodes, &h.h.Node)
//			}
//		}
//	}
func (p printer) enterArms(s plan.EnterArms) []jen.Code {
	node := func(h string) jen.Code { return ref(id(h, "h.Node")) }
	other := rt("object", "OtherDevice").Call(id("verb"), id("h.what"), node("h"), node("h.dev"), node(s.Self), node(s.Root))
	each := []jen.Code{
		p.zero.onErr(id("h.h.Enter").Call(id("verb"))),
		jen.Defer().Add(id("h.h.Exit").Call()),
		jen.If(op(id("h.dev"), "!=", id(s.Root))).Block(p.zero.with(other)),
		jen.If(jen.Op("!").Add(rt("slices", "Contains").Call(id(s.Nodes), node("h")))).Block(assign(id(s.Nodes),
			jen.Append(id(s.Nodes), node("h")))),
	}
	return []jen.Code{
		jen.Var().Add(param(s.Nodes, "[]*object.Node")),
		jen.For(define("_", "x").Range().Add(id(s.List))).Block(
			jen.If(isNil(id("x"))).Block(p.zero.with(rt("verr", "NilValue").Call(id("verb"), jen.Lit(s.Of), jen.Lit("make one")))),
			jen.For(define("_", "h").Range().Add(id("x.uses").Call())).Block(each...)),
	}
}

// packArms makes the bytes of a struct and of the arms behind it:
//
//	parts := make([][]byte, len(flow.specs))
//	for i, x := range flow.specs {
//		parts[i] = x.pack()
//	}
//	flowB, err := cmem.Behind(verb, int(unsafe.Sizeof(flowC)), math.MaxUint8, math.MaxUint16, parts)
//	if err != nil {
//		return nil, err
//	}
//	flowC.num_of_specs, flowC.size = uint8(len(parts)), uint16(len(flowB))
func (p printer) packArms(s plan.PackArms) []jen.Code {
	most := func(goType string) jen.Code { return rt("math", "Max"+strings.ToUpper(goType[:1])+goType[1:]) }
	behind := rt("cmem", "Behind").Call(id("verb"), jen.Int().Call(rt("unsafe", "Sizeof").Call(id(s.Head))), most(s.Count.GoType),
		most(s.Size.GoType), id("parts"))
	return append([]jen.Code{
		define("parts").Make(jen.Index().Index().Byte(), jen.Len(id(s.List))),
		jen.For(define("i", "x").Range().Add(id(s.List))).Block(assign(id("parts").Index(id("i")), id("x.pack").Call())),
	}, append(p.get(s.Into, behind),
		jen.List(id(s.Head, s.Count.Go), id(s.Head, s.Size.Go)).Op("=").List(goType(s.Count.GoType).Call(jen.Len(id("parts"))),
			goType(s.Size.GoType).Call(jen.Len(id(s.Into)))))...)
}
