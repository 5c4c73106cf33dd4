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
	p.allEnded("a write", wcs[:got], wcSuccess)
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
	p.one("the write", wcRemAccess)
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
	p.one("the write", wcLocProt, wcFlush)
	silent(p.t, "the peer", p.place.Device)
}

// silent checks that a device has no event to tell.
func silent(t *suite.T, what string, dev *verbs.Device) {
	if ev := event(t, dev, quiet); ev != nil {
		t.Errorf("%s: event %v", what, ev.Type)
	}
}
