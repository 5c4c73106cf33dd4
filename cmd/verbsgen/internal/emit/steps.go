package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// printer prints the steps of one method.
type printer struct {
	e    *emitter
	name string
	zero fail // what the method returns beside an error
}

// steps prints steps.
func (p printer) steps(list []plan.Step) []jen.Code {
	var out []jen.Code
	for _, s := range list {
		code, ok := p.faceStep(s)
		if !ok {
			code, ok = p.smallStep(s)
		}
		if !ok {
			code, ok = p.formStep(s)
		}
		if !ok {
			p.e.errs = append(p.e.errs, fmt.Errorf("%s: nothing prints a step of type %T", p.name, s))
		}
		out = append(out, code...)
	}
	return out
}

// faceStep prints a step of a face of a verb.
func (p printer) faceStep(s plan.Step) ([]jen.Code, bool) {
	switch s := s.(type) {
	case plan.Name:
		return one(jen.Const().Id("verb").Op("=").Lit(s.Verb))
	case plan.Enter:
		return p.enter(s), true
	case plan.EnterList:
		return p.enterList(s), true
	case plan.Missing:
		return one(p.missing(s))
	case plan.Refuse:
		return one(jen.If(p.value(s.When)).Block(p.zero.with(p.value(s.Error))))
	case plan.Gather:
		return gather(s), true
	case plan.CopyAttr:
		return p.copyAttr(s), true
	case plan.EnterArms:
		return one(p.enterArms(s))
	case plan.PackArms:
		return p.packArms(s), true
	case plan.CopyHead:
		return one(op(jen.Op("*").Parens(ptr(s.Mirror)).Call(unsafePointer().Call(rt("unsafe", "SliceData").Call(id(s.Into)))), "=", id(s.Head)))
	case plan.CopyList:
		return copyList(s), true
	case plan.Hold, plan.HoldAttr:
		return p.hold(s), true
	case plan.Check:
		return p.check(s), true
	case plan.Call:
		return p.call(s), true
	case plan.Make:
		return one(define(s.Into).Id("new"+s.Object).Call(id(s.Owner), id(s.From)))
	case plan.Keep:
		return keep(), true
	case plan.Attach:
		return one(attach(s))
	case plan.Place:
		return p.place(s), true
	case plan.Adopt:
		return one(p.adopt(s))
	case plan.FillList:
		return one(fillList(s))
	case plan.EnterOther, plan.LendOther, plan.MakeOther:
		return p.other(s), true
	case plan.Output:
		out := define(s.Into).New(goType(s.Type))
		if s.ByValue {
			out = jen.Var().Add(param(s.Into, s.Type))
		}
		return []jen.Code{out, id(s.Into, "from").Call(ref(id(s.Mirror)))}, true
	case plan.KeepCaps:
		return one(keepCaps(s))
	case plan.Return:
		return one(jen.Return(p.values(s.Values)...))
	}
	return nil, false
}

func one(s *jen.Statement) ([]jen.Code, bool) { return []jen.Code{s}, true }

// smallStep prints a small step.
func (p printer) smallStep(s plan.Step) ([]jen.Code, bool) {
	switch s := s.(type) {
	case plan.Until:
		return []jen.Code{jen.Var().Add(typed(s.Var)), jen.Defer().Add(id(s.Var.Name, s.End).Call())}, true
	case plan.PinData:
		return one(jen.Defer().Add(rt("mem", "PinData")).Call(ref(id(s.Into)), id(s.Bytes)).Call())
	case plan.Lock:
		return []jen.Code{id(s.Mutex, "Lock").Call(), jen.Defer().Add(id(s.Mutex, "Unlock").Call())}, true
	case plan.Declare:
		return one(jen.Var().Add(typed(s.Var)))
	case plan.Assign:
		return one(p.assign(s))
	case plan.If:
		return one(jen.If(p.value(s.When)).Block(p.steps(s.Then)...))
	case plan.Try:
		if s.Into == "" {
			return one(p.zero.onErr(p.value(s.Call)))
		}
		return p.get(s.Into, p.value(s.Call)), true
	}
	return nil, false
}

