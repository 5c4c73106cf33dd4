//go:build linux && cgo

package cases

import (
	"fmt"
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

func sharedReceives() []suite.Case {
	create := shared("ibv_create_srq", suite.SRQ)
	modify := shared("ibv_modify_srq", suite.SRQ)
	return []suite.Case{
		create("CF-srq-0001", "a queue has room for what was asked for, and says how much", srqSizes),
		create("CF-srq-0002", "a queue that cannot be", noSRQ).Ruled(
			"VR-ibv_create_srq-max_wr-0603", "VR-ibv_create_srq-max_wr-0604", "VR-ibv_create_srq-max_sge-0605"),
		modify("CF-srq-0003", "the limit is set, taken back, and at most the size", srqLimits).Ruled(
			"VR-ibv_modify_srq-srq_limit-0617", "VR-ibv_modify_srq-srq_limit-0619"),
		modify("CF-srq-0004", "resized where the device says that it can be, else left as it is", srqResize).Ruled(
			"VR-ibv_modify_srq-max_wr-0614", "VR-ibv_modify_srq-max_wr-0615", "VR-ibv_modify_srq-srq_attr_mask-0616"),
		create("CF-srq-0005", "destroyed in the wrong order: refused, and what is open is named", srqOrder).Ruled("VR-ibv_destroy_srq-qps-0608"),
		of("CF-srq-0006", "a queue pair with one takes no receives of its own", "ibv_create_qp", srqOwnReceives, suite.SRQ, suite.Peer).Ruled(
			"VR-ibv_post_recv-srq-0363"),
		create("CF-srq-0007", "its receives are taken by every queue pair on it, in order", srqTaken, suite.Peer),
		modify("CF-srq-0008", "one event when fewer receives are left than the limit", srqEvent, suite.Peer),
	}
}

// newSRQ makes a shared receive queue.
func newSRQ(t *suite.T, pd *verbs.PD, wr, sge uint32) *verbs.SRQ {
	return must(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: wr, MaxSGE: sge}))(t)
}

func srqSizes(t *suite.T) {
	attr := must(t.Device().QueryDevice())(t)
	pd := newPD(t)
	ops := must(verbs.NewOpsBatch(1, 0))(t)
	for _, c := range []struct{ wr, sge uint32 }{{1, 1}, {2, 1}, {10, 3}, {63, 1}, {64, 2}, {1000, 1}, {1, uint32(attr.MaxSRQSGE)}} {
		if int(c.wr) > attr.MaxSRQWR || int(c.sge) > attr.MaxSRQSGE {
			continue
		}
		srq := newSRQ(t, pd, c.wr, c.sge)
		belongs(t, "the queue", srq, pd)
		is := must(srq.Query())(t)
		if is.MaxWR < c.wr || is.MaxSGE < c.sge || is.Limit != 0 {
			t.Errorf("asked for %d requests of %d ranges, got %+v", c.wr, c.sge, *is)
		}
		none(t, "an operation on tags, which it has none of", syscall.EOPNOTSUPP, syscall.EINVAL)(srq.PostOps(ops, 1))
		t.OK("Close", srq.Close())
		fails(t, "second Close", srq.Close(), os.ErrClosed)
		fails(t, "Query after Close", errorOf(srq.Query()), os.ErrClosed)
	}
}

// mayBreak checks that a call failed in the library or the kernel, and that the error names the rule that may be why.
func mayBreak(t *suite.T, what string, err error, rule string, set ...syscall.Errno) {
	t.Errno(what, err, set...)
	names(t, what, err, rule)
}

func noSRQ(t *suite.T) {
	attr := must(t.Device().QueryDeviceEx())(t).OrigAttr // so that the bindings know the limits
	pd := newPD(t)
	if srq, err := pd.CreateSRQ(verbs.SRQInitAttr{MaxSGE: 1}); err == nil { // some devices give room all the same
		t.Saw("no room", err)
		t.OK("Close", srq.Close())
	} else {
		mayBreak(t, "no room", err, "VR-ibv_create_srq-max_wr-0603", syscall.EINVAL)
	}
	err := errorOf(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: uint32(attr.MaxSRQWR) + 1, MaxSGE: 1}))
	mayBreak(t, "more than max_srq_wr", err, "VR-ibv_create_srq-max_wr-0604", syscall.EINVAL, syscall.ENOMEM)
	err = errorOf(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 1, MaxSGE: uint32(attr.MaxSRQSGE) + 1}))
	mayBreak(t, "more than max_srq_sge", err, "VR-ibv_create_srq-max_sge-0605", syscall.EINVAL, syscall.ENOMEM)
}

