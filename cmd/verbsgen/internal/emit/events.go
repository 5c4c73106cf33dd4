package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/verbsgen/verbsgen/cmd/verbsgen/internal/model"
)

// What an asynchronous event concerns when it is no object.
const (
	ofDevice = "device"
	ofPort   = "port"
)

// elements tells what each asynchronous event concerns: an object, by its C type, a port or the device.
var elements = map[string]string{
	"IBV_EVENT_CQ_ERR": "ibv_cq", "IBV_EVENT_QP_FATAL": "ibv_qp", "IBV_EVENT_QP_REQ_ERR": "ibv_qp", "IBV_EVENT_QP_ACCESS_ERR": "ibv_qp",
	"IBV_EVENT_COMM_EST": "ibv_qp", "IBV_EVENT_SQ_DRAINED": "ibv_qp", "IBV_EVENT_PATH_MIG": "ibv_qp", "IBV_EVENT_PATH_MIG_ERR": "ibv_qp",
	"IBV_EVENT_QP_LAST_WQE_REACHED": "ibv_qp", "IBV_EVENT_SRQ_ERR": "ibv_srq", "IBV_EVENT_SRQ_LIMIT_REACHED": "ibv_srq",
	"IBV_EVENT_WQ_FATAL": "ibv_wq", "IBV_EVENT_DEVICE_FATAL": ofDevice, "IBV_EVENT_DEVICE_SPEED_CHANGE": ofDevice,
	"IBV_EVENT_PORT_ACTIVE": ofPort, "IBV_EVENT_PORT_ERR": ofPort, "IBV_EVENT_LID_CHANGE": ofPort, "IBV_EVENT_PKEY_CHANGE": ofPort,
	"IBV_EVENT_SM_CHANGE": ofPort, "IBV_EVENT_CLIENT_REREGISTER": ofPort, "IBV_EVENT_GID_CHANGE": ofPort,
}

// elementTypes are the C types of elements, in the order of the fields of AsyncEvent.
var elementTypes = []string{"ibv_qp", "ibv_cq", "ibv_srq", "ibv_wq"}

func (e *emitter) hasAsync() bool { return e.byVerb["ibv_get_async_event"] != nil }

// listens tells whether events arrive on an object.
func (e *emitter) listens(o *model.Object) bool {
	return o.Events || o.Go == e.root() && e.hasAsync()
}

// indexed tells whether events name an object by its C address.
func (e *emitter) indexed(o *model.Object) bool {
	return e.hasAsync() && slices.Contains(elementTypes, o.C) || o.C == "ibv_cq" && e.byVerb["ibv_get_cq_event"] != nil
}

// eventFields are what a handle keeps for events.
func (e *emitter) eventFields(o *model.Object) string {
	var b strings.Builder
	if o.Go == e.root() && slices.ContainsFunc(e.pkg.Objects, e.indexed) {
		b.WriteString("handles object.Index // that events name, by the address of the C object\n")
	}
	if e.listens(o) {
		t := "Channel"
		if !o.Events {
			t = "Async"
		}
		fmt.Fprintf(&b, "listening sync.Mutex // guards events\nevents *dpath.%s // nil until somebody waits\n", t)
	}
	return b.String()
}

// beforeAdopt makes a handle known to events, before anybody else can close it.
func (e *emitter) beforeAdopt(o *model.Object) string {
	if e.indexed(o) {
		return "o.dev.handles.Add(uintptr(o.c), o)\n"
	}
	return ""
}

// eventsOf writes the waiting for events.
func (e *emitter) eventsOf(g *goFile) {
	for _, o := range e.pkg.Objects {
		switch {
		case !e.listens(o):
		case o.Events:
			e.listen(g, o, "Channel", "ibv_get_cq_event", "ibv_ack_cq_events")
			e.completionEvents(g)
		default:
			e.listen(g, o, "Async", "ibv_get_async_event", "ibv_ack_async_event")
			e.asyncEvents(g)
		}
	}
}

// listen writes how an object's descriptor becomes one that Go's poller waits on, and how that ends.
func (e *emitter) listen(g *goFile, o *model.Object, kind, get, ack string) {
	missing := e.missingCheck(e.byVerb[get], "o.lib", "return nil, ") + e.missingCheck(e.byVerb[ack], "o.lib", "return nil, ")
	g.add(`
// listen makes the descriptor of the events one that Go's poller waits on. It does so once, and holds the handle no longer.
func (o *%[1]s) listen(verb string) (*dpath.%[2]s, error) {
	if err := o.enter(verb); err != nil {
		return nil, err
	}
	defer o.node.Exit()
	%[3]so.listening.Lock()
	defer o.listening.Unlock()
	if o.events != nil {
		return o.events, nil
	}
	events, err := dpath.New%[2]s(o.c, o.lib.fn[symI%[4]s], o.lib.fn[symI%[5]s])
	if err == nil {
		o.events = events
	}
	return events, err
}

// unlisten ends all waiting for events, before the C object goes. Should that stay, listen begins anew.
func (o *%[1]s) unlisten() {
	o.listening.Lock()
	defer o.listening.Unlock()
	if o.events != nil {
		o.events.Close()
		o.events = nil
	}
}`, o.Go, kind, missing, get[1:], ack[1:])
}

