package events

import (
	"context"
	"sync/atomic"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
)

// CompletionSource is a source of completion events: a *dpath.Channel.
type CompletionSource interface {
	Next(ctx context.Context) (cq unsafe.Pointer, cqContext uintptr, err error)
	Ack(cq unsafe.Pointer, n int)
}

const (
	verbCompletion = "ibv_get_cq_event"
	heldCompletion = "an event of ibv_get_cq_event without its Done"
)

// Completion is an event of a completion queue that was received and is not yet acknowledged.
type Completion struct {
	from CompletionSource
	c    unsafe.Pointer
	held *object.Handle // until Done
	done *atomic.Bool   // also of copies of the event
}

// NextCompletion waits for the next event of an open completion queue, stores it in e, and returns the handle of the
// queue, which has type *Q in handles. It acknowledges and skips events of queues that are being closed or were made by
// other code. The errors are those of from.
func NextCompletion[Q any](ctx context.Context, e *Completion, from CompletionSource, handles *object.Index,
	handle func(*Q) *object.Handle) (*Q, error) {
	for {
		c, _, err := from.Next(ctx)
		if err != nil {
			return nil, err
		}
		q, _ := handles.Find(uintptr(c)).(*Q)
		if q != nil && handle(q).Hold(verbCompletion, heldCompletion) == nil {
			e.from, e.c, e.held, e.done = from, c, handle(q), new(atomic.Bool)
			return q, nil
		}
		from.Ack(c, 1) // its queue is being closed, and waits for this
	}
}

// Done acknowledges the event. Only then can the queue be closed. A second Done does nothing, also of a copy.
func (e *Completion) Done() {
	if e.from == nil || e.done.Swap(true) {
		return
	}
	e.from.Ack(e.c, 1)
	e.held.Release()
}
