//go:build linux && cgo

package cases

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// faultPeer are peers that do not answer, or not yet.
func faultPeer() []suite.Case {
	gone := func(p *pair) { p.t.OK("Close of the peer's queue pair", p.far.QP.Close()) }
	allGone := func(p *pair) { p.t.OK("Close of the peer's device", p.place.Device.CloseAll()) }
	inError := func(p *pair) { toError(p, p.far) }
	return []suite.Case{
		fault(20, "a send without a receive, tried twice", "ibv_modify_qp", recovers(noReceive)),
		fault(21, "a send whose receive is posted late succeeds", "ibv_modify_qp", lateReceive),
		fault(22, "a write to a queue pair that is gone", "ibv_create_qp", unanswered(gone)),
		fault(23, "a write to a queue pair in error", "ibv_modify_qp", unanswered(inError)),
		fault(24, "a write to a context that is gone", "ibv_open_device", unanswered(allGone)),
		fault(25, "a write that is tried seven times ends, or is ended", "ibv_modify_qp", sevenTimes),
		fault(26, "a write to a queue pair that is not connected yet", "ibv_modify_qp", notConnected),
		fault(27, "receives are flushed by the change to ERR, and a write posted then", "ibv_modify_qp", recovers(flushes)),
		fault(28, "the first error stands first, flushes follow in order", "ibv_poll_cq", recovers(firstError)),
		fault(29, "a request that fails completes also when it is not signaled", "ibv_post_send", recovers(unsignaled)),
		fault(30, "a fault leaves the connection beside it alone", "ibv_poll_cq", bystander),
		fault(31, "one fault after the other on the same device", "ibv_poll_cq", manyFaults),
		fault(32, "a receive posted in ERR is flushed", "ibv_post_recv", recovers(lateFlush, shortly)),
	}
}

func toError(p *pair, e *link.End) {
	p.t.OK("Modify to ERR", e.QP.Modify(verbs.NewQPAttr(verbs.QPStateErr)))
}

// signaledWrite fills a request with a good write.
func signaledWrite(p *pair, i int, id uint64) {
	p.local(p.send.WR(i).Write(id, p.at(), p.far.MR.RKey())).Flags(verbs.SendSignaled)
}

func noReceive(p *pair) {
	p.local(p.send.WR(0).Send(1))
	p.local(p.send.WR(1).Send(2))
	p.two("the send", verbs.WCStatusRNRRetryExcErr)
}

// lateReceive waits for a receive without end; the timeout for lost answers is long, as soft-RoCE does not hold it off
// while the peer asks for patience.
func lateReceive(t *suite.T) {
	cfg := patient()
	cfg.RNRRetry, cfg.Timeout = 7, 20
	p := connect(t, cfg)
	p.local(p.send.WR(0).Send(1)).Flags(verbs.SendSignaled)
	p.post(1)
	if wc, err := p.near.WaitFor(50 * time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("without a receive: %+v, %v", wc, err)
	}
	p.receive(p.far, 7, inboxSize)
	p.ended("the receive", p.wait(p.far, 1), 0, 7, verbs.WCStatusSuccess)
	p.ended("the send", p.wait(p.near, 1), 0, 1, verbs.WCStatusSuccess)
	holds(t, "received", p.far.Buf[inbox:inbox+8], p.near.Buf[:8])
}

// unanswered is a write, and one behind it, to a peer that something happens to before.
func unanswered(before func(*pair)) func(*suite.T) {
	return func(t *suite.T) {
		p := connect(t, impatient())
		before(p)
		signaledWrite(p, 0, 1)
		signaledWrite(p, 1, 2)
		p.two("the write", verbs.WCStatusRetryExcErr)
		p.untouched()
		again(t)
	}
}

// again checks that a new connection works in new contexts.
func again(t *suite.T) { connect(t, patient()).recovered() }

// sevenTimes has a retry count that soft-RoCE takes for no end. Everywhere the change to ERR ends what is left.
func sevenTimes(t *suite.T) {
	cfg := impatient()
	cfg.Retries = 7
	p := connect(t, cfg)
	toError(p, p.far)
	signaledWrite(p, 0, 1)
	p.post(1)
	wc, err := p.near.WaitFor(500 * time.Millisecond)
	if err == nil {
		p.ended("the write", []verbs.WC{wc}, 0, 1, verbs.WCStatusRetryExcErr)
	} else {
		toError(p, p.near)
		p.ended("the write", p.wait(p.near, 1), 0, 1, verbs.WCStatusWRFlushErr)
	}
	p.recovered()
}

