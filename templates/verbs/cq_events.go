//go:build ignore

//verbsgen:face int ibv_get_cq_event(struct ibv_comp_channel *, struct ibv_cq **, void **)
//verbsgen:runtime
//verbsgen:kept kept by the handles: each event is acknowledged exactly once
//verbsgen:face void ibv_ack_cq_events(struct ibv_cq *, unsigned int)
//verbsgen:runtime
//verbsgen:kept kept by the handles: each event is acknowledged exactly once
//verbsgen:of CompChannel
//verbsgen:waits CompChannel *dpath.Channel
//verbsgen:finds CQ
//verbsgen:field CompChannel taker dpath.Taker // Next, or Wait of the queues

package verbs

import (
	"context"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
)

// listen lets Go's poller wait on the descriptor of the events, once; afterwards it no longer holds the handle.
func (channel *CompChannel) listen(verb string) (*dpath.Channel, error) {
	if err := channel.base().Enter(verb); err != nil {
		return nil, err
	}
	defer channel.h.Exit()
	return channel.waiting.Listen(func() (*dpath.Channel, error) {
		return dpath.NewChannel(channel.h.C, channel.lib.fn[symIbv_get_cq_event], channel.lib.fn[symIbv_ack_cq_events])
	})
}

// CQEvent is a completion event. Acknowledge each event with Done; before that, the queue of the event cannot be closed (syscall.EBUSY).
//
// C: ibv_get_cq_event, ibv_get_cq_event(3).
type CQEvent struct {
	CQ    *CQ // the queue with completions; ask it for the next event by ReqNotify, then poll it
	event dpath.HeldCQEvent
}

// Next waits for the next completion event. It blocks no thread. When ctx ends, Next returns the error of ctx; a later event is kept for
// the next call. When the channel is closed, Next returns os.ErrClosed. Programs that only want the completions use CQ.Wait instead. A
// channel serves either Next or CQ.Wait: Next returns syscall.EBUSY if CQ.Wait takes the events of the channel.
//
// C: ibv_get_cq_event, ibv_get_cq_event(3).
func (channel *CompChannel) Next(ctx context.Context) (*CQEvent, error) {
	const verb = "ibv_get_cq_event"
	from, err := channel.listen(verb)
	if err != nil {
		return nil, err
	}
	if err := channel.taker.Take(verb, dpath.ByNext); err != nil {
		return nil, err
	}
	ev := new(CQEvent)
	if ev.CQ, err = dpath.NextCQEvent(ctx, &ev.event, from, &channel.dev.handles, (*CQ).base); err != nil {
		return nil, channel.dev.removed(err)
	}
	return ev, nil
}

// Done acknowledges the event. A second Done does nothing.
//
// C: ibv_ack_cq_events, ibv_get_cq_event(3).
func (e *CQEvent) Done() {
	if e != nil {
		e.event.Done()
	}
}
