package events

import (
	"context"
	"sync/atomic"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
)

// Element is what an asynchronous event concerns: a port, nothing that has a handle, or an object of a type that the
// generated package numbers.
type Element uint8

// The elements that are no objects. The zero value is a port: a type of event that is not in the table is taken for one of a
// port, as most are.
const (
	Port    Element = iota
	Nothing         // the device, or an object of a type without handles
	Object          // the first number of an object's type
)

// AsyncSource is a source of asynchronous events: a *dpath.Async.
type AsyncSource interface {
	Next(ctx context.Context) (dpath.AsyncEvent, error)
	Ack(dpath.AsyncEvent)
}

const (
	verbAsync = "ibv_get_async_event"
	heldAsync = "an event of ibv_get_async_event without its Done"
)

// Async is an asynchronous event that was received and is not yet acknowledged.
type Async struct {
	Type uint32 // enum ibv_event_type
	Port uint8  // number of the port, from 1, for an event of a port; otherwise 0

	from AsyncSource
	raw  dpath.AsyncEvent
	node *object.Node // held until Done
	done *atomic.Bool // also of copies of the event
}

// Next waits for the next event and stores it in e. elements says what each type of event concerns. For an event of an
// object, find returns the node of the handle whose C object has the address, or nil.
//
// The object stays open until Done. An event of no object, of an object without a handle, or of an object that is being
// closed is acknowledged here, since its closing waits for that. The errors are those of from.
func (e *Async) Next(ctx context.Context, from AsyncSource, elements map[uint32]Element,
	find func(element Element, object uintptr) *object.Node) error {
	raw, err := from.Next(ctx)
	if err != nil {
		return err
	}
	e.Type, e.from, e.raw, e.done = raw.Type, from, raw, new(atomic.Bool)
	switch element := elements[raw.Type]; element {
	case Port:
		e.Port = uint8(raw.Port)
	case Nothing:
	default:
		e.node = find(element, raw.Object)
	}
	if e.node == nil || e.node.Hold(verbAsync, heldAsync) != nil {
		e.done.Store(true)
		from.Ack(raw)
	}
	return nil
}

// Done acknowledges the event. Only then can its object be closed. A second Done does nothing, also of a copy.
func (e *Async) Done() {
	if e.from == nil || e.done.Swap(true) {
		return
	}
	e.from.Ack(e.raw)
	e.node.Release()
}
