//go:build linux

package cases

import (
	"context"
	"errors"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// faultQuiet are faults of unreliable connections and datagrams, which nobody is told of, and the waking of who waits for
// completions.
func faultQuiet() []suite.Case {
	return []suite.Case{
		fault(80, "an unreliable write under a wrong rkey is lost, the next one is not", "ibv_post_send", unreliableKey),
		fault(81, "an unreliable send without a receive is lost, the next one is not", "ibv_post_send", unreliableRecv),
		fault(82, "a datagram with a wrong qkey is lost, the next one is not", "ibv_post_send", wrongQKey),
		fault(83, "a request that fails wakes who waits for solicited completions", "ibv_req_notify_cq", waken(true, badWrite)),
		fault(84, "a receive that is flushed wakes who waits for solicited completions", "ibv_req_notify_cq", waken(true, flushedReceive)),
		fault(85, "a request that fails wakes who waits for any completion", "ibv_req_notify_cq", waken(false, badWrite)),
	}
}

// got checks that the far end received a message with the given id.
func (p *pair) got(id uint64) {
	p.ended("the receive", p.wait(p.far, 1), 0, id, wcSuccess)
	if wc, err := p.far.WaitFor(quiet); err == nil {
		p.t.Errorf("another completion at the peer: id %d status %d", wc.ID, wc.Status)
	}
}

func uc() link.Config {
	c := patient()
	c.Type, c.QP = verbs.QPTypeUC, verbs.QPAccessRemoteWrite
	return c
}

// unreliableKey sends two writes with immediate data, of which the peer gets the second.
func unreliableKey(t *suite.T) {
	p := connect(t, uc())
	p.receive(p.far, 7, inboxSize)
	withKey(1)(p, p.send.WR(0)).Flags(verbs.SendSignaled)
	p.one("the write that is lost", wcSuccess)
	p.local(p.send.WR(0).WriteImm(1, p.at()+inbox, p.far.MR.RKey(), 5)).Flags(verbs.SendSignaled)
	p.one("the write that arrives", wcSuccess)
	p.got(7)
	p.untouched()
	p.in("the peer", p.far, verbs.QPStateRTS)
}

func unreliableRecv(t *suite.T) {
	p := connect(t, uc())
	p.local(p.send.WR(0).Send(1)).Flags(verbs.SendSignaled)
	p.one("the send that is lost", wcSuccess)
	if wc, err := p.far.WaitFor(quiet); err == nil {
		t.Errorf("a completion without a receive: %+v", wc)
	}
	p.receive(p.far, 7, inboxSize)
	p.one("the send that arrives", wcSuccess)
	p.got(7)
}

func wrongQKey(t *suite.T) {
	cfg := patient()
	cfg.Type = verbs.QPTypeUD
	p := connect(t, cfg)
	way, _ := p.near.Way(p.far)
	ah := must(p.near.PD.CreateAH(way))(t)
	p.receive(p.far, 7, inboxSize)
	p.local(p.send.WR(0).Send(1)).Flags(verbs.SendSignaled)
	ok(t, "Address", ah.Address(p.send.WR(0), p.far.QP.Num(), cfg.QKey+1))
	p.one("the datagram that is lost", wcSuccess)
	p.near.Buf[0] = 0x77
	ok(t, "Address", ah.Address(p.send.WR(0), p.far.QP.Num(), cfg.QKey))
	p.one("the datagram that arrives", wcSuccess)
	p.got(7)
	is(t, "the first byte of the datagram that was received", p.far.Buf[inbox+verbs.GRHSize], 0x77)
	p.untouched()
}

// waken asks for completions, has something go wrong, and waits for the event of the near end's queue.
func waken(solicitedOnly bool, fail func(*pair)) func(*suite.T) {
	return recovers(func(p *pair) {
		t := p.t
		ok(t, "ReqNotify", p.near.CQ.ReqNotify(solicitedOnly))
		fail(p)
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		switch ev, err := p.near.Ch.Next(ctx); {
		case errors.Is(err, context.DeadlineExceeded):
			t.Errorf("no event of the completion in 2s")
		case err != nil:
			t.Errorf("Next: %v", err)
		default:
			if ev.Done(); ev.CQ != p.near.CQ {
				t.Errorf("the event is of another queue")
			}
		}
	})
}

func badWrite(p *pair) {
	withKey(1)(p, p.send.WR(0))
	p.one("the write", wcRemAccess)
}

func flushedReceive(p *pair) {
	p.receive(p.near, 1, inboxSize)
	toError(p, p.near)
	p.ended("the receive", p.wait(p.near, 1), 0, 1, wcFlush)
}
