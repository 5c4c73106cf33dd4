//go:build ignore

//verbsgen:with ibv_poll_cq ibv_req_notify_cq ibv_get_cq_event CompChannel CQ
//verbsgen:waits CQ dpath.Sleepers
//verbsgen:field CompChannel pump dpath.Pump // takes the events for Wait of the queues

package verbs

import (
	"context"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
)

// Wait takes up to len(wcs) completions from the queue and returns their number. While there are none, it sleeps on Go's poller and blocks
// no thread. The queue needs a completion channel, whose events Wait requests, takes and acknowledges. Several queues may share a channel,
// but Wait returns syscall.EBUSY if the program uses CompChannel.Next on that channel. If the queue has completions, Wait returns them
// even if ctx has ended. Otherwise it returns the error of ctx when ctx ends, and os.ErrClosed when the queue is closed.
//
// Any number of goroutines may wait for one queue: each completion goes to one of them. Nothing is allocated.
//
// C: ibv_get_cq_event, ibv_get_cq_event(3).
func (cq *CQ) Wait(ctx context.Context, wcs []dpath.WC) (int, error) {
	if cq == nil {
		return 0, errPollCQ.Nil()
	}
	return cq.wait(ctx, len(wcs), func() (int, error) { return cq.PollInto(wcs) })
}

// wait waits until poll finds one of at most room completions.
func (cq *CQ) wait(ctx context.Context, room int, poll func() (int, error)) (int, error) {
	const verb = "ibv_get_cq_event"
	if room == 0 {
		return 0, dpath.NoRoom(verb)
	}
	if n, err := poll(); n > 0 || err != nil {
		return n, err
	}
	channel := cq.Channel()
	if channel == nil { // it has none, or was closed meanwhile
		if n, err := poll(); n > 0 || err != nil {
			return n, err
		}
		return 0, dpath.NoChannel(verb)
	}
	return cq.waiting.Wait(ctx, verb, func() error { return cq.request(channel, verb) }, poll)
}

// request has the channel wake who waits for the queue when the next completion comes. It fails once a Close of the queue has begun:
// that wakes only those who wait by then.
func (cq *CQ) request(channel *CompChannel, verb string) error {
	if err := channel.taker.Take(verb, dpath.ByWait); err != nil {
		return err
	}
	from, err := channel.listen(verb)
	if err != nil {
		return err
	}
	if channel.pump.Begin(from) {
		go channel.pump.Run(from, channel.wake, channel.failed)
	}
	if !cq.h.IsOpen() {
		return errPollCQ.Closed()
	}
	return cq.ReqNotify(false)
}

// wake wakes who waits for the queue at an address.
func (channel *CompChannel) wake(at uintptr) {
	if cq, ok := channel.dev.handles.Find(at).(*CQ); ok {
		cq.waiting.Wake()
	}
}

// failed ends all waits for queues of the channel.
func (channel *CompChannel) failed(err error) {
	err = channel.dev.removed(err)
	for _, x := range channel.h.Children() {
		if cq, ok := x.(*CQ); ok {
			cq.waiting.WakeAll(err)
		}
	}
}
