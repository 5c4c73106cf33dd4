//go:build linux && cgo

package cases

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

func events() []suite.Case {
	event := shared("ibv_get_cq_event", suite.Peer)
	return []suite.Case{
		event("CF-que-0040", "an event for each completion that was asked for; none is lost", eventEach).Ruled(
			"VR-ibv_req_notify_cq-channel-0295"),
		event("CF-que-0041", "two completion queues on one channel", oneChannel),
		event("CF-que-0042", "a wait that is cancelled loses no event", cancelledWait),
		of("CF-que-0043", "an event of solicited messages only", "ibv_req_notify_cq", solicited, suite.Peer).Ruled(
			"VR-ibv_post_send-send_flags-0343"),
		of("CF-que-0044", "a channel that is waited on is not closed; one that is closed is not waited on", "ibv_create_comp_channel",
			closedWait),
		event("CF-que-0045", "an event that was not acknowledged holds its queue", heldByEvent).Ruled("VR-ibv_destroy_cq-events-0293"),
		event("CF-que-0046", "an event for each datagram, sent and received", eventEachDatagram),
	}
}

// announced takes the next event of a channel, which must be of one of some queues, and gives that.
func announced(t *suite.T, what string, ch *verbs.CompChannel, queues ...*verbs.CQ) *verbs.CQ {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ev := must(ch.Next(ctx))(t)
	if ev.Done(); !slices.Contains(queues, ev.CQ) {
		t.Errorf("%s: the event is of another queue", what)
	}
	return ev.CQ
}

// quietChannel checks that there is no event.
func quietChannel(t *suite.T, ch *verbs.CompChannel, what string) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := ch.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%s: an event, or %v", what, err)
	}
}

// onChannel returns a connected queue pair whose receives are announced on a channel.
func onChannel(t *suite.T, ch *verbs.CompChannel) *near {
	return nearOn(t, newPD(t), far.RC, newCQ(t), must(t.Device().CreateCQ(depth, ch, 0))(t))
}

// message has the other end send one, for which there is room.
func (n *near) message(id uint64, solicited bool) {
	n.room(id, 0, 64)
	n.tell("a message", far.Op{Code: far.Send, Data: []byte("ring"), Solicited: solicited})
}

func eventEach(t *suite.T) {
	ch := newChannel(t)
	n := onChannel(t, ch)
	n.message(0, false)
	n.received("before it was asked for", 0, verbs.WCOpcodeRecv, 4)
	quietChannel(t, ch, "before it was asked for")
	for id := range uint64(20) {
		t.OK("ReqNotify", n.recvs.ReqNotify(false))
		n.message(id, false)
		announced(t, "a message", ch, n.recvs)
		n.received("announced", id, verbs.WCOpcodeRecv, 4)
	}
	quietChannel(t, ch, "after all were taken")
}

// eventEachDatagram has one queue for what is sent and received, on one channel.
func eventEachDatagram(t *suite.T) {
	ch := newChannel(t)
	cq := must(t.Device().CreateCQ(depth, ch, 0))(t)
	n := nearOn(t, newPD(t), far.UD, cq, cq)
	ah := must(n.pd.CreateAH(t.Port().Way(n.link.To)))(t)
	for id := range uint64(20) {
		n.farRoom(4)
		t.OK("ReqNotify", cq.ReqNotify(false))
		n.addressed(n.send.WR(0).Send(id).Add(n.sge(0, 4)).Flags(verbs.SendSignaled), ah, n.link.To.QPN)
		n.post(1)
		announced(t, "sent", ch, cq)
		n.finished("sent", id, verbs.WCOpcodeSend)
		n.farGot("sent")
		t.OK("ReqNotify", cq.ReqNotify(false))
		n.room(id, 0, verbs.GRHSize+4)
		n.tell("a datagram", far.Op{Code: far.Send, Data: []byte("ring")})
		announced(t, "received", ch, cq)
		n.received("received", id, verbs.WCOpcodeRecv, verbs.GRHSize+4)
	}
	quietChannel(t, ch, "after all were taken")
	t.OK("Close of the address handle", ah.Close())
}

