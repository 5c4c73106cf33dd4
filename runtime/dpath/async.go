package dpath

// AsyncEvent is struct ibv_async_event. The union of its elements is shown as both: what it concerns depends on Type.
type AsyncEvent struct {
	Type   uint32  // event_type, enum ibv_event_type
	Object uintptr // element.cq, qp, srq or wq, for an event of one
	Port   int     // element.port_num, for an event of a port
}
