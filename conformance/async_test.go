//go:build linux

package conformance

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"weak"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
)

// bounded is a context for what must happen: a test that hangs fails by it.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// TestPortEvents takes the port down and up: each event names the port, and holds nothing.
func TestPortEvents(t *testing.T) {
	b := open(t)
	for _, up := range []bool{false, true, false} {
		if err := b.soft.SetPort("soft0", 1, up); err != nil {
			t.Fatal(err)
		}
		want := verbs.EventTypePortErr
		if up {
			want = verbs.EventTypePortActive
		}
		ev := must(b.dev.NextEvent(bounded(t)))(t)
		if ev.Type != want || ev.Port != 1 || ev.QP != nil || ev.CQ != nil {
			t.Errorf("port up is %v: %v of port %d, QP %v, CQ %v", up, ev.Type, ev.Port, ev.QP, ev.CQ)
		}
		if up {
			ev.Done() // and not for the others: the device is closed all the same
		}
	}
	if s := verbs.EventTypePortErr.String(); s != "PORT_ERR" {
		t.Errorf("String is %q", s)
	}
}

// overflow breaks a completion queue: a small one, with more receives flushed to it than it has room for. It gives the first
// event of that; there are more. The queue pair is closed.
func overflow(t *testing.T, dev *verbs.Device) (*verbs.CQ, *verbs.AsyncEvent) {
	t.Helper()
	pd, other, small := must(dev.AllocPD())(t), must(dev.CreateCQ(1, nil, 0))(t), must(dev.CreateCQ(1, nil, 0))(t)
	qp := must(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: other, RecvCQ: small, MaxRecvWR: 15, MaxRecvSGE: 1}))(t)
	recv := must(verbs.NewRecvBatch(15, 0))(t)
	defer recv.Close()
	if err := errors.Join(qp.Modify(verbs.NewQPAttr(verbs.QPStateInit).PKeyIndex(0).PortNum(1).AccessFlags(0)), post(qp, recv),
		qp.Modify(verbs.NewQPAttr(verbs.QPStateErr))); err != nil {
		t.Fatal(err)
	}
	ev := must(dev.NextEvent(bounded(t)))(t)
	if err := errors.Join(qp.Close(), other.Close(), pd.Close()); err != nil {
		t.Fatal(err)
	}
	return small, ev
}

// TestCQErrEvent overflows a queue: the event names it, and it is not closed before Done.
func TestCQErrEvent(t *testing.T) {
	dev := open(t).dev
	cq, ev := overflow(t, dev)
	if ev.Type != verbs.EventTypeCQErr || ev.CQ != cq || ev.QP != nil || ev.Port != 0 {
		t.Errorf("%v of CQ %v, QP %v, port %d", ev.Type, ev.CQ, ev.QP, ev.Port)
	}
	err := cq.Close()
	if !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), "an event of ibv_get_async_event without its Done") {
		t.Errorf("Close before Done: %v", err)
	}
	ev.Done()
	ev.Done()
	if err := cq.Close(); err != nil {
		t.Errorf("Close after Done: %v", err)
	}
}

// TestEventOfClosing has events of a queue taken while the queue is being closed: neither waits for the other for ever, and
// an event either comes with its queue or went with it.
func TestEventOfClosing(t *testing.T) {
	dev := open(t).dev
	for range 200 {
		cq, first := overflow(t, dev)
		ctx, cancel := context.WithCancel(bounded(t))
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				ev, err := dev.NextEvent(ctx)
				if err != nil {
					return
				}
				if ev.Type != verbs.EventTypeCQErr || ev.CQ != cq {
					t.Errorf("%v of CQ %v", ev.Type, ev.CQ)
				}
				ev.Done()
			}
		})
		first.Done()
		for err := cq.Close(); err != nil; err = cq.Close() {
			if !errors.Is(err, syscall.EBUSY) {
				t.Fatal(err)
			}
		}
		cancel()
		wg.Wait()
	}
}

// TestClosedIsForgotten asks that the device, which finds the handles that events name, keeps none that is closed.
func TestClosedIsForgotten(t *testing.T) {
	dev := open(t).dev
	closed := func() weak.Pointer[verbs.CQ] {
		cq := must(dev.CreateCQ(1, nil, 0))(t)
		if err := cq.Close(); err != nil {
			t.Fatal(err)
		}
		return weak.Make(cq)
	}()
	for range 10 {
		runtime.GC()
		if closed.Value() == nil {
			return
		}
	}
	t.Error("a closed queue is kept")
}

func post(qp *verbs.QP, b *verbs.RecvBatch) error {
	_, err := qp.PostRecv(b, b.Len())
	return err
}

// TestEventOfClosed closes a shared receive queue whose event nobody has asked for: the event goes with it.
func TestEventOfClosed(t *testing.T) {
	dev := open(t).dev
	e := must(link.NewEnd(dev))(t)
	cq, srq := must(dev.CreateCQ(4, nil, 0))(t), must(e.PD.CreateSRQ(verbs.SRQInitAttr{MaxWR: 2, MaxSGE: 1}))(t)
	qp := must(e.PD.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeUD, SendCQ: cq, RecvCQ: cq, SRQ: srq, MaxSendWR: 1, MaxSendSGE: 1}))(t)
	ah := must(e.PD.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: must(dev.QueryGID(1, 0))(t)}))(t)
	recv, send := must(verbs.NewRecvBatch(2, 1))(t), must(verbs.NewSendBatch(1, 1))(t)
	for i := range recv.Len() {
		recv.WR(i).Recv(1).SGE(uint64(e.MR.Addr()), 64, e.MR.LKey())
	}
	_, err := srq.PostRecv(recv, recv.Len())
	if err := errors.Join(err, srq.Modify(verbs.NewSRQAttr().Limit(2)), verbs.UDSetup{PortNum: 1, QKey: 7}.ToRTS(qp),
		ah.Address(send.WR(0).Send(2).Flags(verbs.SendSignaled), qp.Num(), 7)); err != nil {
		t.Fatal(err)
	}
	if _, err := qp.PostSend(send, 1); err != nil {
		t.Fatal(err)
	}
	must(verbstest.Wait(cq, 2))(t) // the datagram has taken a receive
	if err := errors.Join(ah.Close(), qp.Close(), srq.Close()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if ev, err := dev.NextEvent(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an event of a closed queue: %+v, %v", ev, err)
	}
}
