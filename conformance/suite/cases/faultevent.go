//go:build linux && cgo

package cases

import (
	"context"
	"errors"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// quiet is how long nothing more has to be told before a case takes it that nothing will.
const quiet = 200 * time.Millisecond

// faultQueue are faults that an event tells.
func faultQueue() []suite.Case {
	return []suite.Case{
		fault(60, "a completion queue that overflows gives no more than it holds, and an event", "ibv_get_async_event",
			recovers(overflow, func(c *link.Config) { c.CQE, c.SendWR = 4, 128 })),
		fault(61, "a denied request gives the peer the event of it, or none", "ibv_get_async_event", recovers(accessEvent)),
		fault(62, "an error at the own end gives the peer no event", "ibv_get_async_event", recovers(ownEvent)),
	}
}

// event returns the next event of a device, acknowledged; nil if none comes for some time.
func event(t *suite.T, dev *verbs.Device, limit time.Duration) *verbs.AsyncEvent {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	ev, err := dev.NextEvent(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if err != nil {
		t.Fatalf("NextEvent: %v", err)
	}
	ev.Done()
	return ev
}

// overflow has more requests complete than the queue has room for. The specification moves the queue pair to error, soft-RoCE
// loses what does not fit and goes on, with an event for each. What is polled is of requests that were posted, in order.
func overflow(p *pair) {
	t, room := p.t, p.near.CQ.Size()
	n := 2 * room
	if n > 128 {
		t.Fatalf("asked for 4 completions, the queue has room for %d", room)
	}
	batch := sends(t, n, 1)
	for i := range n {
		p.local(batch.WR(i).Write(uint64(i), p.at(), p.far.MR.RKey())).Flags(verbs.SendSignaled)
	}
	whole(t, "a post", n)(p.near.QP.PostSend(batch, n))
	told := false
	for ev := event(t, t.Device(), answerDeadline); ev != nil; ev = event(t, t.Device(), quiet) {
		told = told || ev.Type == verbs.EventTypeCQErr && ev.CQ == p.near.CQ
	}
	if !told {
		t.Errorf("no event of the queue")
	}
	wcs := make([]verbs.WC, n)
	got, err := p.near.CQ.PollInto(wcs)
	if err == nil && (got == 0 || got > room) {
		t.Errorf("%d completions, of a queue with room for %d", got, room)
	}
	p.allEnded("a write", wcs[:got], verbs.WCStatusSuccess)
	for err == nil && got > 0 {
		got, err = p.near.CQ.PollInto(wcs)
	}
	fails(t, "a poll of the queue when it is empty", err, verbs.ErrOverrun)
	p.in("the queue pair", p.near, verbs.QPStateRTS, verbs.QPStateErr)
}

// accessEvent has a write that the peer's memory denies. The specification has an event for the peer, which soft-RoCE has in
// 7.2 and not yet in 6.12. Whichever comes is of that queue pair.
func accessEvent(p *pair) {
	t := p.t
	withKey(1)(p, p.send.WR(0))
	p.one("the write", verbs.WCStatusRemAccessErr)
	answer := "no event"
	for ev := event(t, p.place.Device, quiet); ev != nil; ev = event(t, p.place.Device, quiet) {
		if answer = ev.Type.String(); ev.Type != verbs.EventTypeQPAccessErr || ev.QP != p.far.QP {
			t.Errorf("event %v, of the peer's queue pair: %v", ev.Type, ev.QP == p.far.QP)
		}
	}
	t.Note("the peer", answer)
	silent(t, "the near end", t.Device())
}

// ownEvent has a write from past the end of the own memory, which the completion tells.
func ownEvent(p *pair) {
	pastOwn(p, p.send.WR(0))
	p.one("the write", verbs.WCStatusLocProtErr, verbs.WCStatusWRFlushErr)
	silent(p.t, "the peer", p.place.Device)
}

// silent checks that a device has no event to tell.
func silent(t *suite.T, what string, dev *verbs.Device) {
	if ev := event(t, dev, quiet); ev != nil {
		t.Errorf("%s: event %v", what, ev.Type)
	}
}

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
	p.ended("the receive", p.wait(p.far, 1), 0, id, verbs.WCStatusSuccess)
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
	p.one("the write that is lost", verbs.WCStatusSuccess)
	p.local(p.send.WR(0).WriteImm(1, p.at()+inbox, p.far.MR.RKey(), 5)).Flags(verbs.SendSignaled)
	p.one("the write that arrives", verbs.WCStatusSuccess)
	p.got(7)
	p.untouched()
	p.in("the peer", p.far, verbs.QPStateRTS)
}

func unreliableRecv(t *suite.T) {
	p := connect(t, uc())
	p.local(p.send.WR(0).Send(1)).Flags(verbs.SendSignaled)
	p.one("the send that is lost", verbs.WCStatusSuccess)
	if wc, err := p.far.WaitFor(quiet); err == nil {
		t.Errorf("a completion without a receive: %+v", wc)
	}
	p.receive(p.far, 7, inboxSize)
	p.one("the send that arrives", verbs.WCStatusSuccess)
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
	t.OK("Address", ah.Address(p.send.WR(0), p.far.QP.Num(), cfg.QKey+1))
	p.one("the datagram that is lost", verbs.WCStatusSuccess)
	p.near.Buf[0] = 0x77
	t.OK("Address", ah.Address(p.send.WR(0), p.far.QP.Num(), cfg.QKey))
	p.one("the datagram that arrives", verbs.WCStatusSuccess)
	p.got(7)
	is(t, "the first byte of the datagram that was received", p.far.Buf[inbox+verbs.GRHSize], 0x77)
	p.untouched()
}

// waken asks for completions, has something go wrong, and waits for the event of the near end's queue.
func waken(solicitedOnly bool, fail func(*pair)) func(*suite.T) {
	return recovers(func(p *pair) {
		t := p.t
		t.OK("ReqNotify", p.near.CQ.ReqNotify(solicitedOnly))
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
	p.one("the write", verbs.WCStatusRemAccessErr)
}

func flushedReceive(p *pair) {
	p.receive(p.near, 1, inboxSize)
	toError(p, p.near)
	p.ended("the receive", p.wait(p.near, 1), 0, 1, verbs.WCStatusWRFlushErr)
}