func oneChannel(t *suite.T) {
	ch := newChannel(t)
	a, b := onChannel(t, ch), onChannel(t, ch)
	for round := range uint64(5) {
		for _, n := range []*near{a, b} {
			t.OK("ReqNotify", n.recvs.ReqNotify(false))
			n.message(round, false)
		}
		what := fmt.Sprintf("round %d", round)
		if first := announced(t, what, ch, a.recvs, b.recvs); first == announced(t, what, ch, a.recvs, b.recvs) {
			t.Errorf("%s: both events are of one queue", what)
		}
		a.received("announced", round, verbs.WCOpcodeRecv, 4)
		b.received("announced", round, verbs.WCOpcodeRecv, 4)
	}
}

// cancelledWait has many waits end while the event comes, and takes it by the first that does not.
func cancelledWait(t *suite.T) {
	ch := newChannel(t)
	n := onChannel(t, ch)
	for id := range uint64(10) {
		t.OK("ReqNotify", n.recvs.ReqNotify(false))
		taken := make(chan int)
		go func() {
			got := 0
			for start := time.Now(); got == 0 && time.Since(start) < patience; {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(id+1)*100*time.Microsecond)
				ev, err := ch.Next(ctx)
				cancel()
				if err == nil {
					got++
					ev.Done()
				} else if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("a wait that was cancelled: %v", err)
				}
			}
			taken <- got
		}()
		n.message(id, false)
		is(t, fmt.Sprintf("events of message %d", id), <-taken, 1)
		n.received("announced", id, verbs.WCOpcodeRecv, 4)
	}
	quietChannel(t, ch, "after all were taken")
}

func solicited(t *suite.T) {
	ch := newChannel(t)
	n := onChannel(t, ch)
	for round := range uint64(3) {
		t.OK("ReqNotify", n.recvs.ReqNotify(true))
		n.message(2*round, false)
		n.received("unsolicited", 2*round, verbs.WCOpcodeRecv, 4)
		quietChannel(t, ch, fmt.Sprintf("round %d, after an unsolicited message", round))
		n.message(2*round+1, true)
		announced(t, "a solicited message", ch, n.recvs)
		n.received("solicited", 2*round+1, verbs.WCOpcodeRecv, 4)
	}
}

// closedWait closes the channel under a wait: refused, or the wait had not begun and finds it closed.
func closedWait(t *suite.T) {
	ch := newChannel(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error)
	go func() {
		_, err := ch.Next(ctx)
		ended <- err
	}()
	time.Sleep(10 * time.Millisecond) // so that it most likely waits already
	if err := ch.Close(); err == nil {
		fails(t, "the wait", <-ended, os.ErrClosed)
	} else {
		fails(t, "Close while somebody waits", err, syscall.EBUSY)
		cancel()
		fails(t, "the wait", <-ended, context.Canceled)
		t.OK("Close", ch.Close())
	}
	fails(t, "a wait after Close", errorOf(ch.Next(t.Context())), os.ErrClosed)
}

func heldByEvent(t *suite.T) {
	ch := newChannel(t)
	n := onChannel(t, ch)
	t.OK("ReqNotify", n.recvs.ReqNotify(false))
	n.message(1, false)
	ev := must(ch.Next(t.Context()))(t)
	n.received("announced", 1, verbs.WCOpcodeRecv, 4)
	t.OK("Close of the queue pair", n.qp.Close())
	fails(t, "Close of the queue", n.recvs.Close(), syscall.EBUSY)
	ev.Done()
	ev.Done() // does nothing more
	t.OK("Close of the queue", n.recvs.Close())
	t.OK("Close of the channel", ch.Close())
}
