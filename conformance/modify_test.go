//go:build linux

package conformance

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestDraining stops a queue pair while a request is under way, which waits for a receive: until it has ended the queue
// pair can only be given up.
func TestDraining(t *testing.T) {
	c := link.Default()
	c.RNRRetry = 7
	dev := open(t).dev
	a, _ := c.Connected(t, dev, dev)
	a.Post(t, func(w verbs.SendWR) { w.Send(1) })
	qp := a.QP
	var err error
	for range 1000 { // a request that has not begun does not stop it
		if err := qp.Modify(verbs.NewQPAttr(verbs.QPStateSQD)); err != nil {
			t.Fatal(err)
		}
		if err = qp.Modify(verbs.NewQPAttr(verbs.QPStateRTS)); err != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if !errors.Is(err, syscall.EINVAL) {
		t.Errorf("RTS while a request is under way: %v", err)
	}
	if err := qp.Modify(verbs.NewQPAttr(verbs.QPStateErr)); err != nil {
		t.Errorf("ERR while a request is under way: %v", err)
	}
}
