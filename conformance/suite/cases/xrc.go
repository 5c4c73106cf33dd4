//go:build linux && cgo

package cases

import (
	"encoding/binary"
	"errors"
	"os"
	"syscall"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// sharedHandles are the cases of extended reliable connections. Both ends are on the device under test.
func sharedHandles() []suite.Case {
	send := shared("ibv_post_send", suite.XRC, suite.Peer)
	return []suite.Case{
		of("CF-xrc-0001", "a shared receive queue of each type, and numbers of those of XRC", "ibv_create_srq_ex", srqTypes, suite.XRC),
		of("CF-xrc-0002", "a queue that lacks what its type needs", "ibv_create_srq_ex", noXRCQueue, suite.XRC).Ruled(
			"VR-ibv_create_srq_ex-pd-3305", "VR-ibv_create_srq_ex-srq_type-1204", "VR-ibv_create_srq_ex-comp_mask-1205",
			"VR-ibv_create_srq_ex-comp_mask-1206", "VR-ibv_create_srq_ex-max_num_tags-1207"),
		of("CF-xrc-0003", "a queue pair that lacks what its type needs", "ibv_create_qp_ex", noXRCPair, suite.XRC).Ruled(
			"VR-ibv_create_qp_ex-comp_mask-1222", "VR-ibv_create_qp_ex-comp_mask-1223", "VR-ibv_create_qp_ex-send_cq-1224",
			"VR-ibv_create_qp_ex-recv_cq-1225"),
		of("CF-xrc-0004", "closed in the wrong order: refused, and what is open is named", "ibv_open_xrcd", xrcOrder, suite.XRC, suite.OpenQP),
		send("CF-xrc-0005", "a message goes to the queue that it names, and completes there", xrcMessages),
		of("CF-xrc-0006", "a stream of commands names the queue", "ibv_wr_post", xrcStream, suite.XRC, suite.Peer),
		send("CF-xrc-0007", "READ, WRITE and atomics reach the memory of the named queue's domain", xrcMemory, suite.Atomics),
		send("CF-xrc-0008", "a number that no queue has, and one of another XRC domain", xrcUnknown),
		send("CF-xrc-0009", "a message to an empty queue waits for a receive", xrcLater),
		of("CF-xrc-0010", "a second handle changes the queue pair, which outlives the first", "ibv_open_qp",
			xrcSecond, suite.XRC, suite.OpenQP, suite.Peer),
		of("CF-xrc-0011", "a queue pair that is not there cannot be opened", "ibv_open_qp", xrcNone, suite.XRC).Ruled(
			"VR-ibv_open_qp-comp_mask-1220", "VR-ibv_open_qp-qp_type-1221"),
		of("CF-xrc-0012", "two openings of the device share the domain of a file", "ibv_open_xrcd",
			xrcTwoOpenings, suite.XRC, suite.OpenQP, suite.Peer),
	}
}

func newXRCD(t *suite.T, dev *verbs.Device) *verbs.XRCD {
	return must(dev.OpenXRCD(verbs.NewXRCDInitAttr(-1, syscall.O_CREAT)))(t)
}

// newXRCQueue makes a shared receive queue of type XRC with a completion queue of its own.
func newXRCQueue(t *suite.T, pd *verbs.PD, x *verbs.XRCD) (*verbs.SRQ, *verbs.CQ, uint32) {
	cq := must(x.Device().CreateCQ(depth, nil, 0))(t)
	srq := must(x.Device().CreateSRQEx(verbs.NewSRQInitAttrEx(pd, depth, 1).Type(verbs.SRQTypeXRC).XRCD(x).CQ(cq)))(t)
	return srq, cq, must(srq.Num())(t)
}

// xrcBox is a shared receive queue of type XRC with receives of 64 bytes. The nth has the id n.
type xrcBox struct {
	srq  *verbs.SRQ
	cq   *verbs.CQ
	num  uint32
	data []byte
	mr   *verbs.MR // over data
}

func newXRCBox(t *suite.T, pd *verbs.PD, x *verbs.XRCD, receives int) *xrcBox {
	b := &xrcBox{}
	b.data, b.mr = memory(t, pd, verbs.MRAccessLocalWrite)
	b.srq, b.cq, b.num = newXRCQueue(t, pd, x)
	if receives > 0 {
		supply(t, b.srq, b.mr, 0, receives)
	}
	return b
}

// pairOfXRC is a sender that is connected to a receiver of an XRC domain, with a region of the sender's protection domain.
type pairOfXRC struct {
	t        *suite.T
	domain   *verbs.XRCD
	sender   *near // without a link
	receiver *verbs.QP
	self, to far.Address
}

// newPairOfXRC makes both. The sender can post streams.
func newPairOfXRC(t *suite.T, domain *verbs.XRCD) *pairOfXRC {
	n := &near{t: t, pd: newPD(t), sends: newCQ(t)}
	attr := verbs.NewQPInitAttrEx(verbs.QPTypeXRCSend, n.sends, nil,
		n.pd).MaxSendWR(depth).MaxSendSGE(1).SendOps(verbs.QPOpSend | verbs.QPOpSendWithImm)
	p := &pairOfXRC{t: t, domain: domain, sender: n.with(must(t.Device().CreateQPEx(attr))(t)), receiver: newXRCReceiver(t, domain)}
	p.connect(p.receiver)
	return p
}

func newXRCReceiver(t *suite.T, x *verbs.XRCD) *verbs.QP {
	return must(x.Device().CreateQPEx(verbs.NewQPInitAttrEx(verbs.QPTypeXRCRecv, nil, nil, nil).XRCD(x)))(t)
}

// reopened is another handle of the receiver, by an opening of its XRC domain.
func reopened(t *suite.T, x *verbs.XRCD, num uint32) *verbs.QP {
	return must(x.Device().OpenQP(verbs.NewQPOpenAttr(x, num, verbs.QPTypeXRCRecv)))(t)
}

// connect connects both, the receiver by a handle of it.
func (p *pairOfXRC) connect(receiver *verbs.QP) {
	t, port := p.t, p.t.Port()
	p.self, p.to = port.Address(p.sender.qp, far.RC), port.Address(receiver, far.RC)
	t.OK("the sender in INIT", port.Init(p.sender.qp, far.RC, 0))
	t.OK("the receiver in INIT", port.Init(receiver, far.RC, t.Access(far.RC)))
	t.OK("the receiver in RTR", port.Receive(receiver, p.to, p.self))
	t.OK("the sender in RTS", port.Connect(p.sender.qp, p.self, p.to))
}

// memory registers a buffer of a page.
func memory(t *suite.T, pd *verbs.PD, access verbs.MRAccess) ([]byte, *verbs.MR) {
	buf := buffer(t, 4096)
	mr := must(pd.RegMRFrom(buf, access))(t)
	t.Cleanup(func() { t.OK("closing a region", mr.Close()) })
	return buf.Bytes(), mr
}

// message sends a text to a box, where it arrives.
func (p *pairOfXRC) message(what, arrived string, to *xrcBox, id uint64, text string) {
	n := p.sender
	copy(n.buf, text)
	n.op(what, verbs.WCOpcodeSend, n.wr().Send(opID).ToSRQ(to.num).Add(n.sge(0, len(text))))
	p.arrives(arrived, to, id, text)
}

// arrives checks the next completion of a box, and the text that came with it.
func (p *pairOfXRC) arrives(what string, to *xrcBox, id uint64, text string) {
	wc := wait(p.t, to.cq)
	p.t.Status(what, wc.Status, verbs.WCStatusSuccess)
	if wc.ID != id || wc.QPNum != p.receiver.Num() || int(wc.ByteLen) != len(text) || wc.Opcode != verbs.WCOpcodeRecv {
		p.t.Errorf("%s: %+v; want id %d, %d bytes, queue pair %#x", what, wc, id, len(text), p.receiver.Num())
	}
	is(p.t, what, string(to.data[64*id:64*int(id)+len(text)]), text)
}

// receiving checks that a handle tells the state of the receiver.
func (p *pairOfXRC) receiving(by string, qp *verbs.QP) {
	attr, _, err := qp.Query()
	if p.t.OK("Query by "+by, err); err == nil {
		is(p.t, "the state by "+by, attr.State, verbs.QPStateRTR)
	}
}

func srqTypes(t *suite.T) {
	pd, x, cq := newPD(t), newXRCD(t, t.Device()), newCQ(t)
	plain := must(t.Device().CreateSRQEx(verbs.NewSRQInitAttrEx(pd, 10, 2)))(t)
	basic := must(t.Device().CreateSRQEx(verbs.NewSRQInitAttrEx(pd, 10, 2).Type(verbs.SRQTypeBasic)))(t)
	for _, srq := range []*verbs.SRQ{plain, basic} {
		if is := must(srq.Query())(t); is.MaxWR < 10 || is.MaxSGE < 2 || srq.PD() != pd || srq.XRCD() != nil || srq.CQ() != nil {
			t.Errorf("%+v of domain %v, XRC domain %v, queue %v", *is, srq.PD(), srq.XRCD(), srq.CQ())
		}
	}
	seen := map[uint32]bool{}
	for range 3 {
		srq := must(t.Device().CreateSRQEx(verbs.NewSRQInitAttrEx(pd, 10, 2).Type(verbs.SRQTypeXRC).XRCD(x).CQ(cq)))(t)
		num := must(srq.Num())(t)
		if seen[num] || srq.PD() != pd || srq.XRCD() != x || srq.CQ() != cq || srq.Device() != t.Device() {
			t.Errorf("number %d, domain %v, XRC domain %v, queue %v", num, srq.PD(), srq.XRCD(), srq.CQ())
		}
		seen[num] = true
	}
	_, err := basic.Num()
	t.Saw("the number of a queue of type BASIC", err)
}

func noXRCQueue(t *suite.T) {
	pd, x, cq := newPD(t), newXRCD(t, t.Device()), newCQ(t)
	make := func(a *verbs.SRQInitAttrEx) error { return errorOf(t.Device().CreateSRQEx(a)) }
	refusedBy(t, "VR-ibv_create_srq_ex-pd-3305", make(verbs.NewSRQInitAttrEx(nil, 1, 1)))
	refusedBy(t, "VR-ibv_create_srq_ex-srq_type-1204", make(verbs.NewSRQInitAttrEx(pd, 1, 1).Type(3)))
	refusedBy(t, "VR-ibv_create_srq_ex-comp_mask-1205", make(verbs.NewSRQInitAttrEx(pd, 1, 1).Type(verbs.SRQTypeXRC).CQ(cq)))
	refusedBy(t, "VR-ibv_create_srq_ex-comp_mask-1206", make(verbs.NewSRQInitAttrEx(pd, 1, 1).Type(verbs.SRQTypeTM).CQ(cq)))
	refusedBy(t, "VR-ibv_create_srq_ex-max_num_tags-1207", make(verbs.NewSRQInitAttrEx(pd, 1, 1).Type(verbs.SRQTypeTM).CQ(cq).MaxOps(1)))
	t.OK("Close of the XRC domain", x.Close())
	err := make(verbs.NewSRQInitAttrEx(pd, 1, 1).Type(verbs.SRQTypeXRC).XRCD(x).CQ(cq))
	fails(t, "a queue of a closed XRC domain", err, os.ErrClosed)
}

func noXRCPair(t *suite.T) {
	pd, cq := newPD(t), newCQ(t)
	make := func(a *verbs.QPInitAttrEx) error { return errorOf(t.Device().CreateQPEx(a)) }
	refusedBy(t, "VR-ibv_create_qp_ex-comp_mask-1222", make(verbs.NewQPInitAttrEx(verbs.QPTypeXRCSend, cq, nil, nil)))
	refusedBy(t, "VR-ibv_create_qp_ex-comp_mask-1223", make(verbs.NewQPInitAttrEx(verbs.QPTypeXRCRecv, nil, nil, nil)))
	refusedBy(t, "VR-ibv_create_qp_ex-send_cq-1224", make(verbs.NewQPInitAttrEx(verbs.QPTypeXRCSend, nil, nil, pd)))
	refusedBy(t, "VR-ibv_create_qp_ex-recv_cq-1225", make(verbs.NewQPInitAttrEx(verbs.QPTypeRC, cq, nil, pd)))
}

func xrcOrder(t *suite.T) {
	pd, x := newPD(t), newXRCD(t, t.Device())
	srq, cq, _ := newXRCQueue(t, pd, x)
	qp := newXRCReceiver(t, x)
	again := reopened(t, x, qp.Num())
	inUse(t, x.Close(), "SRQ", "QP")
	inUse(t, cq.Close(), "SRQ")
	inUse(t, pd.Close(), "SRQ")
	t.OK("Close of the shared receive queue", srq.Close())
	t.OK("Close of the completion queue", cq.Close())
	t.OK("Close of the protection domain", pd.Close())
	inUse(t, x.Close(), "QP")
	t.OK("Close of the first handle", qp.Close())
	inUse(t, x.Close(), "QP")
	t.OK("Close of the second handle", again.Close())
	t.OK("Close of the XRC domain", x.Close())
	fails(t, "OpenQP in a closed XRC domain", errorOf(t.Device().OpenQP(verbs.NewQPOpenAttr(x, 17, verbs.QPTypeXRCRecv))), os.ErrClosed)
}

func xrcMessages(t *suite.T) {
	x, pd := newXRCD(t, t.Device()), newPD(t)
	p, first, second := newPairOfXRC(t, x), newXRCBox(t, pd, x, 4), newXRCBox(t, pd, x, 4)
	p.message("to the first", "the first", first, 0, "one")
	p.message("to the second", "the second", second, 0, "two of them")
	p.message("to the first again", "the first again", first, 1, "three")
	idle(t, "the second, which was named once", second.cq)
}

func xrcStream(t *suite.T) {
	x, pd := newXRCD(t, t.Device()), newPD(t)
	p, first, second := newPairOfXRC(t, x), newXRCBox(t, pd, x, 4), newXRCBox(t, pd, x, 4)
	n := p.sender
	copy(n.buf, "streamed")
	n.stream = must(n.qp.Stream())(t)
	n.send.WR(0).Send(1).ToSRQ(first.num).Add(n.sge(0, 8))
	n.send.WR(1).Send(2).ToSRQ(second.num).Add(n.sge(0, 6)).Flags(verbs.SendSignaled)
	n.post(2)
	n.finished("the second request", 2, verbs.WCOpcodeSend)
	p.arrives("the first message", first, 0, "streamed")
	p.arrives("the second message", second, 0, "stream")
}

func xrcMemory(t *suite.T) {
	x, pd := newXRCD(t, t.Device()), newPD(t)
	p := newPairOfXRC(t, x)
	data, mr := memory(t, pd, rw|verbs.MRAccessRemoteAtomic)
	_, _, num := newXRCQueue(t, pd, x)
	_, _, elsewhere := newXRCQueue(t, newPD(t), x)
	base, n := mr.UncheckedSGE(0, 8).Addr, p.sender
	copy(n.buf, "to write")
	n.op("a WRITE", verbs.WCOpcodeRDMAWrite, n.wr().Write(opID, base, mr.RKey()).ToSRQ(num).Add(n.sge(0, 8)))
	n.op("a READ", verbs.WCOpcodeRDMARead, n.wr().Read(opID, base, mr.RKey()).ToSRQ(num).Add(n.sge(64, 8)))
	is(t, "written", string(data[:8]), "to write")
	is(t, "read", string(n.buf[64:72]), "to write")
	binary.NativeEndian.PutUint64(data[8:], 40)
	n.op("an addition", verbs.WCOpcodeFetchAdd, n.wr().FetchAdd(opID, base+8, mr.RKey(), 2).ToSRQ(num).Add(n.sge(128, 8)))
	swapped(t, "an addition", binary.NativeEndian.Uint64(n.buf[128:]), binary.NativeEndian.Uint64(data[8:]), 40, 42)
	n.send.WR(0).Write(1, base, mr.RKey()).ToSRQ(elsewhere).Add(n.sge(0, 8)).Flags(verbs.SendSignaled)
	n.post(1)
	t.Status("a WRITE with a queue of another protection domain", wait(t, n.sends).Status, verbs.WCStatusRemAccessErr)
}

func xrcUnknown(t *suite.T) {
	x, pd := newXRCD(t, t.Device()), newPD(t)
	_, _, num := newXRCQueue(t, pd, x)
	stranger := newXRCBox(t, pd, newXRCD(t, t.Device()), 1)
	for _, c := range []struct {
		what string
		num  uint32
	}{{"a number that no queue has", num + 1000}, {"a queue of another XRC domain", stranger.num}} {
		n := newPairOfXRC(t, x).sender
		n.send.WR(0).Send(1).ToSRQ(c.num).Add(n.sge(0, 8)).Flags(verbs.SendSignaled)
		n.post(1)
		t.Status(c.what, wait(t, n.sends).Status, verbs.WCStatusRemInvReqErr)
	}
	idle(t, "a queue of another XRC domain", stranger.cq)
}

func xrcLater(t *suite.T) {
	x, pd := newXRCD(t, t.Device()), newPD(t)
	p, box := newPairOfXRC(t, x), newXRCBox(t, pd, x, 0)
	n := p.sender
	copy(n.buf, "patient")
	n.send.WR(0).Send(1).ToSRQ(box.num).Add(n.sge(0, 7)).Flags(verbs.SendSignaled)
	n.post(1)
	supply(t, box.srq, box.mr, 0, 1)
	n.finished("the message", 1, verbs.WCOpcodeSend)
	p.arrives("the message", box, 0, "patient")
}

func xrcSecond(t *suite.T) {
	x, pd := newXRCD(t, t.Device()), newPD(t)
	p, box := newPairOfXRC(t, x), newXRCBox(t, pd, x, 2)
	again := reopened(t, x, p.receiver.Num())
	if again.Num() != p.receiver.Num() || again.XRCD() != x || again.PD() != nil {
		t.Errorf("number %#x and %#x, XRC domain %v, protection domain %v", again.Num(), p.receiver.Num(), again.XRCD(), again.PD())
	}
	p.receiving("the second handle", again)
	t.OK("Close of the first handle", p.receiver.Close())
	p.message("a message", "the message", box, 0, "still there")
	t.OK("ERR by the second handle", again.Modify(verbs.NewQPAttr(verbs.QPStateErr)))
	t.OK("RESET by the second handle", again.Modify(verbs.NewQPAttr(verbs.QPStateReset)))
	t.OK("RESET of the sender", p.sender.qp.Modify(verbs.NewQPAttr(verbs.QPStateReset)))
	p.connect(again)
	p.message("a message anew", "the message anew", box, 1, "still")
	t.OK("Close of the second handle", again.Close())
	err := errorOf(t.Device().OpenQP(verbs.NewQPOpenAttr(x, p.receiver.Num(), verbs.QPTypeXRCRecv)))
	t.Errno("a queue pair whose handles are closed", err, syscall.EINVAL)
}

func xrcNone(t *suite.T) {
	x, other := newXRCD(t, t.Device()), newXRCD(t, t.Device())
	qp := newXRCReceiver(t, x)
	open := func(x *verbs.XRCD, num uint32, typ verbs.QPType) error {
		return errorOf(t.Device().OpenQP(verbs.NewQPOpenAttr(x, num, typ)))
	}
	absent := open(x, qp.Num()+1000, verbs.QPTypeXRCRecv)
	if !errors.Is(absent, errors.ErrUnsupported) { // as on mlx5
		t.Errno("a number that is not there", absent, syscall.EINVAL)
		t.Errno("another XRC domain", open(other, qp.Num(), verbs.QPTypeXRCRecv), syscall.EINVAL)
	}
	refusedBy(t, "VR-ibv_open_qp-comp_mask-1220", open(nil, qp.Num(), verbs.QPTypeXRCRecv))
	refusedBy(t, "VR-ibv_open_qp-qp_type-1221", open(x, qp.Num(), verbs.QPTypeRC))
}

func xrcTwoOpenings(t *suite.T) {
	fd := int(domainFile(t).Fd())
	here := must(t.Device().OpenXRCD(verbs.NewXRCDInitAttr(fd, syscall.O_CREAT)))(t)
	dev := t.Open()
	there := must(dev.OpenXRCD(verbs.NewXRCDInitAttr(fd, 0)))(t)
	p := newPairOfXRC(t, here)
	box := newXRCBox(t, must(dev.AllocPD())(t), there, 1) // of the other opening: the receiver is of this one
	p.message("a message", "the message", box, 0, "shared")
	again := reopened(t, there, p.receiver.Num())
	t.OK("Close of the receiver's first handle", p.receiver.Close())
	t.OK("Close of its XRC domain", here.Close())
	p.receiving("the other opening", again)
	t.OK("Close of the last handle", again.Close())
}
