package plan

import (
	"fmt"
	"slices"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/form"
	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// listens tells whether events arrive on an object.
func (b *builder) listens(o *model.Object) bool {
	v, _ := b.giver(o)
	return o.Events || v != nil || o.Go == b.root() && b.has(form.NextAsync)
}

// indexed tells whether events name an object by its C address.
func (b *builder) indexed(o *model.Object) bool {
	return b.has(form.NextAsync) && slices.Contains(b.concerned(), o) || b.has(form.NextEvent) && b.completionQueue() == o || b.namedByRecord(o)
}

// waiter is the type of what waits for the events of an object.
func (b *builder) waiter(o *model.Object) string {
	if v, _ := b.giver(o); v != nil {
		return "*events.Records[" + given(v).Record.Go + "]"
	}
	if o.Events {
		return "*dpath.Channel"
	}
	return "*dpath.Async"
}

// eventsOf plans the waiting for the events of an object, where some arrive on it.
func (b *builder) eventsOf(o *model.Object) []Decl {
	v, _ := b.giver(o)
	switch {
	case !b.listens(o), v != nil: // the method has a planner of its own
		return nil
	case o.Events:
		return append([]Decl{b.listen(o, "NewChannel", b.byForm[form.NextEvent].Verb)}, b.completionEvents(o)...)
	}
	return append([]Decl{b.listen(o, "NewAsync", b.byForm[form.NextAsync].Verb)}, b.asyncEvents(o)...)
}

// listen plans the beginning of the waiting.
func (b *builder) listen(o *model.Object, begin string, get *model.Verb) *Method {
	ack := get.Part(form.PartAck)
	m := on(o, "listen", "listen lets Go's poller wait on the descriptor of the events, once; afterwards it no longer holds the handle.",
		[]Var{{Type: b.waiter(o)}, {Type: "error"}})
	m.Params, m.Zero = []Var{{Name: "verb", Type: "string"}}, []Value{null}
	m.Steps = slices.Concat([]Step{Enter{Handle: "o"}}, b.missing(get, "o.lib"), b.missing(ack, "o.lib"),
		[]Step{ret(result("o.waiting.Listen", function(nil, []Var{{Type: b.waiter(o)}, {Type: "error"}},
			ret(of("dpath", begin, val("o.h.C"), symbol("o.lib", get.Symbol), symbol("o.lib", ack.Symbol))))))})
	return m
}

// next plans a method that waits for an event of a type.
func next(o *model.Object, v made, event, does string, more []string, steps ...Step) *Method {
	begin := []Step{Name{v.C}, Get{"from", result("o.listen", verb)}, Define{"ev", Value{As: New, Type: event}}}
	return &Method{Doc: Doc{Does: does, C: v.C, Page: v.Page, More: more}, Recv: Var{Name: "o", Type: "*" + o.Go}, Name: v.m.Name, Verb: v.Verb,
		Params: []Var{{Name: "ctx", Type: "context.Context"}}, Results: []Var{{Type: "*" + event}, {Type: "error"}}, Zero: []Value{null},
		Steps: slices.Concat(begin, steps, []Step{ret(val("ev"), null)})}
}

// done plans the acknowledging of an event.
func done(d made) *Method {
	return &Method{Doc: Doc{Does: "acknowledges the event. A second " + d.m.Name + " does nothing", C: d.C, Page: d.Page},
		Recv: Var{Name: "e", Type: "*" + d.m.Recv}, Name: d.m.Name, Verb: d.Verb,
		Steps: []Step{If{as(IsGiven, "e"), []Step{Do{result("e.event.Done")}}}}}
}

// completionEvents plans the event of a completion channel, the waiting for one and its acknowledging.
func (b *builder) completionEvents(o *model.Object) []Decl {
	v, d, cq := b.byForm[form.NextEvent], b.byForm[form.DoneEvent], b.completionQueue()
	event := d.m.Recv
	return []Decl{
		&Struct{Name: event, Doc: Doc{Does: "is a completion event. It must be acknowledged with " + d.m.Name + "; until then its queue cannot be closed (syscall.EBUSY)", C: v.C, Page: v.Page}, Fields: []Var{
			{Name: "CQ", Type: "*" + cq.Go, Remark: "the queue with completions; ask it for the next event by ReqNotify, then poll it"},
			{Name: "event", Type: "events.Completion"}}},
		next(o, v, event, "waits for the next completion event. No thread is held while it waits; ctx ends the wait, and an event that comes then is kept for the next call. Close of the channel ends it with os.ErrClosed", nil,
			NextCompletion{cq.Go}),
		done(d),
	}
}

// completionQueue is the object that completion events are of.
func (b *builder) completionQueue() *model.Object { return b.byForm[form.DoneEvent].Params[0].Object }

// concerned are the objects of the package that asynchronous events concern, in the order of the page.
func (b *builder) concerned() (out []*model.Object) {
	if t := b.eventType(); t != nil {
		for _, x := range t.Events {
			if slices.Contains(b.pkg.Objects, x.Object) {
				out = append(out, x.Object)
			}
		}
	}
	return out
}

// eventType is the type of asynchronous events.
func (b *builder) eventType() *model.Enum {
	i := slices.IndexFunc(b.pkg.Enums, func(t *model.Enum) bool { return len(t.Events) > 0 })
	if i < 0 {
		return nil
	}
	return b.pkg.Enums[i]
}

// asyncEvents plans the asynchronous events of a device: their type, what each concerns, the waiting and the acknowledging.
func (b *builder) asyncEvents(o *model.Object) []Decl {
	v, d, t := b.byForm[form.NextAsync], b.byForm[form.DoneAsync], b.eventType()
	fields := []Var{{Name: "Type", Type: t.Go, Remark: "what happened"}}
	var names []string
	for _, x := range b.concerned() {
		names = append(names, x.Go)
		fields = append(fields, Var{Name: x.Go, Type: "*" + x.Go, Remark: fmt.Sprintf("of an event of one: the %s that it concerns; nil for one made by other code on the same device", x.Go)})
	}
	fields = append(fields, Var{Name: "Port", Type: "uint8", Remark: "of an event of a port: its number, from 1; otherwise 0"}, Var{Name: "event", Type: "events.Async", Gap: true})
	return []Decl{
		&Struct{Name: d.m.Recv, Fields: fields, Doc: Doc{C: pointee(d.Params[0].CType), Page: d.Page,
			Does: "is an event of a device, of one of its ports, or of an object made from it. It must be acknowledged with " + d.m.Name + "; until then the object that it concerns cannot be closed (syscall.EBUSY). An event of the device or a port keeps nothing open"}},
		Elements{Objects: names, Of: b.elements(t)},
		next(o, v, d.m.Recv, "waits for the next asynchronous event of the device. No thread is held while it waits; ctx ends the wait, and an event that comes then is kept for the next call. Close of the device ends it with os.ErrClosed. Each event goes to one caller. The descriptor of the events becomes non-blocking by the first call",
			[]string{"An event of an object that is being closed at this moment is given too, with the handle that is going; the Close does not wait for its Done.", "Since an object with an event that was not acknowledged is not closed (syscall.EBUSY), call Done when the event is dealt with, not when the program ends."},
			NextAsync{t.Go, names}),
		done(d),
	}
}

// elements are what the events concern, each value once.
func (b *builder) elements(t *model.Enum) (out []ElementOf) {
	of := map[string]string{} // event -> what it concerns
	for _, x := range t.Events {
		is := x.Of
		if x.Object != nil {
			is = x.Object.Go
		}
		for _, c := range x.Members {
			of[c] = is
		}
	}
	for _, m := range t.Members {
		if !m.Alias {
			out = append(out, ElementOf{m.Go, of[m.C]})
		}
	}
	return out
}