// unchanged checks that a queue is as it was.
func unchanged(t *suite.T, what string, srq *verbs.SRQ, was *verbs.SRQInfo) {
	is(t, what, *must(srq.Query())(t), *was)
}

func srqLimits(t *suite.T) {
	attr := must(t.Device().QueryDeviceEx())(t).OrigAttr
	srq := newSRQ(t, newPD(t), 10, 1)
	was := must(srq.Query())(t)
	t.OK("a limit", srq.Modify(verbs.NewSRQAttr().Limit(3)))
	was.Limit = 3
	unchanged(t, "a limit", srq, was)
	t.OK("nothing", srq.Modify(verbs.NewSRQAttr()))
	unchanged(t, "nothing", srq, was)
	t.Errno("a limit above the size", srq.Modify(verbs.NewSRQAttr().Limit(was.MaxWR+1)), syscall.EINVAL)
	unchanged(t, "a limit above the size", srq, was)
	mayBreak(t, "a limit above max_srq_wr", srq.Modify(verbs.NewSRQAttr().Limit(uint32(attr.MaxSRQWR)+1)),
		"VR-ibv_modify_srq-srq_limit-0617", syscall.EINVAL)
	unchanged(t, "a limit above max_srq_wr", srq, was)
	t.OK("no limit", srq.Modify(verbs.NewSRQAttr().Limit(0)))
	was.Limit = 0
	unchanged(t, "no limit", srq, was)
}

func srqResize(t *suite.T) {
	attr := must(t.Device().QueryDeviceEx())(t).OrigAttr
	srq := newSRQ(t, newPD(t), 10, 1)
	was := must(srq.Query())(t)
	larger := 2 * was.MaxWR
	if attr.DeviceCapFlags&verbs.DeviceCapSRQResize == 0 {
		mayBreak(t, "a device that does not resize", srq.Modify(verbs.NewSRQAttr().MaxWR(larger)),
			"VR-ibv_modify_srq-srq_attr_mask-0616", syscall.EINVAL, syscall.ENOSYS, syscall.EOPNOTSUPP)
		unchanged(t, "a device that does not resize", srq, was)
		return
	}
	mayBreak(t, "no room", srq.Modify(verbs.NewSRQAttr().MaxWR(0)), "VR-ibv_modify_srq-max_wr-0614", syscall.EINVAL)
	mayBreak(t, "more than max_srq_wr", srq.Modify(verbs.NewSRQAttr().MaxWR(uint32(attr.MaxSRQWR)+1)),
		"VR-ibv_modify_srq-max_wr-0615", syscall.EINVAL)
	unchanged(t, "refused sizes", srq, was)
	t.OK("a larger size", srq.Modify(verbs.NewSRQAttr().MaxWR(larger)))
	if is := must(srq.Query())(t); is.MaxWR < larger || is.MaxSGE != was.MaxSGE || is.Limit != 0 {
		t.Errorf("resized to %d: %+v", larger, *is)
	}
	t.OK("a smaller size and a limit", srq.Modify(verbs.NewSRQAttr().MaxWR(was.MaxWR).Limit(was.MaxWR)))
	if is := must(srq.Query())(t); is.MaxWR < was.MaxWR || is.MaxSGE != was.MaxSGE || is.Limit != was.MaxWR {
		t.Errorf("resized to %d with a limit: %+v", was.MaxWR, *is)
	}
}

func srqOrder(t *suite.T) {
	pd := newPD(t)
	srq := newSRQ(t, pd, 4, 1)
	cq := must(t.Device().CreateCQ(1, nil, 0))(t)
	for _, kind := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUD} {
		attr := verbs.QPInitAttr{Type: kind, SendCQ: cq, RecvCQ: cq, SRQ: srq, MaxSendWR: 1, MaxSendSGE: 1}
		qp := must(pd.CreateQP(attr))(t)
		other := must(pd.CreateQP(attr))(t)
		inUse(t, srq.Close(), "QP")
		inUse(t, pd.Close(), "SRQ", "QP")
		t.OK("Close of a queue pair", other.Close())
		inUse(t, srq.Close(), "QP")
		t.OK("Close of the other", qp.Close())
		inUse(t, pd.Close(), "SRQ")
	}
	t.OK("Close", srq.Close())
	err := errorOf(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, SRQ: srq}))
	fails(t, "a queue pair on a closed queue", err, os.ErrClosed)
	fails(t, "Modify after Close", srq.Modify(verbs.NewSRQAttr().Limit(1)), os.ErrClosed)
}