// assign stores values, or only calls: x = y // remark.
func (p printer) assign(s plan.Assign) *jen.Statement {
	var to []jen.Code
	for _, path := range s.To {
		to = append(to, id(path))
	}
	out := jen.List(p.values(s.Values)...)
	if len(to) > 0 {
		out = jen.List(to...).Op(s.Op).Add(out)
	}
	if s.Remark != "" {
		out = remark(out, s.Remark)
	}
	return out
}

// get calls a function that returns a value and an error:
//
//	x, err := f()
//	if err != nil {
//		return nil, err
//	}
func (p printer) get(into string, call *jen.Statement) []jen.Code {
	return []jen.Code{define(into, "err").Add(call), p.zero.ifErr()}
}

// enter begins the use of a handle until the method returns; one that may be nil, if it is given:
//
//	if h != nil {
//		if err := h.base().EnterBeside(&pd.h, verb, "send_cq"); err != nil {
//			return nil, err
//		}
//		defer h.h.Exit()
//		... then
//	}
func (p printer) enter(s plan.Enter) []jen.Code {
	h := id(s.Handle)
	enter := dot(h, "base").Call().Dot("Enter").Call(id("verb"))
	if s.Beside != "" {
		enter = dot(h, "base").Call().Dot("EnterBeside").Call(ref(id(s.Beside, "h")), id("verb"), jen.Lit(s.What))
	}
	begun := []jen.Code{p.zero.onErr(enter), jen.Defer().Add(dot(h, "h.Exit").Call())}
	begun = append(begun, p.steps(s.Then)...)
	if s.Optional {
		return []jen.Code{jen.If(notNil(h)).Block(begun...)}
	}
	return begun
}

// missing refuses a verb that the loaded library lacks:
//
//	if l.fn[symIbv_x] == 0 {
//		return nil, l.missing("ibv_x", symIbv_x)
//	}
func (p printer) missing(s plan.Missing) *jen.Statement {
	absent := jen.Null()
	for i, c := range s.Symbols {
		if i > 0 {
			absent.Op("&&")
		}
		absent.Add(op(fnAddr(id(s.Lib), c), "==", jen.Lit(0)))
	}
	return jen.If(absent).Block(p.zero.with(id(s.Lib, "missing").Call(jen.Lit(s.Verb), id(symConst(s.Symbols[0])))))
}

// gather joins flags that are given one by one:
//
//	var fieldsC QPField
//	for _, f := range fields {
//		fieldsC |= f
//	}
//	if len(fields) == 0 {
//		fieldsC = 0x1f // all that there are
//	}
func gather(s plan.Gather) []jen.Code {
	all := id(s.Into)
	return []jen.Code{
		jen.Var().Add(param(s.Into, s.Type)),
		jen.For(define("_", "f").Range().Id(s.Flags)).Block(op(all, "|=", id("f"))),
		jen.If(op(jen.Len(id(s.Flags)), "==", jen.Lit(0))).Block(remark(assign(all, inHex(s.All)), "all that there are")),
	}
}

// copyList makes an array of the mirrors of a list of records:
//
//	sgListC := make([]cSGE, len(sgList))
//	for i := range sgList {
//		sgList[i].to(&sgListC[i])
//	}
func copyList(s plan.CopyList) []jen.Code {
	at := func(list string) *jen.Statement { return id(list).Index(id("i")) }
	return []jen.Code{
		define(s.Into).Make(jen.Index().Id(s.Mirror), jen.Len(id(s.List))),
		jen.For(define("i").Range().Add(id(s.List))).Block(at(s.List).Dot("to").Call(ref(at(s.Into)))),
	}
}

