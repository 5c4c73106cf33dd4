package dpath

import (
	"context"
	"sync/atomic"

	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
)

// Element is what an asynchronous event concerns: a port, nothing that has a handle, or an object of a type that the
// generated package numbers.
type Element uint8

// The elements that are no objects. The zero value is a port: a type of event that is not in the table is taken for one of a
// port, as most are.
const (
	OfPort    Element = iota
	OfNothing         // the device, or an object of a type without handles
	OfObject          // the first number of an object's type
)

// heldEvent is an event that was received and is not yet acknowledged.
type heldEvent[E any] struct {
	from source[E]
	raw  E
	node *object.Node // held until Done
	done *atomic.Bool // also of copies of the event
}

// keep holds the object of an event, and reports whether it could.
func (e *heldEvent[E]) keep(from source[E], raw E, node *object.Node, verb string) bool {
	if node == nil || node.Hold(verb, "an event of "+verb+" without its Done") != nil {
		return false
	}
	*e = heldEvent[E]{from, raw, node, new(atomic.Bool)}
	return true
}

// Done acknowledges the event. Only then can its object be closed. A second Done does nothing, also of a copy.
func (e *heldEvent[E]) Done() {
	if e.from == nil || e.done.Swap(true) {
		return
	}
	e.from.Ack(e.raw)
	e.node.Release()
}

// HeldAsyncEvent is an asynchronous event that was received and is not yet acknowledged.
type HeldAsyncEvent struct {
	Type uint32 // enum ibv_event_type
	Port uint8  // number of the port, from 1, for an event of a port; otherwise 0
	heldEvent[AsyncEvent]
}

// Next waits for the next event and stores it in e. elements says what each type of event concerns. For an event of an
// object, find returns the node of the handle whose C object has the address, or nil.
//
// The object stays open until Done. An event of no object, of an object without a handle, or of an object that is being
// closed is acknowledged here, since its closing waits for that. The errors are those of from.
func (e *HeldAsyncEvent) Next(ctx context.Context, from source[AsyncEvent], elements map[uint32]Element,
	find func(element Element, object uintptr) *object.Node) error {
	raw, err := from.Next(ctx)
	if err != nil {
		return err
	}
	e.Type = raw.Type
	var node *object.Node
	switch element := elements[raw.Type]; element {
	case OfPort:
		e.Port = uint8(raw.Port)
	case OfNothing:
	default:
		node = find(element, raw.Object)
	}
	if !e.keep(from, raw, node, verbAsync) {
		from.Ack(raw)
	}
	return nil
}

// HeldCQEvent is an event of a completion queue that was received and is not yet acknowledged.
type HeldCQEvent struct{ heldEvent[uintptr] }

// NextCQEvent waits for the next event of an open completion queue, stores it in e, and returns the handle of the
// queue, which has type *Q in handles. It acknowledges and skips events of queues that are being closed or were made by
// other code. The errors are those of from.
func NextCQEvent[Q any](ctx context.Context, e *HeldCQEvent, from source[uintptr], handles *object.Index,
	handle func(*Q) *object.Handle) (*Q, error) {
	for {
		cq, err := from.Next(ctx)
		if err != nil {
			return nil, err
		}
		if q, _ := handles.Find(cq).(*Q); q != nil && e.keep(from, cq, handle(q).Optional(), verbNext) {
			return q, nil
		}
		from.Ack(cq) // its queue is being closed, and waits for this
	}
}
