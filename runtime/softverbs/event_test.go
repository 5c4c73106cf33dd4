//go:build linux && cgo

package softverbs_test

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

// readable is what poll says about a descriptor at this moment.
func readable(t *testing.T, fd int) bool {
	t.Helper()
	p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(p, 0)
		if err == nil {
			return n == 1
		}
		if err != syscall.EINTR {
			t.Fatal(err)
		}
	}
}

func TestDestroyCQWaitsForAcks(t *testing.T) {
	b := open(t)
	ch := b.must(b.lib.CreateChannel(b.ctx))
	x := b.end(0, plan{typ: rc})
	cq := b.must(b.lib.CreateCQ(b.ctx, 15, 0, ch, 0))
	other := b.must(b.lib.CreateCQ(b.ctx, 15, 0, ch, 0))
	qp, _, err := b.lib.CreateQP(b.pd, harness.QPInit{SendCQ: other, RecvCQ: cq, Cap: harness.Caps5{SendWR: 1, RecvWR: 3}, Type: rc})
	b.must(qp, err)
	b.ok(b.lib.Notify(cq, true))
	a := x.attr(plan{typ: rc}, x)
	a.State = sInit
	b.ok(b.lib.Modify(qp, a, maskInit))
	_, err = b.lib.PostRecv(qp, harness.RecvWR{}, harness.RecvWR{})
	b.ok(err)
	b.ok(b.lib.Modify(qp, harness.QPAttr{State: sErr}, aState))
	b.wait(cq, 1)
	_, _, err = b.lib.CQEvent(ch)
	b.ok(err)
	b.wait(cq, 1)
	b.ok(b.lib.Notify(cq, true))
	_, err = b.lib.PostRecv(qp, harness.RecvWR{})
	b.ok(err)
	b.wait(cq, 1) // an event that nobody gets: it goes with the queue
	b.ok(b.lib.End("ibv_destroy_qp", qp))
	done := make(chan error)
	go func() { done <- b.lib.End("ibv_destroy_cq", cq) }()
	select {
	case err := <-done:
		t.Errorf("destroyed before the event was acknowledged: %v", err)
	case <-time.After(20 * time.Millisecond):
		b.lib.AckCQEvents(cq, 1)
		b.ok(<-done)
	}
	if readable(t, harness.ChannelFD(ch)) {
		t.Error("an event of a queue that is gone")
	}
	b.ok(b.lib.End("ibv_destroy_cq", other))
	b.ok(b.lib.End("ibv_destroy_comp_channel", ch))
}

func TestPortDownAndUp(t *testing.T) {
	const portActive, portErr, down, active = 9, 10, 1, 4
	b := two(t)
	x, y := b.pair(plan{}, 2)
	b.ok(unix.SetNonblock(harness.AsyncFD(x.ctx), true))
	_, _, err := b.lib.Async(x.ctx)
	b.want(syscall.EAGAIN, err)
	b.ok(b.dev.SetPort("soft0", 1, false))
	b.ok(b.dev.SetPort("soft0", 1, false)) // no change, no event
	if !readable(t, harness.AsyncFD(x.ctx)) || readable(t, harness.AsyncFD(y.ctx)) {
		t.Error("the event is for the contexts of the device")
	}
	if typ, port, err := b.lib.Async(x.ctx); typ != portErr || port != 1 || err != nil {
		t.Errorf("event %d of %d, %v", typ, port, err)
	}
	if got, err := b.lib.QueryPort(x.ctx, 1, 60, 0); got[0] != down || err != nil {
		t.Errorf("state %d, %v", got[0], err)
	}
	x.send(write(x, y), write(x, y))
	if wcs := b.wait(x.scq, 2); wcs[0].Status != wcLocQPOp || wcs[1].Status != wcFlush {
		t.Errorf("%+v", wcs)
	}
	y.send(write(y, x))
	if wc := b.wait(y.scq, 1)[0]; wc.Status != wcRetryExc {
		t.Errorf("to a port that is down: %+v", wc)
	}
	b.ok(b.dev.SetPort("soft0", 1, true))
	if typ, port, err := b.lib.Async(x.ctx); typ != portActive || port != 1 || err != nil {
		t.Errorf("event %d of %d, %v", typ, port, err)
	}
	if got, err := b.lib.QueryPort(x.ctx, 1, 60, 0); got[0] != active || err != nil {
		t.Errorf("state %d, %v", got[0], err)
	}
	if err := b.dev.SetPort("soft0", 2, true); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("port 2: %v", err)
	}
	if err := b.dev.SetPort("soft7", 1, true); !errors.Is(err, syscall.ENODEV) {
		t.Errorf("no such device: %v", err)
	}
}

func TestSendQueueDrained(t *testing.T) {
	const sqDrained = 5
	b := two(t)
	x, y := b.pair(plan{attr: func(a *harness.QPAttr) { a.RNRRetry, a.Timeout = 7, 0 }}, 2)
	first := send(x, y)
	first.Flags = signaled
	x.send(first)
	b.ok(b.lib.Modify(x.qp, harness.QPAttr{State: sSQD}, aState))
	x.send(first) // waits in the queue
	y.recv(harness.RecvWR{SGEs: []harness.SGE{y.sge(0, 8)}}, harness.RecvWR{SGEs: []harness.SGE{y.sge(0, 8)}})
	typ, element, err := b.lib.Async(x.ctx)
	if b.ok(err); typ != sqDrained || element != uintptr(x.qp) {
		t.Errorf("event %d of 0x%x", typ, element)
	}
	sent, err := b.lib.Poll(x.scq, 4)
	if b.ok(err); len(sent) > 1 {
		t.Errorf("%d were sent in SQD", len(sent))
	}
	b.lib.AckAsync(typ, x.qp)
	b.ok(b.lib.Modify(x.qp, harness.QPAttr{State: sRTS}, aState))
	b.wait(x.scq, 2-len(sent))
}
