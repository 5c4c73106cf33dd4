//go:build ignore

//verbsgen:face int ibv_get_async_event(struct ibv_context *, struct ibv_async_event *)
//verbsgen:runtime
//verbsgen:kept kept by the handles: each event is acknowledged exactly once
//verbsgen:face void ibv_ack_async_event(struct ibv_async_event *)
//verbsgen:runtime
//verbsgen:kept kept by the handles: each event is acknowledged exactly once
//verbsgen:needs QP CQ SRQ WQ
//verbsgen:waits Device *dpath.Async
//verbsgen:finds QP CQ SRQ WQ

package verbs

import (
	"context"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
)

// listen lets Go's poller wait on the descriptor of the events, once; afterwards it no longer holds the handle.
func (dev *Device) listen(verb string) (*dpath.Async, error) {
	if err := dev.base().Enter(verb); err != nil {
		return nil, err
	}
	defer dev.h.Exit()
	return dev.waiting.Listen(func() (*dpath.Async, error) {
		return dpath.NewAsync(dev.h.C, dev.lib.fn[symIbv_get_async_event], dev.lib.fn[symIbv_ack_async_event])
	})
}

// AsyncEvent is an event of a device, of one of its ports, or of an object made from it. Acknowledge each event with Done; before that,
// the object of the event cannot be closed (syscall.EBUSY). An event of the device or a port keeps nothing open.
//
// C: struct ibv_async_event, ibv_get_async_event(3).
type AsyncEvent struct {
	Type EventType // what happened
	QP   *QP       // the QP of an event of a QP; nil if other code on the same device made the QP
	CQ   *CQ       // the CQ of an event of a CQ; nil if other code on the same device made the CQ
	SRQ  *SRQ      // the SRQ of an event of an SRQ; nil if other code on the same device made the SRQ
	WQ   *WQ       // the WQ of an event of a WQ; nil if other code on the same device made the WQ
	Port uint8     // the number of the port, from 1, of an event of a port; otherwise 0

	event dpath.HeldAsyncEvent
}

// NextEvent waits for the next asynchronous event of the device. It blocks no thread. When ctx ends, NextEvent returns the error of ctx; a
// later event is kept for the next call. When the device is closed, NextEvent returns os.ErrClosed. Each event goes to one caller. The
// first call makes the file descriptor of the events non-blocking.
//
// NextEvent also returns an event of an object that is just being closed, with the object's handle. Close of the object does not wait for
// Done of that event.
//
// An object with an unacknowledged event cannot be closed (syscall.EBUSY). Therefore call Done when the event is dealt with, not when the
// program ends.
//
// C: ibv_get_async_event, ibv_get_async_event(3).
func (dev *Device) NextEvent(ctx context.Context) (*AsyncEvent, error) {
	const verb = "ibv_get_async_event"
	from, err := dev.listen(verb)
	if err != nil {
		return nil, err
	}
	ev := new(AsyncEvent)
	if err := ev.event.Next(ctx, from, asyncElements, func(element dpath.Element, at uintptr) *object.Node {
		switch found := dev.handles.Find(at); element {
		case elementQP:
			ev.QP, _ = found.(*QP)
			return ev.QP.base().Optional()
		case elementCQ:
			ev.CQ, _ = found.(*CQ)
			return ev.CQ.base().Optional()
		case elementSRQ:
			ev.SRQ, _ = found.(*SRQ)
			return ev.SRQ.base().Optional()
		case elementWQ:
			ev.WQ, _ = found.(*WQ)
			return ev.WQ.base().Optional()
		}
		return nil
	}); err != nil {
		return nil, dev.removed(err)
	}
	ev.Type, ev.Port = EventType(ev.event.Type), ev.event.Port
	if ev.Type == EventTypeCQErr {
		ev.CQ.base().Fail(fail.ErrnoOverrun)
	}
	return ev, nil
}

// Done acknowledges the event. A second Done does nothing.
//
// C: ibv_ack_async_event, ibv_get_async_event(3).
func (e *AsyncEvent) Done() {
	if e != nil {
		e.event.Done()
	}
}
