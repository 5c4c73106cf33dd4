package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
	"github.com/verbsgen/verbsgen/spec"
)

// listens tells whether events arrive on an object.
func (e *emitter) listens(o *model.Object) bool {
	return o.Events || o.Go == e.root() && e.has(form.NextAsync)
}

// indexed tells whether events name an object by its C address.
func (e *emitter) indexed(o *model.Object) bool {
	return e.has(form.NextAsync) && slices.Contains(e.concerned(), o) || e.has(form.NextEvent) && e.completionQueue() == o
}

// waiter is the name in package dpath of what waits for the events of an object.
func waiter(o *model.Object) string {
	if o.Events {
		return "Channel"
	}
	return "Async"
}

// waiterPtr is its type: *dpath.Channel.
func waiterPtr(o *model.Object) *jen.Statement { return jen.Op("*").Add(rt("dpath", waiter(o))) }

// eventFields are what a handle keeps for events:
//
//	handles object.Index                    // that events name, by the address of the C object
//	waiting events.Listener[*dpath.Channel] // for events
func (e *emitter) eventFields(o *model.Object) []jen.Code {
	var out []jen.Code
	if o.Go == e.root() && slices.ContainsFunc(e.pkg.Objects, e.indexed) {
		out = append(out, remark(jen.Id("handles").Add(rt("object", "Index")), "that events name, by the address of the C object"))
	}
	if e.listens(o) {
		out = append(out, remark(jen.Id("waiting").Add(rt("events", "Listener")).Types(waiterPtr(o)), "for events"))
	}
	return out
}

// addToIndex makes a handle known to events, before anybody else can close it: o.dev.handles.Add(uintptr(o.c), o).
func (e *emitter) addToIndex(o *model.Object) jen.Code { return e.inIndex(o, "Add") }

// removeFromIndex makes it unknown again.
func (e *emitter) removeFromIndex(o *model.Object) jen.Code { return e.inIndex(o, "Remove") }

func (e *emitter) inIndex(o *model.Object, method string) jen.Code {
	if !e.indexed(o) {
		return nil
	}
	return id("o.dev.handles", method).Call(jen.Uintptr().Call(id("o.c")), id("o"))
}

// eventsOf makes the waiting for the events of an object, where some arrive on it.
func (e *emitter) eventsOf(g *goFile, o *model.Object) {
	switch {
	case !e.listens(o):
	case o.Events:
		e.listen(g, o, e.byForm[form.NextEvent].Verb)
		e.completionEvents(g, o)
	default:
		e.listen(g, o, e.byForm[form.NextAsync].Verb)
		e.asyncEvents(g, o)
	}
}

// listen makes the beginning of the waiting:
//
//	func (o *CompChannel) listen(verb string) (*dpath.Channel, error) {
//		... o entered
//		return o.waiting.Listen(func() (*dpath.Channel, error) {
//			return dpath.NewChannel(o.c, o.lib.fn[symIbv_get_cq_event], o.lib.fn[symIbv_ack_cq_events])
//		})
//	}
func (e *emitter) listen(g *goFile, o *model.Object, get *model.Verb) {
	none, lib, ack := fail{jen.Nil()}, id("o.lib"), get.Part(form.PartAck)
	begin := rt("dpath", "New"+waiter(o)).Call(id("o.c"), fnAddr(lib, get.Symbol), fnAddr(lib, ack.Symbol))
	body := append(enterHandle(id("o"), none), e.missingCheck(get, lib, none), e.missingCheck(ack, lib, none),
		jen.Return(id("o.waiting.Listen").Call(jen.Func().Params().Params(waiterPtr(o), jen.Error()).Block(jen.Return(begin)))))
	g.fn(fn{
		doc:  "// listen makes the descriptor of the events one that Go's poller waits on. It does so once, and holds the handle no longer.",
		recv: self(o), name: "listen", params: []jen.Code{param("verb", "string")}, results: errResult(waiterPtr(o)), body: body,
	})
}

// listenFor begins a method that waits for an event:
//
//	const verb = "ibv_get_cq_event"
//	from, err := o.listen(verb)
//	if err != nil {
//		return nil, err
//	}
func listenFor(verb string) []jen.Code {
	return []jen.Code{constVerb(verb), define("from", "err").Id("o").Dot("listen").Call(id("verb")), fail{jen.Nil()}.ifErr()}
}

// nextEvent is a method that waits for an event of a type.
func nextEvent(o *model.Object, doc, name, event string, body ...jen.Code) fn {
	return fn{doc: doc, recv: self(o), name: name, params: []jen.Code{jen.Id("ctx").Add(rt("context", "Context"))}, results: errResult(ptr(event)), body: body}
}

