package events

import (
	"context"
	"sync/atomic"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/object"
)

// CompletionSource gives events of completion queues. It is a *dpath.Channel.
type CompletionSource interface {
	Next(ctx context.Context) (cq unsafe.Pointer, cqContext uintptr, err error)
	Ack(cq unsafe.Pointer, n int)
}

const (
	verbCompletion = "ibv_get_cq_event"
	heldCompletion = "an event of ibv_get_cq_event without its Done"
)

// Completion is an event of a completion queue, from when it is taken until Done.
type Completion struct {
	from CompletionSource
	c    unsafe.Pointer
	node *object.Node
	done atomic.Bool
}

// NextCompletion waits for the next event of a queue that is open, puts it into e, and gives the queue's handle, which is of
// type *Q in handles. An event of a queue that is being closed, or that other code made, is acknowledged and skipped.
func NextCompletion[Q any](ctx context.Context, e *Completion, from CompletionSource, handles *object.Index, node func(*Q) *object.Node) (*Q, error) {
	for {
		c, _, err := from.Next(ctx)
		if err != nil {
			return nil, err
		}
		q, _ := handles.Find(uintptr(c)).(*Q)
		if q != nil && node(q).Hold(verbCompletion, heldCompletion) == nil {
			e.from, e.c, e.node = from, c, node(q)
			return q, nil
		}
		from.Ack(c, 1) // its queue is being closed, and waits for this
	}
}

// Done acknowledges the event, from when on its queue can be closed. A second Done does nothing.
func (e *Completion) Done() {
	if e.from == nil || e.done.Swap(true) {
		return
	}
	e.from.Ack(e.c, 1)
	e.node.Release()
}
