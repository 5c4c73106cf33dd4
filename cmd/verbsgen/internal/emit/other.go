package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/naming"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/plan"
)

// other prints a step with a handle or builder of another package.
func (p printer) other(s plan.Step) []jen.Code {
	switch s := s.(type) {
	case plan.EnterOther:
		return p.enterOther(s)
	case plan.LendOther:
		return p.lendOther(s)
	case plan.MakeOther:
		return p.makeOther(s)
	}
	return nil
}

// enterOther begins the use of a handle:
//
//	pdHeld, err := bridge.Enter(verb, "pd", id.lib.verbs, pd)
//	if err != nil {
//		return nil, err
//	}
//	defer pdHeld.Exit()
func (p printer) enterOther(s plan.EnterOther) []jen.Code {
	enter := "Enter"
	if s.Optional {
		enter = "EnterOptional"
	}
	call := rt("bridge", enter).Call(id("verb"), jen.Lit(s.What), id(s.Lib), id(s.Handle))
	return append(p.get(s.Into, call), jen.Defer().Add(id(s.Into, "Exit").Call()))
}

// lendOther begins the use of what a builder has:
//
//	attrHeld, err := bridge.Lend(verb, attr, id.lib.verbs, pdHeld.Root)
//	defer attrHeld.Exit()
//	if err != nil {
//		return nil, err
//	}
func (p printer) lendOther(s plan.LendOther) []jen.Code {
	root := jen.Nil()
	if s.Root != "" {
		root = id(s.Root)
	}
	attr := id(s.Attr)
	if s.Plain {
		attr = ref(attr)
	}
	call := rt("bridge", "Lend").Call(id("verb"), attr, id(s.Lib), root)
	return []jen.Code{define(s.Into, "err").Add(call), jen.Defer().Add(id(s.Into, "Exit").Call()), p.zero.ifErr()}
}

// makeOther makes a handle:
//
//	o, err := bridge.Make[verbs.QP](bridge.Made{
//		Verb:    verb,
//		C:       ptr,
//		Lib:     id.lib.verbs,
//		Handles: []*object.Handle{pdHeld},
//		Parents: []*object.Node{&id.h.Node},
//		End:     func() error { ... },
//	})
//	if err != nil {
//		return nil, err
//	}
func (p printer) makeOther(s plan.MakeOther) []jen.Code {
	var handles []jen.Code
	for _, h := range s.Handles {
		handles = append(handles, id(h))
	}
	nodes, many := parents(s.Parents)
	entries := []jen.Code{key("Verb", id("verb")), key("C", p.value(s.C)), key("Lib", id(s.Lib)),
		key("Handles", goType("[]*object.Handle").Values(handles...)),
		key("Parents", nodeList(nodes, many))}
	if s.End != nil {
		inner := p
		inner.zero = nil
		f := fn{body: inner.steps(s.End.Then)}
		f.takes(s.End.Params, s.End.Results)
		entries = append(entries, key("End", f.code()))
	}
	return p.get(s.Into, rt("bridge", "Make").Types(goType(s.Object)).Call(rt("bridge", "Made").Add(lines(entries...))))
}

// offers offers the handles and builders to the packages of other libraries:
//
//	func init() {
//		bridge.OfferLib(func(l *Lib) dl.Source { return l.src })
//		bridge.OfferHandle((*PD).base, newPD, nil)
//		bridge.OfferHandle((*MR).base, newMR, func(o *MR, m *bridge.Made) { o.pd = bridge.Among[PD](m) })
//		bridge.OfferAttr("QPAttr", (*QPAttr).lend)
//	}
func (g *goFile) offers(o plan.Offers) {
	source := jen.Func().Params(param("l", "*Lib")).Add(goType("dl.Source")).Add(short(jen.Return(id("l.src"))))
	body := []jen.Code{rt("bridge", "OfferLib").Call(source)}
	for _, h := range o.Handles {
		fill := jen.Nil()
		if len(h.Owners) > 0 {
			var to, from []jen.Code
			for _, p := range h.Owners {
				to, from = append(to, id("o", naming.Unexported(p.Go))), append(from, rt("bridge", "Among").Types(id(p.Go)).Call(id("m")))
			}
			fill = jen.Func().Params(param("o", "*"+h.Object), param("m", "*bridge.Made")).Add(short(jen.List(to...).Op("=").List(from...)))
		}
		body = append(body, rt("bridge", "OfferHandle").Call(baseOf("*"+h.Object), id("new"+h.Object), fill))
	}
	for _, name := range o.Attrs {
		body = append(body, rt("bridge", "OfferAttr").Call(jen.Lit(name), jen.Parens(ptr(name)).Dot("lend")))
	}
	g.fn(fn{doc: comment(plan.Says("offer", nil)), name: "init", body: body})
}