// fillList fills a list of records from their mirrors, as many as C says but no more than there are:
//
//	for i := range entriesC[:min(n, len(entriesC))] {
//		entries[i].from(&entriesC[i])
//	}
func fillList(s plan.FillList) *jen.Statement {
	at := func(list string) *jen.Statement { return id(list).Index(id("i")) }
	from := id(s.From)
	if s.Count != "" {
		from = from.Index(jen.Op(":").Min(id(s.Count), jen.Len(id(s.From))))
	}
	return jen.For(define("i").Range().Add(from)).Block(at(s.List).Dot("from").Call(ref(at(s.From))))
}

// place keeps where a region lies:
//
//	start := uint64(attrC.addr)
//	if attrC.comp_mask&0x1 != 0 {
//		start = attrC.iova
//	}
//	o.place(start, dpath.Vague(uint64(attrC.access), 0x20))
func (p printer) place(s plan.Place) (out []jen.Code) {
	start := p.value(s.Start)
	if len(s.First) > 0 {
		out, start = append(out, define("start").Add(start)), id("start")
	}
	for _, x := range slices.Backward(s.First) {
		out = append(out, jen.If(p.value(x.When)).Block(assign(id("start"), p.value(x.Value))))
	}
	return append(out, id(s.Handle, "place").Call(start, p.value(s.Unknown)))
}

// adopt opens a handle under its parents:
//
//	if err := o.h.Adopt(&pd.h.Node, attr.sendCQ.base().Optional()); err != nil {
//		return nil, err
//	}
func (p printer) adopt(s plan.Adopt) *jen.Statement {
	nodes, many := parents(s.Parents)
	if many != nil {
		return p.zero.onErr(id(s.Handle, "h.Adopt").Call(nodeList(nodes, many).Op("...")))
	}
	return p.zero.onErr(id(s.Handle, "h.Adopt").Call(nodes...))
}

// parents are nodes one by one, and lists of nodes.
func parents(list []plan.Parent) (nodes, many []jen.Code) {
	for _, x := range list {
		switch {
		case x.Many != "":
			many = append(many, id(x.Many))
		case x.Held != "":
			nodes = append(nodes, id(x.Held, "Optional").Call())
		case x.Optional:
			nodes = append(nodes, optional(x.Handle))
		default:
			nodes = append(nodes, ref(id(x.Handle, "h.Node")))
		}
	}
	return nodes, many
}

// nodeList is a list of nodes with further lists behind it: append([]*object.Node{&id.h.Node}, lent.Nodes...).
func nodeList(nodes, many []jen.Code) *jen.Statement {
	if len(nodes) == 0 && len(many) == 1 {
		return jen.Add(many[0])
	}
	list := jen.Index().Op("*").Add(rt("object", "Node")).Values(nodes...)
	for _, m := range many {
		list = jen.Append(list, jen.Add(m).Op("..."))
	}
	return list
}

// optional is the node of a handle that may be nil: pd.base().Optional().
func optional(handle string) *jen.Statement {
	return id(handle, "base").Call().Dot("Optional").Call()
}

// attach gives device memory its C object: _ = o.mem.Attach(ptr, length, true).
func attach(s plan.Attach) *jen.Statement {
	return remark(assign(id("_"), id("o.mem.Attach").Call(id("ptr"), id(s.Length), jen.True())),
		"an error of attaching is returned by the first copy")
}

// keepCaps keeps the capabilities for later rules:
//
//	if attrC.comp_mask == 0 {
//		// not the plain attributes alone: what is 0 is known to be 0
//		dev.caps.Keep(&attrC)
//	}
func keepCaps(s plan.KeepCaps) *jen.Statement {
	return jen.If(op(id(s.Mask), "==", jen.Lit(0))).Block(
		jen.Comment("// not the plain attributes alone: what is 0 is known to be 0"),
		id(s.Device, "caps.Keep").Call(ref(id(s.Mirror))))
}
