package dpath

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/object"
)

var errEnd = errors.New("no more events")

// queue is a handle as a generated package has it.
type queue struct{ node object.Handle }

func (q *queue) Close() error { return q.node.Close() }

func handleOf(q *queue) *object.Handle {
	if q == nil {
		return object.Nil("CQ", "ibv_destroy_cq")
	}
	return &q.node
}

func newQueue(t *testing.T, handles *object.Index, c unsafe.Pointer) *queue {
	t.Helper()
	q := new(queue)
	q.node.Make(q, "CQ", object.Origin{}, c, "ibv_destroy_cq", func() error { return nil })
	check(t, q.node.Adopt())
	handles.Add(uintptr(c), q)
	t.Cleanup(func() { _ = q.Close() })
	return q
}

// wantHeld is called by an acknowledgement of an event of q: a Close cannot go on before it, for the acknowledgement uses the queue.
func wantHeld(t *testing.T, q *queue) {
	t.Helper()
	if err := q.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close while the event is acknowledged: %v", err)
	}
}

// channel gives the events of a list and counts the acknowledged ones.
type channel[E comparable] struct {
	events []E
	acked  map[E]int
	onAck  func()
}

func (c *channel[E]) Next(context.Context) (first E, err error) {
	if len(c.events) == 0 {
		return first, errEnd
	}
	first, c.events = c.events[0], c.events[1:]
	return first, nil
}

func (c *channel[E]) Ack(e E) {
	if c.acked == nil {
		c.acked = map[E]int{}
	}
	if c.onAck != nil {
		c.onAck()
	}
	c.acked[e]++
}

// TestNextCQEvent skips the events of a closed queue and of one without a handle, and holds the one that it gives.
func TestNextCQEvent(t *testing.T) {
	var handles object.Index
	var c [3]byte
	open, closed, foreign := uintptr(unsafe.Pointer(&c[0])), uintptr(unsafe.Pointer(&c[1])), uintptr(unsafe.Pointer(&c[2]))
	q := newQueue(t, &handles, unsafe.Pointer(&c[0]))
	check(t, newQueue(t, &handles, unsafe.Pointer(&c[1])).Close())
	from := &channel[uintptr]{events: []uintptr{closed, foreign, open}}
	var e HeldCQEvent
	got, err := NextCQEvent(t.Context(), &e, from, &handles, handleOf)
	if err != nil || got != q {
		t.Fatalf("NextCQEvent: %v, %v", got, err)
	}
	if from.acked[closed] != 1 || from.acked[foreign] != 1 || from.acked[open] != 0 {
		t.Errorf("acknowledged %v", from.acked)
	}
	if err := q.Close(); !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "an event of ibv_get_cq_event without its Done") {
		t.Errorf("Close before Done: %v", err)
	}
	from.onAck = func() { wantHeld(t, q) }
	copied := e
	e.Done()
	e.Done()
	copied.Done()
	if from.acked[open] != 1 {
		t.Errorf("the event is acknowledged %d times", from.acked[open])
	}
	check(t, q.Close())
	if _, err := NextCQEvent(t.Context(), new(HeldCQEvent), from, &handles, handleOf); !errors.Is(err, errEnd) {
		t.Errorf("the error of the channel: %v", err)
	}
	new(HeldCQEvent).Done() // of no event
}