// doneEvent makes the acknowledging of an event:
//
//	func (e *CQEvent) Done() {
//		if e != nil {
//			e.event.Done()
//		}
//	}
func doneEvent(g *goFile, done made) {
	name := done.m.Name
	g.fn(fn{
		doc:  doc(name, "acknowledges the event. A second "+name+" does nothing", done.C, done.Page),
		recv: recv("e", done.m.Recv), name: name, body: []jen.Code{jen.If(notNil(id("e"))).Block(id("e.event.Done").Call())},
	})
}

// completionEvents makes CompChannel.Next:
//
//	func (o *CompChannel) Next(ctx context.Context) (*CQEvent, error) {
//		... from, the waiting
//		ev := new(CQEvent)
//		if ev.CQ, err = events.NextCompletion(ctx, &ev.event, from, &o.dev.handles, nodeOfCQ); err != nil {
//			return nil, err
//		}
//		return ev, nil
//	}
func (e *emitter) completionEvents(g *goFile, o *model.Object) {
	v, done, cq := e.byForm[form.NextEvent], e.byForm[form.DoneEvent], e.completionQueue()
	event := done.m.Recv
	g.structType(doc(event, "is a completion event. It is acknowledged by "+done.m.Name+"; until then its queue cannot be closed (syscall.EBUSY)", v.C, v.Page), event,
		remark(param("CQ", "*"+cq.Go), "the queue with completions; ask it for the next event by ReqNotify, then poll it"),
		param("event", "events.Completion"))
	next := rt("events", "NextCompletion").Call(id("ctx"), ref(id("ev.event")), id("from"), ref(id("o.dev.handles")), e.nodeOf(cq))
	text := doc(v.m.Name, "waits for the next completion event. No thread is held while it waits; ctx ends the wait, and an event that comes then is kept for the next call. Close of the channel ends it with os.ErrClosed", v.C, v.Page)
	g.fn(nextEvent(o, text, v.m.Name, event, append(listenFor(v.C),
		define("ev").New(id(event)),
		jen.If(jen.List(id("ev.CQ"), id("err")).Op("=").Add(next), notNil(id("err"))).Block(fail{jen.Nil()}.with(id("err"))),
		jen.Return(id("ev"), jen.Nil()))...))
	doneEvent(g, done)
}

// completionQueue is the object that completion events are of.
func (e *emitter) completionQueue() *model.Object { return e.byForm[form.DoneEvent].Params[0].Object }

// asyncEvents makes the asynchronous events of a device: their type, what each concerns, NextEvent and Done.
func (e *emitter) asyncEvents(g *goFile, o *model.Object) {
	t, concerned := e.eventType(), e.concerned()
	e.asyncType(g, t, concerned)
	e.asyncElements(g, t, concerned)
	e.nextAsync(g, o, t, concerned)
	doneEvent(g, e.byForm[form.DoneAsync])
}

// concerned are the objects of the package that asynchronous events concern, in the order of the page.
func (e *emitter) concerned() []*model.Object {
	var out []*model.Object
	if t := e.eventType(); t != nil {
		for _, x := range t.Events {
			if slices.Contains(e.pkg.Objects, x.Object) {
				out = append(out, x.Object)
			}
		}
	}
	return out
}

// eventType is the type of asynchronous events.
func (e *emitter) eventType() *model.Enum {
	for _, t := range e.pkg.Enums {
		if len(t.Events) > 0 {
			return t
		}
	}
	return nil
}

// elementConst names an object among the elements of events.
func elementConst(o *model.Object) string { return "element" + o.Go }

// asyncType makes AsyncEvent.
func (e *emitter) asyncType(g *goFile, t *model.Enum, concerned []*model.Object) {
	done := e.byForm[form.DoneAsync]
	fields := []jen.Code{param("Type", t.Go)}
	for _, o := range concerned {
		fields = append(fields, remark(param(o.Go, "*"+o.Go), fmt.Sprintf("of an event of one: the %s that it concerns; nil for one made by other code on the same device", o.Go)))
	}
	fields = append(fields, remark(param("Port", "uint8"), "of an event of a port: its number, from 1; otherwise 0"), jen.Line().Add(param("event", "events.Async")))
	g.structType(doc(done.m.Recv, "is an event of a device, of one of its ports, or of an object made from it. It is acknowledged by "+done.m.Name+"; until then the object that it concerns cannot be closed (syscall.EBUSY). An event of the device or a port holds nothing", pointee(done.Params[0].CType), done.Page),
		done.m.Recv, fields...)
}

