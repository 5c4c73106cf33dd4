//go:build linux && cgo

package cases

import (
	"context"
	"time"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// depth is how many requests the queues of a near take.
const depth = 32

// patience is how long an operation may take.
const patience = 10 * time.Second

// newCQ makes a completion queue for one of the queues of a near.
func newCQ(t *suite.T) *verbs.CQ { return must(t.Device().CreateCQ(depth, nil, 0))(t) }

// near is a queue pair of the device under test, connected to another end, with a region to send from and to receive into.
type near struct {
	t            *suite.T
	pd           *verbs.PD
	sends, recvs *verbs.CQ
	qp           *verbs.QP
	link         *suite.Link
	buf          []byte
	mr           *verbs.MR
	send         *verbs.SendBatch
	recv         *verbs.RecvBatch
	stream       *verbs.QPStream               // posts its sends; nil: PostSend does
	readers      map[*verbs.CQ]*verbs.CQReader // of its completion queues; nil: they are polled
}

// newNear makes a queue pair with completion queues of its own, which are for posts of batches and polls alone: Config.Take may have them.
// shape adds to the attributes of the queue pair.
func newNear(t *suite.T, kind far.Kind, shape ...func(*verbs.QPInitAttr)) *near {
	sends, recvs := newCQ(t), newCQ(t)
	n := nearOn(t, newPD(t), kind, sends, recvs, shape...)
	if len(shape) == 0 { // no shared receive queue
		t.Finally("what took the queues", must(t.Take(n.qp, sends, recvs))(t))
	}
	return n
}

// nearOn makes a queue pair on a domain and completion queues.
func nearOn(t *suite.T, pd *verbs.PD, kind far.Kind, sends, recvs *verbs.CQ, shape ...func(*verbs.QPInitAttr)) *near {
	n := bareNear(t, pd, kind, sends, recvs, shape...)
	n.link = t.Connect(n.qp, kind, t.Access(kind))
	return n
}

// types are the types of queue pairs by kind.
var types = map[far.Kind]verbs.QPType{far.RC: verbs.QPTypeRC, far.UC: verbs.QPTypeUC, far.UD: verbs.QPTypeUD,
	rawPacket: verbs.QPTypeRawPacket}

// bareNear makes one that is in RESET.
func bareNear(t *suite.T, pd *verbs.PD, kind far.Kind, sends, recvs *verbs.CQ, shape ...func(*verbs.QPInitAttr)) *near {
	n := &near{t: t, pd: pd, sends: sends, recvs: recvs}
	attr := verbs.QPInitAttr{
		Type: types[kind], SendCQ: sends, RecvCQ: recvs, MaxSendWR: depth, MaxRecvWR: depth, MaxSendSGE: 3, MaxRecvSGE: 3,
	}
	for _, f := range shape {
		f(&attr)
	}
	return n.with(must(pd.CreateQP(attr))(t))
}

// with adds to a near its queue pair, a region and batches.
func (n *near) with(qp *verbs.QP) *near {
	t, pd := n.t, n.pd
	n.qp = qp
	buf := buffer(t, far.MaxData)
	n.buf, n.mr = buf.Bytes(), ends(t, "a region", must(pd.RegMRFrom(buf, rw))(t))
	ends(t, "a queue pair", qp)
	n.send, n.recv = sends(t, depth, 3), recvs(t, depth, 3)
	return n
}

// sge names a part of the region.
func (n *near) sge(offset, length int) verbs.SGE {
	return n.mr.UncheckedSGE(uint64(offset), uint32(length))
}

// part adds a part of the region to a request; nothing for no bytes, as some devices take a length of 0 for 2 GiB.
func (n *near) part(w verbs.SendWR, offset, length int) verbs.SendWR {
	if length == 0 {
		return w
	}
	return w.Add(n.sge(offset, length))
}

// wait takes the next completion off a queue.
func wait(t *suite.T, cq *verbs.CQ) verbs.WC {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return must(far.Poll(ctx, cq))(t)
}

// next takes the next completion off one of its queues.
func (n *near) next(cq *verbs.CQ) verbs.WC {
	if r := n.readers[cq]; r != nil {
		return asPolled(readOne(n.t, r))
	}
	return wait(n.t, cq)
}

// post posts the first requests of the send batch.
func (n *near) post(count int) {
	post := n.qp.PostSend
	if n.stream != nil {
		post = n.stream.Post
	}
	whole(n.t, "a post", count)(post(n.send, count))
}

// opID is the id of the one request that op posts.
const opID = 0x1234567890abcdef

// wr is the request that op posts. write and read begin it, with a place in the other end's window.
func (n *near) wr() verbs.SendWR { return n.send.WR(0) }

func (n *near) write(offset uint64) verbs.SendWR {
	return n.wr().Write(opID, n.link.To.Base+offset, n.link.To.RKey)
}

func (n *near) read(offset uint64) verbs.SendWR {
	return n.wr().Read(opID, n.link.To.Base+offset, n.link.To.RKey)
}

// denied writes request i, a WRITE by a key of no region, with the id i.
func (n *near) denied(i int) {
	n.send.WR(i).Write(uint64(i), n.link.To.Base, n.link.To.RKey+0x100).Add(n.sge(0, 8)).Flags(verbs.SendSignaled)
}

// op posts the request, and checks its completion.
func (n *near) op(what string, opcode verbs.WCOpcode, w verbs.SendWR) {
	w.Flags(verbs.SendSignaled)
	n.post(1)
	n.finished(what, opID, opcode)
}

// addressed names the other end of a datagram.
func (n *near) addressed(w verbs.SendWR, ah *verbs.AH, qpn uint32) verbs.SendWR {
	n.t.OK("Address", ah.Address(w, qpn, n.link.To.QKey))
	return w
}

// finished checks the next completion of a request.
func (n *near) finished(what string, id uint64, opcode verbs.WCOpcode) {
	wc := n.next(n.sends)
	n.t.Status(what, wc.Status, verbs.WCStatusSuccess)
	if wc.ID != id || wc.QPNum != n.qp.Num() || wc.Status == 0 && wc.Opcode != opcode {
		n.t.Errorf("%s: %+v; want id %#x, opcode %v of queue pair %#x", what, wc, id, opcode, n.qp.Num())
	}
}

// room posts a receive into a part of the region.
func (n *near) room(id uint64, offset, length int) {
	w := n.recv.WR(0).Recv(id)
	if length > 0 {
		w.Add(n.sge(offset, length))
	}
	n.postRecv(1)
}

// postRecv posts the first requests of the receive batch.
func (n *near) postRecv(count int) { whole(n.t, "PostRecv", count)(n.qp.PostRecv(n.recv, count)) }

// tell has the other end do something, which must succeed.
func (n *near) tell(what string, op far.Op) far.Result {
	ctx, cancel := context.WithTimeout(n.t.Context(), patience)
	defer cancel()
	r := must(n.link.Far.Do(ctx, op))(n.t)
	n.t.Status("the other end: "+what, verbs.WCStatus(r.Status), verbs.WCStatusSuccess)
	return r
}

// farRoom has the other end post a receive.
func (n *near) farRoom(size int) {
	needed(n.t, "the other end", n.link.Far.PostRecv(n.t.Context(), size))
}

// farGot takes the next message off the other end.
func (n *near) farGot(what string) far.Received {
	ctx, cancel := context.WithTimeout(n.t.Context(), patience)
	defer cancel()
	r := must(n.link.Far.WaitRecv(ctx))(n.t)
	n.t.Status("the other end: "+what, verbs.WCStatus(r.Status), verbs.WCStatusSuccess)
	return r
}

// says posts a SEND, which the other end receives.
func (n *near) says(what string, w verbs.SendWR, want []byte) far.Received {
	n.farRoom(len(want))
	n.op(what, verbs.WCOpcodeSend, w)
	r := n.farGot(what)
	holds(n.t, what, r.Data, want)
	return r
}

// hears has the other end send a message, which it receives at the start of its region. The header of a datagram is before the data.
func (n *near) hears(what string, id int, data []byte) verbs.WC {
	header := 0
	if n.link.To.Kind == far.UD {
		header = verbs.GRHSize
	}
	clear(n.buf)
	n.room(uint64(id), 0, header+len(data))
	n.tell(what, far.Op{Code: far.Send, Data: data})
	wc := n.received(what, uint64(id), verbs.WCOpcodeRecv, header+len(data))
	holds(n.t, what+", received", n.buf[header:header+len(data)], data)
	return wc
}

// farHas compares the other end's window.
func (n *near) farHas(what string, offset int, want []byte) {
	holds(n.t, what+": the other end's window", must(n.link.Far.Load(n.t.Context(), offset, len(want)))(n.t), want)
}

// farStore fills in the other end's window.
func (n *near) farStore(offset int, data []byte) {
	needed(n.t, "the other end", n.link.Far.Store(n.t.Context(), offset, data))
}

// until asks again and again until something is so. The case ends when it takes too long.
func until(t *suite.T, what string, is func() bool) {
	for start := time.Now(); !is(); {
		if time.Since(start) > patience {
			t.Fatalf("%s: it is not so after %v", what, patience)
		}
	}
}

// succeeded takes completions off a queue: of requests from first to last-1, in their order.
func succeeded(t *suite.T, cq *verbs.CQ, first, last int) {
	for i := first; i < last; i++ {
		if wc := wait(t, cq); wc.ID != uint64(i) || wc.Status != 0 {
			t.Fatalf("completion %d of %d: %+v", i, last, wc)
		}
	}
}
