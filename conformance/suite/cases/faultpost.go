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
		fault(41, "a receive queue that is full", "ibv_post_recv", recvQueueFull),
		fault(42, "a request with too many elements", "ibv_post_send", tooManySGEs).Ruled(
			"VR-ibv_post_send-num_sge-0349", "VR-ibv_post_recv-num_sge-0360"),
		fault(43, "inline data beyond what the queue pair takes", "ibv_post_send", tooMuchInline).Ruled("VR-ibv_post_send-send_flags-0345"),
		fault(44, "requests to a queue pair that is not ready", "ibv_post_send", notReady).Ruled(
			"VR-ibv_post_send-state-0357", "VR-ibv_post_recv-state-0365"),
		fault(45, "requests to a queue pair that was closed", "ibv_post_send", afterDestroy),
		fault(46, "an atomic that is not aligned", "ibv_post_send", unaligned, suite.Atomics).Ruled("VR-ibv_post_send-remote_addr-0352"),
	}
}

// more is a number of requests that no queue has room for that was asked for patient's.
const more = 600

// refusedAt checks what posting answered: which request was refused, and why.
func refusedAt(t *suite.T, what string, posted, want int, err error, set ...syscall.Errno) {
	t.Errno(what, err, set...)
	if posted != want {
		t.Errorf("%s: request %d was refused, want %d", what, posted, want)
	}
}

// sendQueueFull posts by one call, so that nothing completes meanwhile. What was taken completes, in order.
func sendQueueFull(t *suite.T) {
	cfg := patient()
	cfg.CQE = more
	p := connect(t, cfg)
	batch := must(verbs.NewSendBatch(more, 1))(t)
	defer batch.Close()
	for i := range more {
		p.local(batch.WR(i).Write(uint64(i), p.at(), p.far.MR.RKey())).Flags(verbs.SendSignaled)
	}
	posted, err := p.near.QP.PostSend(batch, more)
	t.Errno("a batch larger than the queue", err, syscall.ENOMEM)
	if posted < int(cfg.SendWR) {
		t.Errorf("request %d was refused, with room for %d asked for", posted, cfg.SendWR)
	}
	p.allEnded("what was taken", p.wait(p.near, posted), wcSuccess)
	signaledWrite(p, 0, more)
	p.post(1)
	p.ended("a request when there is room again", p.wait(p.near, 1), 0, more, wcSuccess)
}

func recvQueueFull(t *suite.T) {
	cfg := patient()
	cfg.CQE = more
	p := connect(t, cfg)
	batch := must(verbs.NewRecvBatch(more, 1))(t)
	defer batch.Close()
	for i := range more {
		batch.WR(i).Recv(uint64(i)).Add(p.near.MR.UncheckedSGE(0, 8))
	}
	posted, err := p.near.QP.PostRecv(batch, more)
	t.Errno("a batch larger than the queue", err, syscall.ENOMEM)
	if posted < int(cfg.RecvWR) {
		t.Errorf("request %d was refused, with room for %d asked for", posted, cfg.RecvWR)
	}
	toError(p, p.near)
	p.allEnded("what was taken", p.wait(p.near, posted), wcFlush)
	p.recovered()
}

func tooManySGEs(t *suite.T) {
	limit := int(must(t.Device().QueryDevice())(t).MaxSGE) + 1
	p := connect(t, patient())
	send, recv := must(verbs.NewSendBatch(2, limit))(t), must(verbs.NewRecvBatch(1, limit))(t)
	defer send.Close()
	defer recv.Close()
	p.local(send.WR(0).Write(1, p.at(), p.far.MR.RKey())).Flags(verbs.SendSignaled)
	send.WR(1).Write(2, p.at(), p.far.MR.RKey()).Flags(verbs.SendSignaled)
	recv.WR(0).Recv(3)
	for range limit {
		send.WR(1).Add(p.near.MR.UncheckedSGE(0, 1))
		recv.WR(0).Add(p.near.MR.UncheckedSGE(0, 1))
	}
	posted, err := p.near.QP.PostSend(send, 2)
	refusedAt(t, "a write", posted, 1, err, syscall.EINVAL, syscall.ENOMEM)
	p.ended("the write before it", p.wait(p.near, 1), 0, 1, wcSuccess)
	posted, err = p.near.QP.PostRecv(recv, 1)
	refusedAt(t, "a receive", posted, 0, err, syscall.EINVAL, syscall.ENOMEM)
	p.recovered()
}

// tooMuchInline asks for a little room for inline data, and posts a request within it and one beyond.
func tooMuchInline(t *suite.T) {
	cfg := patient()
	cfg.Inline = 8
	p := connect(t, cfg)
	p.local(p.send.WR(0).Write(1, p.at(), p.far.MR.RKey())).Flags(verbs.SendSignaled | verbs.SendInline)
	p.send.WR(1).Write(2, p.at(), p.far.MR.RKey()).Add(p.near.MR.UncheckedSGE(0, link.Size)).Flags(verbs.SendSignaled | verbs.SendInline)
	posted, err := p.near.QP.PostSend(p.send, 2)
	refusedAt(t, "an inline write of a page", posted, 1, err, syscall.EINVAL, syscall.ENOMEM)
	p.ended("the write before it", p.wait(p.near, 1), 0, 1, wcSuccess)
	p.recovered()
}

// notReady posts in RESET and INIT. In INIT receives are taken.
func notReady(t *suite.T) {
	p, cfg := batches(t), patient()
	p.near = must(cfg.NewReset(nearPlace(t)))(t)
	p.local(p.send.WR(0).Send(1))
	p.recv.WR(0).Recv(2)
	post := func(what string) {
		posted, err := p.near.QP.PostSend(p.send, 1)
		refusedAt(t, what, posted, 0, err, syscall.EINVAL, syscall.ENOMEM)
	}
	post("a send in RESET")
	posted, err := p.near.QP.PostRecv(p.recv, 1)
	refusedAt(t, "a receive in RESET", posted, 0, err, syscall.EINVAL, syscall.ENOMEM)
	ok(t, "to INIT", p.near.QP.Modify(cfg.Init(t.Port().Number())))
	post("a send in INIT")
	_, err = p.near.QP.PostRecv(p.recv, 1)
	ok(t, "a receive in INIT", err)
	again(t)
}

func afterDestroy(t *suite.T) {
	p := connect(t, patient())
	signaledWrite(p, 0, 1)
	ok(t, "Close", p.near.QP.Close())
	fails(t, "PostSend", errorOf(p.near.QP.PostSend(p.send, 1)), os.ErrClosed)
	fails(t, "Modify", p.near.QP.Modify(verbs.NewQPAttr(verbs.QPStateErr)), os.ErrClosed)
	p.recovered()
}

// unaligned is refused by some providers, by others at the peer, with one or the other status.
func unaligned(t *suite.T) {
	p := connect(t, patient())
	p.local(p.send.WR(0).FetchAdd(1, p.at()+4, p.far.MR.RKey(), 1)).Flags(verbs.SendSignaled)
	if posted, err := p.near.QP.PostSend(p.send, 1); err != nil {
		refusedAt(t, "the atomic", posted, 0, err, syscall.EINVAL)
	} else {
		p.ended("the atomic", p.wait(p.near, 1), 0, 1, wcLocQPOp, wcRemInvReq, wcRemAccess)
	}
	p.untouched()
	p.recovered()
}
