package dpath

import "context"

// The verbs that give events.
const (
	verbAsync = "ibv_get_async_event"
	verbNext  = "ibv_get_cq_event"
)

// AsyncEvent has what struct ibv_async_event has. Type says which field of the C union element is valid.
type AsyncEvent struct {
	Type   uint32  // event_type, enum ibv_event_type
	Object uintptr // element.cq, qp, srq or wq, for an event of one
	Port   int     // element.port_num, for an event of a port
}

// Async waits for the asynchronous events of a device.
type Async = Events[AsyncEvent]

// Channel waits for the events of a completion channel; each is the address of a completion queue (struct ibv_cq *).
type Channel = Events[uintptr]

// source is a source of events: an *Events, except in tests.
type source[E any] interface {
	Next(ctx context.Context) (E, error)
	Ack(E)
}