// asyncElements makes what each type of event concerns:
//
//	const (
//		elementQP = events.Object + iota
//		elementCQ
//	)
//
//	var asyncElements = map[uint32]events.Element{
//		uint32(EventTypeQPFatal): elementQP,
//		uint32(EventTypePortErr): events.Port,
//	}
func (e *emitter) asyncElements(g *goFile, t *model.Enum, concerned []*model.Object) {
	names := map[string]*jen.Statement{spec.EventOfPort: rt("events", "Port")}
	var consts, rows []jen.Code
	for i, o := range concerned {
		names[o.C] = id(elementConst(o))
		decl := id(elementConst(o))
		if i == 0 {
			decl.Op("=").Add(rt("events", "Object")).Op("+").Iota()
		}
		consts = append(consts, decl)
	}
	of := map[string]string{} // event -> what it concerns
	for _, x := range t.Events {
		for _, c := range x.Members {
			of[c] = x.Of
		}
	}
	for _, m := range t.Members {
		if m.Alias { // each value once
			continue
		}
		element := names[of[m.C]]
		if element == nil {
			element = rt("events", "Nothing")
		}
		rows = append(rows, jen.Uint32().Call(id(m.Go)).Op(":").Add(element))
	}
	if len(consts) > 0 {
		g.decl("// The types of objects that asynchronous events concern.", jen.Const().Defs(consts...))
	}
	g.decl("// asyncElements is what each type of asynchronous event concerns.",
		jen.Var().Id("asyncElements").Op("=").Map(jen.Uint32()).Add(rt("events", "Element")).Add(lines(rows...)))
}

// nextAsync makes Device.NextEvent:
//
//	func (o *Device) NextEvent(ctx context.Context) (*AsyncEvent, error) {
//		... from, the waiting
//		ev := new(AsyncEvent)
//		if err := ev.event.Next(ctx, from, asyncElements, ...); err != nil {
//			return nil, err
//		}
//		ev.Type, ev.Port = EventType(ev.event.Type), ev.event.Port
//		return ev, nil
//	}
func (e *emitter) nextAsync(g *goFile, o *model.Object, t *model.Enum, concerned []*model.Object) {
	v, event := e.byForm[form.NextAsync], e.byForm[form.DoneAsync].m.Recv
	text := doc(v.m.Name, "waits for the next asynchronous event of the device. No thread is held while it waits; ctx ends the wait, and an event that comes then is kept for the next call. Close of the device ends it with os.ErrClosed. Each event goes to one caller. The descriptor of the events becomes non-blocking by the first call",
		v.C, v.Page, "An event of an object that is being closed at this moment is given too, with the handle that is going; the Close does not wait for its Done.", "Since an object with an event that was not acknowledged is not closed (syscall.EBUSY), call Done when the event is dealt with, not when the program ends.")
	next := id("ev.event.Next").Call(id("ctx"), id("from"), id("asyncElements"), e.findConcerned(concerned))
	g.fn(nextEvent(o, text, v.m.Name, event, append(listenFor(v.C),
		define("ev").New(id(event)),
		fail{jen.Nil()}.onErr(next),
		jen.List(id("ev.Type"), id("ev.Port")).Op("=").List(id(t.Go).Call(id("ev.event.Type")), id("ev.event.Port")),
		jen.Return(id("ev"), jen.Nil()))...))
}

// findConcerned finds the handle that an event concerns, and puts it into the event:
//
//	func(element events.Element, at uintptr) *object.Node {
//		switch element {
//		case elementQP:
//			ev.QP, _ = o.handles.Find(at).(*QP)
//			return nodeOfQP(ev.QP)
//		}
//		return nil
//	}
func (e *emitter) findConcerned(concerned []*model.Object) *jen.Statement {
	var cases []jen.Code
	for _, o := range concerned {
		handle := id("ev", o.Go)
		cases = append(cases, jen.Case(id(elementConst(o))).Block(
			jen.List(handle, id("_")).Op("=").Id("o").Dot("handles").Dot("Find").Call(id("at")).Assert(ptr(o.Go)),
			jen.Return(e.nodeOf(o).Call(handle))))
	}
	body := []jen.Code{jen.Return(jen.Nil())}
	if len(cases) > 0 {
		body = append([]jen.Code{jen.Switch(id("element")).Block(cases...)}, body...)
	}
	return jen.Func().Params(param("element", "events.Element"), param("at", "uintptr")).Op("*").Add(rt("object", "Node")).Block(body...)
}