// onSRQ has the receives of a queue pair come from a shared queue.
func onSRQ(srq *verbs.SRQ) func(*verbs.QPInitAttr) {
	return func(a *verbs.QPInitAttr) { a.SRQ, a.MaxRecvWR, a.MaxRecvSGE = srq, 0, 0 }
}

func srqOwnReceives(t *suite.T) {
	pd := newPD(t)
	cq := newCQ(t)
	n := bareNear(t, pd, far.RC, cq, cq, onSRQ(newSRQ(t, pd, 4, 1)))
	t.OK("INIT", t.Port().Init(n.qp, far.RC, verbs.QPAccessRemoteWrite))
	n.recv.WR(0).Recv(1).Add(n.sge(0, 8))
	posted, err := n.qp.PostRecv(n.recv, 1)
	if t.Saw("a receive of its own", err); err != nil {
		none(t, "PostRecv", syscall.EINVAL, syscall.ENOMEM)(posted, err)
	}
}

// supply posts receives of 64 bytes with ids from first on to a shared queue, each to its own part of a region.
func supply(t *suite.T, srq *verbs.SRQ, mr *verbs.MR, first, count int) {
	batch := recvs(t, count, 1)
	for i := range count {
		batch.WR(i).Recv(uint64(first + i)).Add(mr.UncheckedSGE(uint64(64*(first+i)), 64))
	}
	whole(t, fmt.Sprintf("PostRecv of receives from %d on", first), count)(srq.PostRecv(batch, count))
}

// takes sends a message to a queue pair on a shared queue, and checks which receive it took.
func (n *near) takes(text string, id int, of *near) {
	n.tell("a message", far.Op{Code: far.Send, Data: []byte(text)})
	n.received(text, uint64(id), verbs.WCOpcodeRecv, len(text))
	is(n.t, fmt.Sprintf("receive %d", id), string(of.buf[64*id:64*id+len(text)]), text)
}

func srqTaken(t *suite.T) {
	pd := newPD(t)
	srq := newSRQ(t, pd, 8, 1)
	ends := []*near{nearOn(t, pd, far.RC, newCQ(t), newCQ(t), onSRQ(srq)), nearOn(t, pd, far.RC, newCQ(t), newCQ(t), onSRQ(srq))}
	supply(t, srq, ends[0].mr, 0, 8)
	for id, who := range []int{0, 1, 1, 0, 1, 0} {
		ends[who].takes("to one of two", id, ends[0])
	}
	// one that needs no receive leaves them alone
	ends[1].op("a WRITE", verbs.WCOpcodeRDMAWrite, ends[1].write(0).Add(ends[1].sge(0, 8)))
	supply(t, srq, ends[0].mr, 8, 1)
	for id := 6; id < 9; id++ {
		ends[id%2].takes("the rest", id, ends[0])
	}
}

func srqEvent(t *suite.T) {
	pd := newPD(t)
	srq := newSRQ(t, pd, 8, 1)
	n := nearOn(t, pd, far.RC, newCQ(t), newCQ(t), onSRQ(srq))
	supply(t, srq, n.mr, 0, 5)
	t.OK("a limit", srq.Modify(verbs.NewSRQAttr().Limit(3)))
	n.takes("four are left", 0, n)
	n.takes("three are left", 1, n)
	silent(t, "as many receives as the limit", t.Device())
	n.takes("two are left", 2, n)
	ev := must(t.Device().NextEvent(t.Context()))(t)
	if ev.Type != verbs.EventTypeSRQLimitReached || ev.SRQ != srq || ev.QP != nil || ev.CQ != nil || ev.Port != 0 {
		t.Errorf("%v of SRQ %v, QP %v, CQ %v, port %d", ev.Type, ev.SRQ, ev.QP, ev.CQ, ev.Port)
	}
	is(t, "the limit after its event", must(srq.Query())(t).Limit, 0)
	n.takes("one is left", 3, n)
	silent(t, "after the event", t.Device())
	t.OK("Close of the queue pair", n.qp.Close())
	inUse(t, srq.Close(), "an event of ibv_get_async_event without its Done")
	ev.Done()
	t.OK("Close", srq.Close())
}
