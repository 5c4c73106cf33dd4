package dpath

// The verbs that give events.
const (
	verbAsync = "ibv_get_async_event"
	verbNext  = "ibv_get_cq_event"
)

// AsyncEvent is struct ibv_async_event. Type says which field of the C union element is valid.
type AsyncEvent struct {
	Type   uint32  // event_type, enum ibv_event_type
	Object uintptr // element.cq, qp, srq or wq, for an event of one
	Port   int     // element.port_num, for an event of a port
}
