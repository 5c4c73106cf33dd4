package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// arms makes the type that stands for any of several records, and what a method asks of one:
//
//	type FlowSpec interface {
//		pack() []byte
//		uses() []object.Used
//	}
func (g *goFile) arms(a plan.Arms) {
	var names []string
	for _, r := range a.Tail.Arms {
		names = append(names, "*"+r.Go)
	}
	g.decl(comment(a.Tail.Of+" is one of "+strings.Join(names, ", ")+"."), jen.Type().Id(a.Tail.Of).Interface(
		jen.Id("pack").Params().Index().Byte(), jen.Id("uses").Params().Add(goType("[]object.Used"))))
}

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
//	func (a *FlowSpecActionCount) uses() []object.Used {
//		if a == nil {
//			return nil
//		}
//		return []object.Used{{Handle: a.Counters.base(), What: "counters"}}
//	}
func (g *goFile) armMethods(a plan.ArmMethods) {
	none := jen.If(isNil(id("a"))).Block(jen.Return(jen.Nil()))
	pack := []jen.Code{none, jen.Var().Add(param("c", a.Record.Mirror.Name)), id("a.to").Call(ref(id("c")))}
	uses, used := []jen.Code{jen.Return(jen.Nil())}, goType("[]object.Used")
	var all []jen.Code
	for _, f := range a.Record.Fields {
		if f.Object == nil {
			continue
		}
		at := id("a", f.Go)
		pack = append(pack, jen.If(notNil(at)).Block(assign(id("c", f.Leaf.Go), jen.Uintptr().Call(dot(at, "h.C")))))
		all = append(all, jen.Values(key("Handle", dot(at, "base").Call()), key("What", jen.Lit(f.C))))
	}
	pack = append(pack, jen.Return(rt("cmem", "BytesOf").Call(ref(id("c")))))
	if len(all) > 0 {
		uses = []jen.Code{none.Clone(), jen.Return(used.Clone().Values(all...))}
	}
	recv := param("a", "*"+a.Record.Go)
	g.fn(fn{doc: "// pack gives the C layout.", recv: recv, name: "pack", results: []jen.Code{jen.Index().Byte()}, body: pack})
	g.fn(fn{doc: "// uses gives the handles.", recv: recv.Clone(), name: "uses", results: []jen.Code{used},
		body: uses, short: len(all) == 0})
}

// enterArms begins the use of the handles of arms:
//
//	if err := object.UseArms(&uses, &qp.h, verb, "FlowSpec", flow.specs, FlowSpec.uses); err != nil {
//		return nil, err
//	}
func (p printer) enterArms(s plan.EnterArms) *jen.Statement {
	return p.zero.onErr(rt("object", "UseArms").Call(ref(id("uses")), ref(id(s.Beside, "h")), id("verb"), jen.Lit(s.Of), id(s.List),
		id(s.Of, "uses")))
}

// packArms makes the bytes of a struct and of the arms behind it:
//
//	flowB, err := cmem.Behind(verb, int(unsafe.Sizeof(flowC)), math.MaxUint8, math.MaxUint16, flow.specs, FlowSpec.pack)
//	if err != nil {
//		return nil, err
//	}
//	flowC.num_of_specs, flowC.size = uint8(len(flow.specs)), uint16(len(flowB))
func (p printer) packArms(s plan.PackArms) []jen.Code {
	behind := rt("cmem", "Behind").Call(id("verb"), jen.Int().Call(rt("unsafe", "Sizeof").Call(id(s.Head))), greatest(s.Count),
		greatest(s.Size), id(s.List), id(s.Of, "pack"))
	return append(p.get(s.Into, behind), jen.List(id(s.Head, s.Count.Go), id(s.Head, s.Size.Go)).Op("=").List(
		goType(s.Count.GoType).Call(jen.Len(id(s.List))), goType(s.Size.GoType).Call(jen.Len(id(s.Into)))))
}
