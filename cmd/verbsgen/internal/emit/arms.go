package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
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
//	func (a *FlowSpecCount) pack() []byte { return cmem.Pack(a, (*FlowSpecCount).to) }
//
//	func (a *FlowSpecCount) uses() []object.Used {
//		if a == nil {
//			return nil
//		}
//		return []object.Used{{Handle: a.Counters.base(), What: "counters"}}
//	}
func (g *goFile) armMethods(a plan.ArmMethods) {
	uses, used := []jen.Code{jen.Return(jen.Nil())}, goType("[]object.Used")
	var all []jen.Code
	for _, f := range a.Record.Fields {
		if f.Object != nil {
			all = append(all, jen.Values(key("Handle", id("a", f.Go, "base").Call()), key("What", jen.Lit(f.C))))
		}
	}
	if len(all) > 0 {
		uses = []jen.Code{jen.If(isNil(id("a"))).Block(jen.Return(jen.Nil())), jen.Return(used.Clone().Values(all...))}
	}
	pack := jen.Return(rt("cmem", "Pack").Call(id("a"), methodOf(a.Record, "to")))
	g.fn(fn{recv: recv("a", a.Record.Go), name: "pack", results: []jen.Code{jen.Index().Byte()}, body: []jen.Code{pack}, short: true})
	g.fn(fn{recv: recv("a", a.Record.Go), name: "uses", results: []jen.Code{used}, body: uses, short: len(all) == 0})
}

// methodOf is a method of a record as a function: (*AHAttr).to.
func methodOf(r *model.Record, name string) *jen.Statement {
	return jen.Parens(jen.Op("*").Id(r.Go)).Dot(name)
}
