//go:build linux

package cases

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// area is a region beside that of a near, over memory of its own.
type area struct {
	n   *near
	buf []byte
	mr  *verbs.MR
}

// newArea makes one of some pages by reg. It is closed before the near.
func (n *near) newArea(pages uint64, reg func(buf *mem.Buffer) (*verbs.MR, error)) *area {
	buf := buffer(n.t, pages*page)
	a := &area{n: n, buf: buf.Bytes(), mr: must(reg(buf))(n.t)}
	n.t.Cleanup(func() { ok(n.t, "Close of the region", a.mr.Close()) })
	return a
}

// part names a part of the region.
func (a *area) part(offset, length int) verbs.SGE {
	return a.mr.UncheckedSGE(uint64(offset), uint32(length))
}

// absent gives the pages back to the kernel, so that they are empty, and there only when they are used again.
func (a *area) absent() { ok(a.n.t, "madvise", unix.Madvise(a.buf, unix.MADV_DONTNEED)) }

// filled fills a part and returns a copy of it.
func (a *area) filled(offset, length, seed int) []byte {
	return bytes.Clone(fill(a.buf[offset:offset+length], seed))
}

// has compares a part.
func (a *area) has(what string, offset int, want []byte) {
	holds(a.n.t, what, a.buf[offset:offset+len(want)], want)
}

// carried sends from the area and receives into it, and has WRITE take from it and READ put into it, over a reliable connection. Each
// begins at the start of a page.
func (a *area) carried(round int) {
	const length = 1024
	n := a.n
	what := func(op string) string { return fmt.Sprintf("round %d: %s", round, op) }
	out := a.filled(0, length, round)
	n.says(what("SEND"), n.wr().Send(opID).Add(a.part(0, length)), out)
	in := fill(make([]byte, length), round+50)
	n.recv.WR(0).Recv(uint64(round)).Add(a.part(page, length))
	n.postRecv(1)
	n.tell(what("a message"), far.Op{Code: far.Send, Data: in})
	n.received(what("a message"), uint64(round), wcRecv, length)
	a.has(what("a message"), page, in)
	out = a.filled(2*page, length, round+100)
	n.op(what("WRITE"), wcWrite, n.write(0).Add(a.part(2*page, length)))
	n.farHas(what("WRITE"), 0, out)
	in = fill(make([]byte, length), round+150)
	n.farStore(length, in)
	n.op(what("READ"), wcRead, n.read(length).Add(a.part(3*page, length)))
	a.has(what("READ"), 3*page, in)
}

// datagrams sends from the area.
func (a *area) datagrams(round int) {
	n := a.n
	ah := must(n.pd.CreateAH(n.t.Port().Way(n.link.To)))(n.t)
	out := a.filled(0, 200, round)
	n.says("a datagram", n.addressed(n.wr().Send(opID).Add(a.part(0, 200)), ah, n.link.To.QPN), out)
	ok(n.t, "Close of the address handle", ah.Close())
}

// rounds is how often memory is used that comes and goes.
const rounds = 10

// throughAbsent carries bytes of every kind through an on-demand region whose pages are not there.
func throughAbsent(reg func(n *near, buf *mem.Buffer) (*verbs.MR, error)) func(*suite.T) {
	return func(t *suite.T) {
		n := newNear(t, far.RC)
		a := n.newArea(4, func(buf *mem.Buffer) (*verbs.MR, error) { return reg(n, buf) })
		for round := range rounds {
			a.absent()
			a.carried(round)
		}
	}
}

// relaxed uses a region whose accesses may be reordered, with messages, RDMA and datagrams.
func relaxed(t *suite.T) {
	n, u := newNear(t, far.RC), newNear(t, far.UD)
	a := n.newArea(4, func(buf *mem.Buffer) (*verbs.MR, error) { return n.pd.RegMRFrom(buf, relaxedOrder) })
	d := u.newArea(1, func(buf *mem.Buffer) (*verbs.MR, error) { return u.pd.RegMRFrom(buf, relaxedOrder) })
	for round := range rounds {
		a.carried(round)
		d.datagrams(round)
	}
}

const relaxedOrder = rw | verbs.MRAccessRelaxedOrdering

// relaxedEx uses a region of ibv_reg_mr_ex.
func relaxedEx(t *suite.T) {
	n := newNear(t, far.RC)
	a := n.newArea(4, func(buf *mem.Buffer) (*verbs.MR, error) {
		return n.pd.RegMREx(verbs.NewMRInitAttr(buf.Len(), relaxedOrder).Memory(buf))
	})
	for round := range rounds {
		a.carried(round)
	}
}
