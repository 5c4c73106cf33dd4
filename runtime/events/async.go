package events

import (
	"context"
	"sync/atomic"

	"github.com/verbsgen/verbsgen/runtime/dpath"
	"github.com/verbsgen/verbsgen/runtime/object"
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

// AsyncSource gives asynchronous events. It is a *dpath.Async.
type AsyncSource interface {
	Next(ctx context.Context) (dpath.AsyncEvent, error)
	Ack(dpath.AsyncEvent)
}

const (
	verbAsync = "ibv_get_async_event"
	heldAsync = "an event of ibv_get_async_event without its Done"
)

// Async is an asynchronous event, from when it is taken until Done.
type Async struct {
	Type uint32 // enum ibv_event_type
	Port uint8  // of an event of a port: its number, from 1; otherwise 0

	from AsyncSource
	raw  dpath.AsyncEvent
	node *object.Node // held until Done
	done atomic.Bool
}

// Next waits for the next event and fills e. elements gives what each type of event concerns. For an event of an object,
// find gives the node of the handle for the C object at an address, nil when there is none.
//
// The object is held until Done. An event that holds nothing, because it concerns no object, one without a handle, or one
// that is being closed, is acknowledged here: the closing waits for that.
func (e *Async) Next(ctx context.Context, from AsyncSource, elements map[uint32]Element, find func(element Element, object uintptr) *object.Node) error {
	raw, err := from.Next(ctx)
	if err != nil {
		return err
	}
	e.Type, e.from, e.raw = raw.Type, from, raw
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

// Done acknowledges the event, from when on its object can be closed. A second Done does nothing.
func (e *Async) Done() {
	if e.from == nil || e.done.Swap(true) {
		return
	}
	e.from.Ack(e.raw)
	e.node.Release()
}
