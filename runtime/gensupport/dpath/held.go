package dpath

import (
	"context"
	"sync/atomic"
	"unsafe"

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

// asyncSource is a source of asynchronous events: an *Async, except in tests.
type asyncSource interface {
	Next(ctx context.Context) (AsyncEvent, error)
	Ack(AsyncEvent)
}

// HeldAsyncEvent is an asynchronous event that was received and is not yet acknowledged.
type HeldAsyncEvent struct {
	Type uint32 // enum ibv_event_type
	Port uint8  // number of the port, from 1, for an event of a port; otherwise 0

	from asyncSource
	raw  AsyncEvent
	node *object.Node // held until Done
	done *atomic.Bool // also of copies of the event
}

// Next waits for the next event and stores it in e. elements says what each type of event concerns. For an event of an
// object, find returns the node of the handle whose C object has the address, or nil.
//
// The object stays open until Done. An event of no object, of an object without a handle, or of an object that is being
// closed is acknowledged here, since its closing waits for that. The errors are those of from.
func (e *HeldAsyncEvent) Next(ctx context.Context, from asyncSource, elements map[uint32]Element,
	find func(element Element, object uintptr) *object.Node) error {
	raw, err := from.Next(ctx)
	if err != nil {
		return err
	}
	e.Type, e.from, e.raw, e.done = raw.Type, from, raw, new(atomic.Bool)
	switch element := elements[raw.Type]; element {
	case OfPort:
		e.Port = uint8(raw.Port)
	case OfNothing:
	default:
		e.node = find(element, raw.Object)
	}
	if e.node == nil || e.node.Hold(verbAsync, withoutDone(verbAsync)) != nil {
		e.done.Store(true)
		from.Ack(raw)
	}
	return nil
}

// Done acknowledges the event. Only then can its object be closed. A second Done does nothing, also of a copy.
func (e *HeldAsyncEvent) Done() {
	if e.from == nil || e.done.Swap(true) {
		return
	}
	e.from.Ack(e.raw)
	e.node.Release()
}

// cqSource is a source of the events of completion queues: a *Channel, except in tests.
type cqSource interface {
	Next(ctx context.Context) (cq unsafe.Pointer, cqContext uintptr, err error)
	Ack(cq unsafe.Pointer, n int)
}

// HeldCQEvent is an event of a completion queue that was received and is not yet acknowledged.
type HeldCQEvent struct {
	from cqSource
	c    unsafe.Pointer
	held *object.Handle // until Done
	done *atomic.Bool   // also of copies of the event
}

// NextCQEvent waits for the next event of an open completion queue, stores it in e, and returns the handle of the
// queue, which has type *Q in handles. It acknowledges and skips events of queues that are being closed or were made by
// other code. The errors are those of from.
func NextCQEvent[Q any](ctx context.Context, e *HeldCQEvent, from cqSource, handles *object.Index,
	handle func(*Q) *object.Handle) (*Q, error) {
	for {
		c, _, err := from.Next(ctx)
		if err != nil {
			return nil, err
		}
		q, _ := handles.Find(uintptr(c)).(*Q)
		if q != nil && handle(q).Hold(verbNext, withoutDone(verbNext)) == nil {
			e.from, e.c, e.held, e.done = from, c, handle(q), new(atomic.Bool)
			return q, nil
		}
		from.Ack(c, 1) // its queue is being closed, and waits for this
	}
}

// Done acknowledges the event. Only then can the queue be closed. A second Done does nothing, also of a copy.
func (e *HeldCQEvent) Done() {
	if e.from == nil || e.done.Swap(true) {
		return
	}
	e.from.Ack(e.c, 1)
	e.held.Release()
}

// withoutDone names an event of a verb that holds a handle.
func withoutDone(verb string) string { return "an event of " + verb + " without its Done" }
