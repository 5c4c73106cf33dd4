//go:build linux && cgo

package cases

import (
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// faultPost are requests that are not taken: the errno comes from posting, with the request at fault. Providers say EINVAL or
// ENOMEM for what exceeds a limit of the queue pair.
func faultPost() []suite.Case {
	return []suite.Case{
		fault(40, "a send queue that is full", "ibv_post_send", sendQueueFull),
		fault(41, "a receive queue that is full", "ibv_post_recv", recovers(recvQueueFull, roomy)),
		fault(42, "a request with too many elements", "ibv_post_send", recovers(tooManySGEs)).Ruled(
			"VR-ibv_post_send-num_sge-0349", "VR-ibv_post_recv-num_sge-0360"),
		fault(43, "inline data beyond what the queue pair takes", "ibv_post_send", recovers(tooMuchInline, inlineOf8)).Ruled(
			"VR-ibv_post_send-send_flags-0345"),
		fault(44, "requests to a queue pair that is not ready", "ibv_post_send", notReady).Ruled(
			"VR-ibv_post_send-state-0357", "VR-ibv_post_recv-state-0365"),
		fault(45, "requests to a queue pair that was closed", "ibv_post_send", recovers(afterDestroy)),
		fault(46, "an atomic that is not aligned", "ibv_post_send", recovers(unaligned), suite.Atomics).Ruled(
			"VR-ibv_post_send-remote_addr-0352"),
	}
}

// more is a number of requests that no queue has room for that was asked for patient's.
const more = 600

// refusedAt checks what posting answered: which request was refused, and why.
func refusedAt(t *suite.T, what string, want int, set ...syscall.Errno) func(posted int, err error) {
	return func(posted int, err error) {
		t.Errno(what, err, set...)
		is(t, what+": the request that was refused", posted, want)
	}
}

func roomy(c *link.Config) { c.CQE = more }

// sendQueueFull posts by one call, so that nothing completes meanwhile. What was taken completes, in order.
func sendQueueFull(t *suite.T) {
	cfg := patient()
	roomy(&cfg)
	p, batch := connect(t, cfg), sends(t, more, 1)
	for i := range more {
		p.local(batch.WR(i).Write(uint64(i), p.at(), p.far.MR.RKey())).Flags(verbs.SendSignaled)
	}
	posted := full(t, cfg.SendWR)(p.near.QP.PostSend(batch, more))
	p.allEnded("what was taken", p.wait(p.near, posted), verbs.WCStatusSuccess)
	signaledWrite(p, 0, more)
	p.post(1)
	p.ended("a request when there is room again", p.wait(p.near, 1), 0, more, verbs.WCStatusSuccess)
}

// full checks that a batch larger than a queue was refused behind the room that was asked for, and returns how many were posted.
func full(t *suite.T, room uint32) func(posted int, err error) int {
	return func(posted int, err error) int {
		t.Errno("a batch larger than the queue", err, syscall.ENOMEM)
		if posted < int(room) {
			t.Errorf("request %d was refused, with room for %d asked for", posted, room)
		}
		return posted
	}
}

func recvQueueFull(p *pair) {
	batch := recvs(p.t, more, 1)
	for i := range more {
		batch.WR(i).Recv(uint64(i)).Add(p.near.MR.UncheckedSGE(0, 8))
	}
	posted := full(p.t, patient().RecvWR)(p.near.QP.PostRecv(batch, more))
	toError(p, p.near)
	p.allEnded("what was taken", p.wait(p.near, posted), verbs.WCStatusWRFlushErr)
}

func tooManySGEs(p *pair) {
	t := p.t
	limit := int(must(t.Device().QueryDevice())(t).MaxSGE) + 1
	send, recv := sends(t, 2, limit), recvs(t, 1, limit)
	p.local(send.WR(0).Write(1, p.at(), p.far.MR.RKey())).Flags(verbs.SendSignaled)
	send.WR(1).Write(2, p.at(), p.far.MR.RKey()).Flags(verbs.SendSignaled)
	recv.WR(0).Recv(3)
	for range limit {
		send.WR(1).Add(p.near.MR.UncheckedSGE(0, 1))
		recv.WR(0).Add(p.near.MR.UncheckedSGE(0, 1))
	}
	refusedAt(t, "a write", 1, syscall.EINVAL, syscall.ENOMEM)(p.near.QP.PostSend(send, 2))
	p.ended("the write before it", p.wait(p.near, 1), 0, 1, verbs.WCStatusSuccess)
	refusedAt(t, "a receive", 0, syscall.EINVAL, syscall.ENOMEM)(p.near.QP.PostRecv(recv, 1))
}

func inlineOf8(c *link.Config) { c.Inline = 8 }

// tooMuchInline has a little room for inline data, and posts a request within it and one beyond.
func tooMuchInline(p *pair) {
	p.local(p.send.WR(0).Write(1, p.at(), p.far.MR.RKey())).Flags(verbs.SendSignaled | verbs.SendInline)
	p.send.WR(1).Write(2, p.at(), p.far.MR.RKey()).Add(p.near.MR.UncheckedSGE(0, link.Size)).Flags(verbs.SendSignaled | verbs.SendInline)
	refusedAt(p.t, "an inline write of a page", 1, syscall.EINVAL, syscall.ENOMEM)(p.near.QP.PostSend(p.send, 2))
	p.ended("the write before it", p.wait(p.near, 1), 0, 1, verbs.WCStatusSuccess)
}

// notReady posts in RESET and INIT. In INIT receives are taken.
func notReady(t *suite.T) {
	p, cfg := batches(t, link.Place{}), patient()
	p.near = must(cfg.NewReset(nearPlace(t)))(t)
	p.local(p.send.WR(0).Send(1))
	p.recv.WR(0).Recv(2)
	refusedAt(t, "a send in RESET", 0, syscall.EINVAL, syscall.ENOMEM)(p.near.QP.PostSend(p.send, 1))
	refusedAt(t, "a receive in RESET", 0, syscall.EINVAL, syscall.ENOMEM)(p.near.QP.PostRecv(p.recv, 1))
	t.OK("to INIT", p.near.QP.Modify(cfg.Init(t.Port().Number())))
	refusedAt(t, "a send in INIT", 0, syscall.EINVAL, syscall.ENOMEM)(p.near.QP.PostSend(p.send, 1))
	t.OK("a receive in INIT", errorOf(p.near.QP.PostRecv(p.recv, 1)))
	again(t)
}

func afterDestroy(p *pair) {
	t := p.t
	signaledWrite(p, 0, 1)
	t.OK("Close", p.near.QP.Close())
	fails(t, "PostSend", errorOf(p.near.QP.PostSend(p.send, 1)), os.ErrClosed)
	fails(t, "Modify", p.near.QP.Modify(verbs.NewQPAttr(verbs.QPStateErr)), os.ErrClosed)
}

// unaligned is refused by some providers, by others at the peer, with one or the other status.
func unaligned(p *pair) {
	p.local(p.send.WR(0).FetchAdd(1, p.at()+4, p.far.MR.RKey(), 1)).Flags(verbs.SendSignaled)
	if posted, err := p.near.QP.PostSend(p.send, 1); err != nil {
		refusedAt(p.t, "the atomic", 0, syscall.EINVAL)(posted, err)
	} else {
		p.ended("the atomic", p.wait(p.near, 1), 0, 1, verbs.WCStatusLocQPOpErr, verbs.WCStatusRemInvReqErr, verbs.WCStatusRemAccessErr)
	}
	p.untouched()
}
