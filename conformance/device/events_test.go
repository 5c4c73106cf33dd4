//go:build linux && cgo

package device

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// event takes the next asynchronous event.
func event(t *testing.T, dev *verbs.Device, limit time.Duration) (*verbs.AsyncEvent, error) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return dev.NextEvent(ctx)
}

// TestOverflowEvent completes more than a queue has room for: an event names the queue, which is not closed before Done.
func TestOverflowEvent(t *testing.T) {
	w := openWire(t)
	c := link.Default()
	c.CQE = 4
	near, far, err := c.Pair(must(link.First(w.devs[0]))(t), must(link.First(w.devs[1]))(t))
	if err != nil {
		t.Fatal(err)
	}
	const writes = 16
	if near.CQ.Size() >= writes {
		t.Skipf("the queue has room for %d completions, %d are to overflow it", near.CQ.Size(), writes)
	}
	b := must(verbs.NewSendBatch(writes, 1))(t)
	defer b.Close()
	to := memoryOf(far)
	for i := range writes {
		b.WR(i).Write(uint64(i), to.Addr, to.RKey).Add(near.MR.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
	}
	if n, err := near.QP.PostSend(b, writes); err != nil {
		t.Fatal(n, err)
	}
	ev := must(event(t, w.devs[0], slack))(t)
	if ev.Type != verbs.EventTypeCQErr || ev.CQ != near.CQ || ev.QP != nil || ev.Port != 0 {
		t.Errorf("%v of CQ %v, QP %v, port %d", ev.Type, ev.CQ, ev.QP, ev.Port)
	}
	if err := near.QP.Close(); err != nil {
		t.Fatal(err)
	}
	if err := near.CQ.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close before Done: %v", err)
	}
	ev.Done()
	if err := near.CQ.Close(); err != nil {
		t.Errorf("Close after Done, with events that nobody took: %v", err)
	}
	if _, err := event(t, w.devs[0], 100*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an event of a queue that is gone: %v", err)
	}
}

// TestDrainedEvent moves a queue pair to SQD, and asks for the event that its send queue is drained.
func TestDrainedEvent(t *testing.T) {
	w := openWire(t)
	near, far := w.pair(t, link.Usual)
	if wc := write(t, near, memoryOf(far), slack); wc.Err() != nil {
		t.Fatal(wc.Err())
	}
	if err := near.QP.Modify(verbs.NewQPAttr(verbs.QPStateSQD).EnSQDAsyncNotify(true)); err != nil {
		t.Fatal(err)
	}
	ev := must(event(t, w.devs[0], slack))(t)
	if ev.Type != verbs.EventTypeSQDrained || ev.QP != near.QP || ev.CQ != nil || ev.Port != 0 {
		t.Errorf("%v of QP %v, CQ %v, port %d", ev.Type, ev.QP, ev.CQ, ev.Port)
	}
	if err := near.QP.Close(); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("Close before Done: %v", err)
	}
	ev.Done()
	if err := near.QP.Close(); err != nil {
		t.Errorf("Close after Done: %v", err)
	}
}

// TestEventsClosed closes the device under a goroutine that waits for its events.
func TestEventsClosed(t *testing.T) {
	b := open(t)
	ended := make(chan error)
	go func() {
		_, err := event(t, b.dev, 3*slack)
		ended <- err
	}()
	time.Sleep(50 * time.Millisecond) // most likely it waits by now; it works either way
	if _, err := event(t, b.dev, 20*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("without an event: %v", err)
	}
	if err := b.dev.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, os.ErrClosed) {
		t.Errorf("waiting: %v", err)
	}
	if _, err := event(t, b.dev, slack); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
