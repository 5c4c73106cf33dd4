//go:build linux && cgo

package device

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// slack is how long what must come may take: the machine is shared, and emulated.
const slack = 10 * time.Second

// event takes the next asynchronous event.
func event(t *testing.T, dev *verbs.Device, limit time.Duration) (*verbs.AsyncEvent, error) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return dev.NextEvent(ctx)
}

// TestDrainedEvent moves a queue pair to SQD, and asks for the event that its send queue is drained.
func TestDrainedEvent(t *testing.T) {
	b := open(t)
	if !strings.HasPrefix(b.name, "rxe") {
		t.Skipf("the driver of mlx5 has no SQD; this is %s", b.name)
	}
	near, _, err := link.Default().Between(b.dev, b.dev)
	if err != nil {
		t.Fatal(err)
	}
	if err := near.QP.Modify(verbs.NewQPAttr(verbs.QPStateSQD).EnSQDAsyncNotify(true)); err != nil {
		t.Fatal(err)
	}
	ev := must(event(t, b.dev, slack))(t)
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