// choose takes steps for some values of an enum:
//
//	switch r.Type {
//	case EventTypeConnectRequest:
//		... then
//	default:
//		... else
//	}
func (p printer) choose(s plan.Choose) *jen.Statement {
	var is []jen.Code
	for _, name := range s.Is {
		is = append(is, id(name))
	}
	cases := []jen.Code{jen.Case(is...).Block(p.steps(s.Then)...)}
	if len(s.Else) > 0 {
		cases = append(cases, jen.Default().Block(p.steps(s.Else)...))
	}
	return jen.Switch(id(s.Of)).Block(cases...)
}

// readRecord copies a record:
//
//	serial.Lock()
//	defer serial.Unlock()
//	var given unsafe.Pointer
//	if n, errno := rawGet(o.lib.fn[symGet], o.h.C, unsafe.Pointer(&given)); n < 0 {
//		return nil, errno
//	}
//	made = ev.from((*cEvent)(given), o.lib)
//	rawAck(o.lib.fn[symAck], given)
//	return made, 0
func (p printer) readRecord(s plan.ReadRecord) []jen.Code {
	var out []jen.Code
	if s.Serial {
		out = []jen.Code{id("serial.Lock").Call(), jen.Defer().Add(id("serial.Unlock").Call())}
	}
	return append(out,
		jen.Var().Add(param("given", "unsafe.Pointer")),
		jen.If(define("n", "errno").Add(p.value(s.Get)), op(id("n"), "<", jen.Lit(0))).Block(jen.Return(jen.Nil(), id("errno"))),
		assign(id("made"), id("ev.from").Call(conversion("*"+s.Mirror, id("given")), id("o.lib"))),
		p.value(s.Ack),
		jen.Return(id("made"), jen.Lit(0)))
}

// takeRecord takes a record, with the handle of an object that comes with it:
//
//	ev := new(Event)
//	made, errno := o.read(ev)
//	if errno != 0 || made == nil {
//		return ev, errno, nil
//	}
//	x := newID(o.lib, made)
//	x.eventChannel = o
//	if err := x.h.Adopt(&o.h.Node); err != nil {
//		return nil, 0, err
//	}
//	ev.ID = x
//	return ev, 0, nil
func (p printer) takeRecord(s plan.TakeRecord) []jen.Code {
	out := []jen.Code{define("ev").New(id(s.Record))}
	if s.Object == "" {
		return append(out, define("_", "errno").Add(id("o.read").Call(id("ev"))), jen.Return(id("ev"), id("errno"), jen.Nil()))
	}
	out = append(out, define("made", "errno").Add(id("o.read").Call(id("ev"))),
		jen.If(op(id("errno"), "!=", jen.Lit(0)).Op("||").Add(isNil(id("made")))).Block(jen.Return(id("ev"), id("errno"), jen.Nil())),
		define("x").Id("new"+s.Object).Call(id("o.lib"), id("made")))
	if s.Owner != "" {
		out = append(out, assign(id("x", s.Owner), id("o")))
	}
	return append(out,
		fail{jen.Nil(), jen.Lit(0)}.onErr(id("x.h.Adopt").Call(ref(id("o.h.Node")))),
		assign(id("ev", s.Field), id("x")),
		jen.Return(id("ev"), jen.Lit(0), jen.Nil()))
}