// completionEvents writes CompChannel.Next.
func (e *emitter) completionEvents(g *goFile) {
	v := e.byVerb["ibv_get_cq_event"]
	g.add("%s", doc("CQEvent", "is a completion event. It is acknowledged by Done; until then its queue cannot be closed (syscall.EBUSY)", v.C, v.Page)+`
type CQEvent struct {
	CQ   *CQ // the queue with completions; ask it for the next event by ReqNotify, then poll it
	from *dpath.Channel
	c    unsafe.Pointer
	done atomic.Bool
}`)
	g.add("%s", doc("Next", "waits for the next completion event. No thread is held while it waits; ctx ends the wait, and an event that comes then is kept for the next call. Close of the channel ends it with os.ErrClosed", v.C, v.Page)+`
func (o *CompChannel) Next(ctx context.Context) (*CQEvent, error) {
	const verb = "ibv_get_cq_event"
	events, err := o.listen(verb)
	if err != nil {
		return nil, err
	}
	for {
		c, _, err := events.Next(ctx)
		if err != nil {
			return nil, err
		}
		cq, _ := o.dev.handles.Find(uintptr(c)).(*CQ)
		if cq != nil && cq.node.Hold(verb, eventOfCQ) == nil {
			return &CQEvent{CQ: cq, from: events, c: c}, nil
		}
		events.Ack(c, 1) // its queue is being closed, and waits for this
	}
}

const eventOfCQ = "an event of ibv_get_cq_event without its Done"

// Done acknowledges the event. A second Done does nothing.
//
// C: ibv_ack_cq_events, ibv_get_cq_event(3).
func (e *CQEvent) Done() {
	if e == nil || e.from == nil || e.done.Swap(true) {
		return
	}
	e.from.Ack(e.c, 1)
	e.CQ.node.Release()
}`)
}

// asyncEvents writes Device.NextEvent.
func (e *emitter) asyncEvents(g *goFile) {
	v := e.byVerb["ibv_get_async_event"]
	var fields, cases strings.Builder
	for _, c := range elementTypes {
		for _, o := range e.pkg.Objects {
			if types := e.eventTypes(c); o.C == c && types != "" {
				fmt.Fprintf(&fields, "%[1]s *%[1]s // of an event of one: the %[1]s that it concerns; nil for one made by other code on the same device\n", o.Go)
				fmt.Fprintf(&cases, "case %[2]s:\nif ev.%[1]s, _ = o.handles.Find(raw.Object).(*%[1]s); ev.%[1]s != nil {\nev.node = &ev.%[1]s.node\n}\n", o.Go, types)
			}
		}
	}
	if types := e.eventTypes(""); types != "" {
		fmt.Fprintf(&cases, "case %s:\n", types)
	}
	g.add("%s\ntype AsyncEvent struct {\nType EventType\n%sPort uint8 // of an event of a port: its number, from 1; otherwise 0\n\nfrom *dpath.Async\nraw dpath.AsyncEvent\nnode *object.Node // held until Done\ndone atomic.Bool\n}",
		doc("AsyncEvent", "is an event of a device, of one of its ports, or of an object made from it. It is acknowledged by Done; until then the object that it concerns cannot be closed (syscall.EBUSY). An event of the device or a port holds nothing", "struct ibv_async_event", v.Page), fields.String())
	g.add("%s", doc("NextEvent", "waits for the next asynchronous event of the device. No thread is held while it waits; ctx ends the wait, and an event that comes then is kept for the next call. Close of the device ends it with os.ErrClosed. Each event goes to one caller. The descriptor of the events becomes non-blocking by the first call",
		v.C, v.Page, "An event of an object that is being closed at this moment is given too, with the handle that is going; the Close does not wait for its Done.", "Since an object with an event that was not acknowledged is not closed (syscall.EBUSY), call Done when the event is dealt with, not when the program ends.")+`
func (o *`+e.root()+`) NextEvent(ctx context.Context) (*AsyncEvent, error) {
	const verb = "ibv_get_async_event"
	events, err := o.listen(verb)
	if err != nil {
		return nil, err
	}
	raw, err := events.Next(ctx)
	if err != nil {
		return nil, err
	}
	ev := &AsyncEvent{Type: EventType(raw.Type), from: events, raw: raw}
	switch ev.Type {
	`+cases.String()+`default:
		ev.Port = uint8(raw.Port)
	}
	if ev.node == nil || ev.node.Hold(verb, eventOfObject) != nil {
		ev.done.Store(true) // nothing to hold: the Close of an object waits for this
		events.Ack(raw)
	}
	return ev, nil
}

const eventOfObject = "an event of ibv_get_async_event without its Done"

// Done acknowledges the event. A second Done does nothing.
//
// C: ibv_ack_async_event, ibv_get_async_event(3).
func (e *AsyncEvent) Done() {
	if e == nil || e.from == nil || e.done.Swap(true) {
		return
	}
	e.from.Ack(e.raw)
	e.node.Release()
}`)
}

// eventTypes lists the constants of the events that concern a C type; without one, those that concern neither an object of
// this package nor a port.
func (e *emitter) eventTypes(c string) string {
	bound := func(c string) bool {
		return slices.ContainsFunc(e.pkg.Objects, func(o *model.Object) bool { return o.C == c })
	}
	var out []string
	for _, t := range e.pkg.Enums {
		if t.Go != "EventType" {
			continue
		}
		for _, m := range t.Members {
			of := elements[m.C]
			if of != ofPort && (of == c || c == "" && !bound(of)) {
				out = append(out, m.Go)
			}
		}
	}
	return strings.Join(out, ", ")
}
