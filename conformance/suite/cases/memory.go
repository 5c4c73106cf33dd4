//go:build linux && cgo

package cases

import (
	"bytes"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/conformance/suite/far"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// memoryUse has a case for each kind of memory that a Go program can register: while the garbage collector runs without a
// pause, both ends write to it and read from it, and no byte beside is touched.
func memoryUse() []suite.Case {
	reg := shared("ibv_reg_mr", suite.Peer)
	return []suite.Case{
		reg("CF-mr-0120", "a slice of Go memory, in use while the garbage collector runs hard",
			func(t *suite.T) { usedSlice(t, make([]byte, 3*usedLength)) }),
		reg("CF-mr-0121", "part of a slice that was registered, in use while the garbage collector runs hard",
			func(t *suite.T) { usedSlice(t, make([]byte, 3*usedLength+133)[57:][:3*usedLength]) }),
		reg("CF-mr-0122", "a buffer outside Go's heap, in use while the garbage collector runs hard",
			func(t *suite.T) { usedBuffer(t, buffer(t, 3*usedLength)) }),
		reg("CF-mr-0123", "huge pages, in use while the garbage collector runs hard",
			func(t *suite.T) { usedBuffer(t, buffer(t, 2<<20, mem.HugePages(0))) }, suite.HugePages),
	}
}

// usedLength is how much of a kind of memory is used, in its middle: several packets.
const usedLength = 20000

func usedSlice(t *suite.T, b []byte) { used(t, b, must(newPD(t).RegMR(b, rw))(t)) }

func usedBuffer(t *suite.T, buf *mem.Buffer) { used(t, buf.Bytes(), registered(t, newPD(t), buf, rw)) }

// used moves bytes in every way into and out of the middle of memory.
func used(t *suite.T, b []byte, mr *verbs.MR) {
	cq := must(t.Device().CreateCQ(2*depth, nil, 0))(t)
	n := nearOn(t, mr.PD(), far.RC, cq, cq)
	stop := collect()
	defer stop()
	middle, at := b[usedLength:2*usedLength], uint64(mr.Addr())+usedLength
	for round := range 6 {
		out := fill(make([]byte, usedLength), 4*round)
		n.tell("WRITE", far.Op{Code: far.Write, RKey: mr.RKey(), Addr: at, Data: out})
		holds(t, "written by the other end", middle, out)
		r := n.tell("READ", far.Op{Code: far.Read, RKey: mr.RKey(), Addr: at, Length: usedLength})
		holds(t, "read by the other end", r.Data, out)
		fill(middle, 4*round+1)
		n.op("WRITE", verbs.WCOpcodeRDMAWrite, n.write(0).SGE(at, usedLength, mr.LKey()))
		n.farHas("WRITE", 0, fill(out, 4*round+1))
		n.farStore(0, fill(out, 4*round+2))
		n.op("READ", verbs.WCOpcodeRDMARead, n.read(0).SGE(at, usedLength, mr.LKey()))
		holds(t, "read by this end", middle, out)
		n.recv.WR(0).Recv(1).SGE(at, usedLength, mr.LKey())
		n.postRecv(1)
		n.tell("SEND", far.Op{Code: far.Send, Data: fill(out, 4*round+3)})
		if wc := wait(t, cq); wc.Status != 0 || wc.ByteLen != usedLength {
			t.Errorf("round %d: received %+v", round, wc)
		}
		holds(t, "received", middle, out)
	}
	for _, around := range [][]byte{b[:usedLength], b[2*usedLength : 3*usedLength]} {
		holds(t, "the memory around", around, make([]byte, usedLength))
	}
	t.OK("Close", mr.Close())
}

// holds compares memory, or a message, with what was put there.
func holds(t *suite.T, what string, got, want []byte) {
	if !bytes.Equal(got, want) {
		t.Errorf("%s: it holds %s", what, differing(got, want))
	}
}

// collect runs the garbage collector over and over, and makes work for it, until it is stopped.
func collect() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		var junk [64][]byte
		for i := 0; ; i++ {
			select {
			case <-done:
				runtime.KeepAlive(&junk)
				return
			default:
				for j := range junk {
					junk[j] = bytes.Repeat([]byte{0xee}, 1<<10*(1+i%24))
				}
				runtime.GC()
			}
		}
	}()
	return func() { close(done); <-ended }
}

// area is a region beside that of a near, over memory of its own.
type area struct {
	n   *near
	buf []byte
	mr  *verbs.MR
}

// way is a verb that registers memory.
type way func(pd *verbs.PD, buf *mem.Buffer, access verbs.MRAccess) (*verbs.MR, error)

func regMR(pd *verbs.PD, buf *mem.Buffer, access verbs.MRAccess) (*verbs.MR, error) {
	return pd.RegMRFrom(buf, access)
}

func regMREx(pd *verbs.PD, buf *mem.Buffer, access verbs.MRAccess) (*verbs.MR, error) {
	return pd.RegMREx(verbs.NewMRInitAttr(buf.Len(), access).Memory(buf))
}

// newArea makes one of some pages. It is closed before the near.
func (n *near) newArea(pages uint64, reg way, access verbs.MRAccess) *area {
	buf := buffer(n.t, pages*page)
	return &area{n: n, buf: buf.Bytes(), mr: ends(n.t, "the region", must(reg(n.pd, buf, access))(n.t))}
}

// part names a part of the region.
func (a *area) part(offset, length int) verbs.SGE {
	return a.mr.UncheckedSGE(uint64(offset), uint32(length))
}

// absent gives the pages back to the kernel, so that they are empty, and there only when they are used again.
func (a *area) absent() { a.n.t.OK("madvise", unix.Madvise(a.buf, unix.MADV_DONTNEED)) }

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
	n.received(what("a message"), uint64(round), verbs.WCOpcodeRecv, length)
	a.has(what("a message"), page, in)
	out = a.filled(2*page, length, round+100)
	n.op(what("WRITE"), verbs.WCOpcodeRDMAWrite, n.write(0).Add(a.part(2*page, length)))
	n.farHas(what("WRITE"), 0, out)
	in = fill(make([]byte, length), round+150)
	n.farStore(length, in)
	n.op(what("READ"), verbs.WCOpcodeRDMARead, n.read(length).Add(a.part(3*page, length)))
	a.has(what("READ"), 3*page, in)
}

// datagrams sends from the area.
func (a *area) datagrams(round int) {
	n := a.n
	ah := must(n.pd.CreateAH(n.t.Port().Way(n.link.To)))(n.t)
	out := a.filled(0, 200, round)
	n.says("a datagram", n.addressed(n.wr().Send(opID).Add(a.part(0, 200)), ah, n.link.To.QPN), out)
	n.t.OK("Close of the address handle", ah.Close())
}

// rounds is how often memory is used that comes and goes.
const rounds = 10

// through carries bytes of every kind through a region, whose pages are not there if they are absent.
func through(reg way, access verbs.MRAccess, absent bool) func(*suite.T) {
	return func(t *suite.T) {
		a := newNear(t, far.RC).newArea(4, reg, access)
		for round := range rounds {
			if absent {
				a.absent()
			}
			a.carried(round)
		}
	}
}

const relaxedOrder = rw | verbs.MRAccessRelaxedOrdering

// relaxed uses a region whose accesses may be reordered, with messages, RDMA and datagrams.
func relaxed(t *suite.T) {
	a, d := newNear(t, far.RC).newArea(4, regMR, relaxedOrder), newNear(t, far.UD).newArea(1, regMR, relaxedOrder)
	for round := range rounds {
		a.carried(round)
		d.datagrams(round)
	}
}