// notConnected writes to a queue pair in INIT.
func notConnected(t *suite.T) {
	p, cfg := batches(t, farPlace(t)), impatient()
	p.near, p.far = must(cfg.NewEnd(nearPlace(t)))(t), must(cfg.NewEnd(p.place))(t)
	t.OK("Connect of one end", p.near.ConnectTo(p.far))
	signaledWrite(p, 0, 1)
	p.one("the write", verbs.WCStatusRetryExcErr)
	p.recovered()
}

func flushes(p *pair) {
	for id := range uint64(3) {
		p.receive(p.near, id, inboxSize)
	}
	toError(p, p.near)
	wcs := p.wait(p.near, 3)
	for i := range wcs {
		p.ended("a receive posted before", wcs, i, uint64(i), verbs.WCStatusWRFlushErr)
	}
	signaledWrite(p, 0, 9)
	p.post(1)
	p.ended("a write posted after", p.wait(p.near, 1), 0, 9, verbs.WCStatusWRFlushErr)
	p.untouched()
}

func shortly(c *link.Config) { c.Deadline = 2 * time.Second }

// lateFlush posts when the flush of an earlier receive is over, so that nothing flushes this one by the way.
func lateFlush(p *pair) {
	p.receive(p.near, 7, inboxSize)
	toError(p, p.near)
	p.ended("a receive posted before", p.wait(p.near, 1), 0, 7, verbs.WCStatusWRFlushErr)
	time.Sleep(50 * time.Millisecond)
	p.receive(p.near, 8, inboxSize)
	wc, err := p.near.Wait()
	if err != nil {
		p.t.Errorf("a receive posted after: %v", err)
	} else {
		p.ended("a receive posted after", []verbs.WC{wc}, 0, 8, verbs.WCStatusWRFlushErr)
	}
}

func firstError(p *pair) {
	signaledWrite(p, 0, 1)
	withKey(1)(p, p.send.WR(1)).Flags(verbs.SendSignaled).SetID(2)
	for i := 2; i < 6; i++ {
		signaledWrite(p, i, uint64(i+1))
	}
	p.post(6)
	wcs := p.wait(p.near, 6)
	p.ended("the write before", wcs, 0, 1, verbs.WCStatusSuccess)
	p.ended("the write that fails", wcs, 1, 2, verbs.WCStatusRemAccessErr)
	for i := 2; i < 6; i++ {
		p.ended("a write behind it", wcs, i, uint64(i+1), verbs.WCStatusWRFlushErr)
	}
}

// unsignaled has three requests of which none asks for a completion.
func unsignaled(p *pair) {
	write(p, p.send.WR(0))
	withKey(1)(p, p.send.WR(1)).SetID(2)
	write(p, p.send.WR(2)).SetID(3)
	p.post(3)
	wcs := p.wait(p.near, 2)
	p.ended("the write that fails", wcs, 0, 2, verbs.WCStatusRemAccessErr)
	p.ended("the write behind it", wcs, 1, 3, verbs.WCStatusWRFlushErr)
}

// bystander has a connection in the same contexts that works before, while and after another one fails.
func bystander(t *suite.T) {
	other := connect(t, patient())
	p := connectTo(t, other.place, patient())
	for round := range uint64(3) {
		signaledWrite(other, 0, round)
		other.post(1)
		if round == 1 {
			withKey(1)(p, p.send.WR(0))
			p.one("the write that fails", verbs.WCStatusRemAccessErr)
		}
		other.ended("a write beside it", other.wait(other.near, 1), 0, round, verbs.WCStatusSuccess)
	}
}

// manyFaults makes and breaks connections in the same two contexts; each is destroyed as it is, in error.
func manyFaults(t *suite.T) {
	far := farPlace(t)
	for round := range 20 {
		p := connectTo(t, far, patient())
		withKey(1)(p, p.send.WR(0))
		p.one("a write that fails", verbs.WCStatusRemAccessErr)
		needed(t, fmt.Sprintf("round %d", round), errors.Join(p.near.Close(), p.far.Close()))
	}
	connectTo(t, far, patient()).recovered()
}
