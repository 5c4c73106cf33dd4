//go:build linux

package conformance

import (
	"context"
	"errors"
	"sync"
	"syscall"
	"testing"
	"time"

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

// overflow breaks a small completion queue: more receives are flushed to it than it has room for. It gives the first event of that; there
// are more. The queue pair is closed.
func overflow(t *testing.T, small *verbs.CQ) *verbs.AsyncEvent {
	t.Helper()
	dev := small.Device()
	pd, other := must(dev.AllocPD())(t), must(dev.CreateCQ(1, nil, 0))(t)
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
	return ev
}

// TestEventOfClosing has events of a queue taken while the queue is being closed: neither waits for the other for ever, and
// an event either comes with its queue or went with it.
func TestEventOfClosing(t *testing.T) {
	dev := open(t).dev
	for range 200 {
		cq := must(dev.CreateCQ(1, nil, 0))(t)
		first := overflow(t, cq)
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
