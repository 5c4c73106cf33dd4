//go:build linux && cgo

package oncard

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/conformance/bench/hotbench"
	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/mlx5dv"
	"github.com/verbsgen/verbsgen/gen/mlx5dv/direct"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
)

// taken is a side of a connection whose queues Go reads and writes.
type taken struct {
	*link.End
	cq *direct.CQ
	qp *direct.QP
}

func take(tb testing.TB, e *link.End, opts ...direct.Option) *taken {
	tb.Helper()
	dv := must(mlx5dv.Load(e.QP.Device().Lib()))(tb)
	cq := must(direct.TakeCQ(dv, e.CQ, opts...))(tb)
	return &taken{e, cq, must(direct.TakeQP(dv, e.QP, cq, cq, nil, opts...))(tb)}
}

// here connects two queue pairs on the first device.
func here(t testing.TB, c link.Config) (a, b *link.End) {
	t.Helper()
	dev := open(t, card.Devices[0])
	return c.Connected(t, dev, dev)
}

// TestDirectOps makes each operation of an RC queue pair by requests in place. The suite with -direct makes them by batches.
func TestDirectOps(t *testing.T) {
	config := link.Default()
	config.Inline, config.SendSGE, config.SendWR, config.RecvWR = 64, 3, 8, 8
	a, b := pair(t, config)
	at, bt := take(t, a), take(t, b)
	lkey, rkey := a.MR.LKey(), b.MR.RKey()
	local, remote := a.MR.IOVA(), b.MR.IOVA()
	check := func(what string, side *link.End, want verbs.WC) {
		t.Helper()
		got := must(side.Wait())(t)
		got.SrcQP, got.SL, got.SLID, got.PKeyIndex, got.DLIDPathBits = 0, 0, 0, 0, 0
		want.QPNum = side.QP.Num()
		if got != want {
			t.Fatalf("%s: %+v, want %+v", what, got, want)
		}
	}
	for round := range 40 { // the queues begin anew several times
		copy(a.Buf, fmt.Sprintf("round %d of some bytes to carry", round))
		clear(b.Buf)
		must(0, bt.qp.Recv(2, b.MR.IOVA()+100, 64, b.MR.LKey()))(t)
		at.qp.Write(1, remote, rkey).SGE(local, 10, lkey).SGE(local+10, 6, lkey).Flags(verbs.SendSignaled)
		at.qp.SendImm(3, 77).Inline(a.Buf[:20]).Flags(verbs.SendSignaled)
		at.qp.Nop(9).Flags(verbs.SendSignaled)
		must(at.qp.Ring())(t)
		check("write", a, verbs.WC{ID: 1, Opcode: verbs.WCOpcodeRDMAWrite})
		check("send", a, verbs.WC{ID: 3, Opcode: verbs.WCOpcodeSend, Flags: verbs.WCFlagWithImm})
		check("nop", a, verbs.WC{ID: 9, Opcode: verbs.WCOpcodeDriver2})
		check("receive", b, verbs.WC{ID: 2, Opcode: verbs.WCOpcodeRecv, ByteLen: 20, ImmData: 77, Flags: verbs.WCFlagWithImm})
		if !bytes.Equal(a.Buf[:16], b.Buf[:16]) || !bytes.Equal(b.Buf[100:120], a.Buf[:20]) {
			t.Fatalf("round %d: %q, %q", round, b.Buf[:16], b.Buf[100:120])
		}
		*(*uint64)(unsafe.Pointer(&b.Buf[200])) = 40
		at.qp.FetchAdd(4, remote+200, rkey, 2).SGE(local+200, 8, lkey).Flags(verbs.SendSignaled)
		at.qp.CompareSwap(5, remote+200, rkey, 42, 7).SGE(local+208, 8, lkey).Flags(verbs.SendSignaled)
		at.qp.Read(6, remote+200, rkey).SGE(local+216, 8, lkey).Flags(verbs.SendSignaled)
		must(at.qp.Ring())(t)
		check("add", a, verbs.WC{ID: 4, Opcode: verbs.WCOpcodeFetchAdd, ByteLen: 8})
		check("swap", a, verbs.WC{ID: 5, Opcode: verbs.WCOpcodeCompSwap, ByteLen: 8})
		check("read", a, verbs.WC{ID: 6, Opcode: verbs.WCOpcodeRDMARead, ByteLen: 8})
		if got := *(*[3]uint64)(unsafe.Pointer(&a.Buf[200])); got != [3]uint64{40, 42, 7} {
			t.Fatalf("round %d: atomics answered %v", round, got)
		}
	}
	must(0, b.QP.Modify(verbs.NewQPAttr(verbs.QPStateReset)))(t)
	if err := bt.qp.Recv(1, remote, 8, b.MR.LKey()); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a receive in RESET: %v", err)
	}
}

// TestDirectStates takes a queue pair through RESET, to which all requests and completions of before are lost, and sees that libmlx5 is
// kept from queues that Go has.
func TestDirectStates(t *testing.T) {
	config := link.Default()
	config.Inline = 16
	a, b := here(t, config)
	at := take(t, a)
	batch, recv := must(verbs.NewSendBatch(1, 1))(t), must(verbs.NewRecvBatch(1, 1))(t)
	recv.WR(0).Recv(7).SGE(a.MR.IOVA(), 8, a.MR.LKey())
	write := func() error {
		batch.WR(0).Write(9, b.MR.IOVA(), b.MR.RKey()).SGE(a.MR.IOVA(), 8, a.MR.LKey()).Flags(verbs.SendSignaled)
		return errorOf(a.QP.PostSend(batch, 1))
	}
	for round := range 3 {
		for range 5 {
			must(0, write())(t)
		}
		must(a.Wait())(t) // one of five
		must(0, a.QP.Modify(verbs.NewQPAttr(verbs.QPStateReset)))(t)
		must(0, b.QP.Modify(verbs.NewQPAttr(verbs.QPStateReset)))(t)
		if n, err := a.CQ.PollInto(make([]verbs.WC, 8)); n != 0 || err != nil {
			t.Errorf("round %d: %d completions after RESET, %v", round, n, err)
		}
		if err := write(); !errors.Is(err, syscall.ENOMEM) {
			t.Errorf("round %d: a post in RESET: %v", round, err)
		}
		if err := errorOf(a.QP.PostRecv(recv, 1)); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("round %d: a receive in RESET: %v", round, err)
		}
		for _, e := range []*link.End{a, b} {
			must(0, e.QP.Modify(config.Init(1)))(t)
		}
		must(0, errors.Join(a.ConnectTo(b), b.ConnectTo(a)))(t)
		must(0, write())(t)
		if wc := must(a.Wait())(t); wc.ID != 9 || wc.Status != 0 {
			t.Errorf("round %d: %+v", round, wc)
		}
	}
	batch.WR(0).Write(9, b.MR.IOVA(), b.MR.RKey()).SGE(8, 8, 0).Flags(verbs.SendSignaled | verbs.SendInline)
	if n, err := a.QP.PostSend(batch, 1); n != 0 || !errors.Is(err, syscall.EFAULT) {
		t.Errorf("inline data at an address without memory: %d, %v", n, err)
	}
	batch.WR(0).Send(9).Flags(verbs.SendSignaled)
	full := 0
	for at.qp.Write(1, b.MR.IOVA(), b.MR.RKey()).SGE(a.MR.IOVA(), 8, a.MR.LKey()) != (direct.Request{}) {
		full++
	}
	if n, err := at.qp.Ring(); n != full || !errors.Is(err, verbs.ErrQueueFull) {
		t.Errorf("%d of %d requests, %v", n, full, err)
	}

	for what, err := range map[string]error{
		"Resize":     a.CQ.Resize(200),
		"a reader":   errorOf(a.CQ.Reader(1)),
		"take again": errorOf(direct.TakeCQ(must(mlx5dv.Load(a.QP.Device().Lib()))(t), a.CQ)),
		"Close":      a.QP.Close(),
		"close CQ":   at.cq.Close(),
	} {
		t.Logf("%s: %v", what, err)
		if err == nil {
			t.Errorf("%s is not refused", what)
		}
	}
	other := must(a.PD.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: a.CQ, RecvCQ: a.CQ, MaxSendWR: 1, MaxSendSGE: 1}))(t)
	must(0, other.Modify(config.Init(1)))(t)
	to := *a
	to.QP = other
	must(0, errors.Join(to.ConnectTo(b), other.Modify(verbs.NewQPAttr(verbs.QPStateErr))))(t)
	for range full + 10 { // what is left of the full queue
		_, _ = a.CQ.PollInto(make([]verbs.WC, 8))
	}
	must(other.PostSend(batch, 1))(t)
	if _, err := a.Wait(); err == nil || !strings.Contains(err.Error(), "has not taken") {
		t.Errorf("a completion of a queue pair of libmlx5: %v", err)
	}
	must(0, at.qp.Close())(t)
	if err := write(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a post after Close: %v", err)
	}
	two := must(verbs.NewSendBatch(2, 1))(t)
	if n, err := a.QP.PostSendRange(two.From(1, 1)); n != 0 || !errors.Is(err, os.ErrClosed) || strings.Contains(err.Error(), "request 0") {
		t.Errorf("a post of the second of two after Close: %d, %v", n, err)
	}
	at.qp.Send(1)
	if _, err := at.qp.Ring(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Ring after Close: %v", err)
	}
	must(0, errors.Join(at.cq.Close(), a.QP.Close(), other.Close(), a.CQ.Close()))(t)
}

// TestDirectSRQ posts the same receives to two shared receive queues, one of libmlx5 and one of Go, and takes messages from that of Go over
// two queue pairs.
func TestDirectSRQ(t *testing.T) {
	dev := open(t, card.Devices[0])
	dv := must(mlx5dv.Load(dev.Lib()))(t)
	pd := must(dev.AllocPD())(t)
	theirs := must(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 16, MaxSGE: 3}))(t)
	ours := must(pd.CreateSRQ(verbs.SRQInitAttr{MaxWR: 16, MaxSGE: 3}))(t)
	srq := must(direct.TakeSRQ(dv, ours))(t)
	x, y := must(dv.InitSRQ(theirs))(t), must(dv.InitSRQ(ours))(t)
	recv := must(verbs.NewRecvBatch(4, 3))(t)
	r := rand.New(rand.NewPCG(1, 2))
	memory := make([]byte, 4096)
	mr := must(pd.RegMR(memory, verbs.MRAccessLocalWrite))(t)
	post := func(n int, srqs ...*verbs.SRQ) {
		t.Helper()
		for i := range n {
			in := recv.WR(i).Recv(uint64(100 + i))
			for range 1 + r.IntN(3) {
				in.SGE(mr.IOVA()+r.Uint64N(2048), 64+r.Uint32N(100), mr.LKey())
			}
		}
		for _, s := range srqs {
			must(s.PostRecv(recv, n))(t)
		}
	}
	for _, n := range []int{1, 4, 2} {
		post(n, theirs, ours)
		a, b := bytesAt(x.Buf, 16*x.Stride), bytesAt(y.Buf, 16*y.Stride)
		if !bytes.Equal(a, b) || !bytes.Equal(bytesAt(x.DBRec, 4), bytesAt(y.DBRec, 4)) {
			t.Fatalf("the queues differ:\n% x\n% x", a, b)
		}
	}
	config := link.Default()
	place := must(link.First(dev))(t)
	cq := must(dev.CreateCQ(64, nil, 0))(t)
	taken := must(direct.TakeCQ(dv, cq))(t)
	var from []*link.End
	for range 2 {
		e := must(config.NewEnd(place))(t)
		qp := must(pd.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: cq, RecvCQ: cq, SRQ: ours, MaxSendWR: 4, MaxSendSGE: 1}))(t)
		must(direct.TakeQP(dv, qp, taken, taken, srq))(t)
		must(0, qp.Modify(config.Init(1)))(t)
		to := *e
		to.QP = qp
		must(0, errors.Join(to.ConnectTo(e), e.ConnectTo(&to)))(t)
		from = append(from, e)
	}
	for round := range 100 {
		e := from[round%2]
		succeeds(t, e, func(w verbs.SendWR) { w.Send(1).SGE(e.MR.IOVA(), 1+r.Uint32N(60), e.MR.LKey()) })
		if wc := completion(t, cq); wc.Status != 0 || wc.ID < 100 || wc.ID > 103 || wc.Opcode != verbs.WCOpcodeRecv {
			t.Fatalf("round %d: %+v", round, wc)
		}
		post(1, ours)
	}
	for range 64 {
		if _, err := ours.PostRecv(recv, 1); err != nil {
			if !errors.Is(err, verbs.ErrQueueFull) {
				t.Error(err)
			}
			return
		}
	}
	t.Error("the queue takes receives without end")
}

// TestDirectClose closes while other goroutines post, poll and change a queue pair of the same completion queue. A closed queue pair takes
// nothing, also after RESET.
func TestDirectClose(t *testing.T) {
	dev, config := open(t, card.Devices[0]), link.Default()
	recv := must(verbs.NewRecvBatch(1, 1))(t)
	for range 20 {
		a, b := config.Connected(t, dev, dev)
		at := take(t, a)
		other := must(a.PD.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: a.CQ, RecvCQ: a.CQ, MaxSendWR: 1, MaxRecvWR: 1,
			MaxSendSGE: 1, MaxRecvSGE: 1}))(t)
		second := must(direct.TakeQP(must(mlx5dv.Load(other.Device().Lib()))(t), other, at.cq, at.cq, nil))(t)
		if _, err := other.PostRecv(recv, 1); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("a receive of a queue pair that was taken in RESET: %v", err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			for {
				at.qp.Write(1, b.MR.IOVA(), b.MR.RKey()).SGE(a.MR.IOVA(), 8, a.MR.LKey()).Flags(verbs.SendSignaled)
				if _, err := at.qp.Ring(); errors.Is(err, os.ErrClosed) {
					return
				}
			}
		})
		wg.Go(func() {
			wcs := make([]verbs.WC, 4)
			for {
				if _, err := at.cq.PollInto(wcs); errors.Is(err, os.ErrClosed) {
					return
				}
			}
		})
		changed := make(chan error)
		go func() {
			changed <- errors.Join(other.Modify(config.Init(1)), other.Modify(verbs.NewQPAttr(verbs.QPStateReset)), second.Close(), other.Close())
		}()
		time.Sleep(time.Millisecond)
		must(0, errors.Join(at.qp.Close(), <-changed, a.QP.Modify(verbs.NewQPAttr(verbs.QPStateReset)), a.QP.Modify(config.Init(1))))(t)
		if _, err := a.QP.PostRecv(recv, 1); !errors.Is(err, os.ErrClosed) {
			t.Errorf("a receive of a closed queue pair: %v", err)
		}
		must(0, errors.Join(a.QP.Close(), at.cq.Close(), a.CQ.Close()))(t)
		wg.Wait()
	}
}

// BenchmarkDirect compares posts and polls of queues that Go writes and reads with those of C through the real libmlx5: batches with
// chains that were built before, and requests in place with those that C builds anew.
func BenchmarkDirect(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			if b.N > 1 {
				b.Skip("measured in rounds: run with -benchtime 1x")
			}
			c, p, q := newPoster(b, n), newPoster(b, n), newPoster(b, n)
			take(b, p.a)
			at := take(b, q.a)
			inPlace := q.inGo(func() error {
				w := q.w
				for i := range n {
					at.qp.Write(uint64(i), w.Remote, w.RKey).SGE(w.Addr, w.Length, w.LKey).Flags(verbs.SendSignaled)
				}
				return errorOf(at.qp.Ring())
			}, at.cq.PollInto)
			b.ReportMetric(0, "ns/op")
			post, poll := ratios(c.turns(c.inC(false)), p.turns(p.batched()))
			b.ReportMetric(post[1], "batch-post-x-C")
			b.ReportMetric(poll[1], "verbs-poll-x-C")
			post, poll = ratios(c.turns(c.inC(true)), q.turns(inPlace))
			b.ReportMetric(post[1], "post-x-C")
			b.ReportMetric(poll[1], "poll-x-C")
		})
	}
}

// BenchmarkDirectOther compares what BenchmarkDirect leaves out: receives, on a queue that nothing uses; WRITEs of 32 bytes of inline data,
// which Go writes to the register as a whole (libmlx5 decides for itself); and polls of an empty queue.
func BenchmarkDirectOther(b *testing.B) {
	if b.N > 1 {
		b.Skip("measured in rounds: run with -benchtime 1x")
	}
	b.ReportMetric(0, "ns/op")
	for _, n := range []int{1, 64} {
		c, g := newPoster(b, n), newPoster(b, n)
		at := take(b, g.a)
		batch := must(verbs.NewRecvBatch(n, 1))(b)
		for i, w := range batch.All() {
			w.Recv(uint64(i)).SGE(g.w.Addr, 8, g.w.LKey)
		}
		inGo := g.inGo(func() error {
			return errorOf(g.a.QP.PostRecv(batch, n))
		}, nil)
		anew := func(p *poster, post func() time.Duration) func() (time.Duration, time.Duration) {
			return func() (time.Duration, time.Duration) {
				config := link.Default()
				must(0, errors.Join(p.a.QP.Modify(verbs.NewQPAttr(verbs.QPStateReset)), p.a.QP.Modify(config.Init(1))))(b)
				return post(), 1
			}
		}
		each := g.inGo(func() error {
			for i := range n {
				if err := at.qp.Recv(uint64(i), g.w.Addr, 8, g.w.LKey); err != nil {
					return err
				}
			}
			return nil
		}, nil)
		inC := func() time.Duration { return hotbench.Recv(c.a.QP.CPtr(), c.w, n, c.calls) }
		post, _ := ratios(anew(c, inC), anew(g, inGo.post), anew(g, each.post))
		b.ReportMetric(post[1], fmt.Sprintf("recv-batch%d-x-C", n))
		b.ReportMetric(post[2], fmt.Sprintf("recv%d-x-C", n))
	}
	c, g := newPoster(b, 1), newPoster(b, 1)
	at := take(b, g.a, direct.BlueFlame)
	c.w.Length, c.w.Flags = 32, verbs.SendInline
	inGo := g.inGo(func() error {
		at.qp.Write(1, g.w.Remote, g.w.RKey).Inline(g.a.Buf[:32]).Flags(verbs.SendSignaled)
		return errorOf(at.qp.Ring())
	}, at.cq.PollInto)
	post, _ := ratios(c.turns(c.inC(true)), g.turns(inGo))
	b.ReportMetric(post[1], "inline-x-C")
	empty := func(w way) func() (time.Duration, time.Duration) {
		return func() (time.Duration, time.Duration) { _, took := w.poll(); return took, 1 }
	}
	post, _ = ratios(empty(c.inC(false)), empty(inGo))
	b.ReportMetric(post[1], "empty-x-C")
}

// written is what a queue pair's memory has after posts: of libmlx5, or of Go.
type written struct {
	qp   *verbs.QP
	info *mlx5dv.QPInfo
}

// same compares the blocks of two send queues, and both doorbell records. The queue pairs have numbers of their own.
func (w written) same(t *testing.T, o written, what string) {
	t.Helper()
	a, b := bytesAt(w.info.SQBuf, w.info.SQWQEs*64), bytesAt(o.info.SQBuf, o.info.SQWQEs*64)
	for i := 0; i < len(a); i += 16 {
		x, y := a[i:i+16], b[i:i+16]
		if i%64 == 0 && bytes.Equal(x[4:7], number(w.qp)) && bytes.Equal(y[4:7], number(o.qp)) {
			x, y = append(x[:4:4], x[7:]...), append(y[:4:4], y[7:]...)
		}
		if !bytes.Equal(x, y) {
			t.Fatalf("%s: byte %d is\n% x by libmlx5, and\n% x by Go", what, i, x, y)
		}
	}
	if x, y := bytesAt(w.info.DBRec, 8), bytesAt(o.info.DBRec, 8); !bytes.Equal(x, y) {
		t.Fatalf("%s: records % x by libmlx5, and % x by Go", what, x, y)
	}
	a, b = bytesAt(w.info.RQBuf, w.info.RQWQEs*w.info.RQStride), bytesAt(o.info.RQBuf, o.info.RQWQEs*o.info.RQStride)
	if !bytes.Equal(a, b) {
		t.Fatalf("%s: the receive queues differ", what)
	}
}

// number is the number of a queue pair as requests have it.
func number(qp *verbs.QP) []byte {
	return []byte{byte(qp.Num() >> 16), byte(qp.Num() >> 8), byte(qp.Num())}
}

func bytesAt(a uintptr, n uint32) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&a))), n)
}

// initiator makes a queue pair of type XRC_SEND in RTS.
func initiator(t *testing.T, c link.Config, at link.Place) *link.End {
	rc := c
	rc.Type = verbs.QPTypeRC
	e := must(rc.NewEnd(at))(t)
	far := must(rc.NewEnd(at))(t)
	e.CQ = must(at.Device.CreateCQ(c.CQE, nil, 0))(t)
	init := verbs.NewQPInitAttrEx(verbs.QPTypeXRCSend, e.CQ, nil, e.PD).MaxSendWR(c.SendWR).MaxSendSGE(c.SendSGE)
	e.QP = must(at.Device.CreateQPEx(init.MaxInlineData(c.Inline)))(t)
	way, mtu := far.Way(far)
	must(0, e.QP.Modify(c.Init(at.Port.Number())))(t)
	must(0, e.QP.Modify(verbs.NewQPAttr(verbs.QPStateRTR).AV(way).PathMTU(mtu).DestQPNum(far.QP.Num()).RQPSN(0)))(t)
	must(0, e.QP.Modify(verbs.NewQPAttr(verbs.QPStateRTS).Timeout(14).RetryCnt(6).RNRRetry(6).SQPSN(0).MaxRDAtomic(1)))(t)
	return e
}

// args are the arguments of an operation, of which each takes its own.
type args struct {
	id, remote uint64
	rkey, imm  uint32
	a, b       uint64
}

type (
	sendWR  = verbs.SendWR
	request = direct.Request
)

// ops are the operations: those of all types of queue pairs, of all with a peer, and of those that are acknowledged.
var ops = []struct {
	name                string
	atomic, reads, bare bool // bare: without data
	in                  func(w sendWR, x args) sendWR
	place               func(q *direct.QP, x args) request
}{
	{"SEND", false, false, false, func(w sendWR, x args) sendWR { return w.Send(x.id) },
		func(q *direct.QP, x args) request { return q.Send(x.id) }},
	{"SEND with immediate", false, false, false, func(w sendWR, x args) sendWR { return w.SendImm(x.id, x.imm) },
		func(q *direct.QP, x args) request { return q.SendImm(x.id, x.imm) }},
	{"WRITE", false, false, false, func(w sendWR, x args) sendWR { return w.Write(x.id, x.remote, x.rkey) },
		func(q *direct.QP, x args) request { return q.Write(x.id, x.remote, x.rkey) }},
	{"WRITE with immediate", false, false, false, func(w sendWR, x args) sendWR { return w.WriteImm(x.id, x.remote, x.rkey, x.imm) },
		func(q *direct.QP, x args) request { return q.WriteImm(x.id, x.remote, x.rkey, x.imm) }},
	{"LOCAL_INV", false, false, true, func(w sendWR, x args) sendWR { return w.LocalInv(x.id, x.rkey) },
		func(q *direct.QP, x args) request { return q.LocalInv(x.id, x.rkey) }},
	{"READ", false, true, false, func(w sendWR, x args) sendWR { return w.Read(x.id, x.remote, x.rkey) },
		func(q *direct.QP, x args) request { return q.Read(x.id, x.remote, x.rkey) }},
	{"compare and swap", true, false, false, func(w sendWR, x args) sendWR { return w.CompareSwap(x.id, x.remote, x.rkey, x.a, x.b) },
		func(q *direct.QP, x args) request { return q.CompareSwap(x.id, x.remote, x.rkey, x.a, x.b) }},
	{"fetch and add", true, false, false, func(w sendWR, x args) sendWR { return w.FetchAdd(x.id, x.remote, x.rkey, x.a) },
		func(q *direct.QP, x args) request { return q.FetchAdd(x.id, x.remote, x.rkey, x.a) }},
	{"SEND with invalidate", false, false, false, func(w sendWR, x args) sendWR { return w.SendInv(x.id, x.rkey) },
		func(q *direct.QP, x args) request { return q.SendInv(x.id, x.rkey) }},
}

// TestSameBytes posts the same requests to two queue pairs, one of libmlx5 and one of Go, by batches and in place, and compares their
// memory after each post. They are in ERR, so that the keys and addresses need not be valid.
func TestSameBytes(t *testing.T) {
	for _, typ := range []verbs.QPType{verbs.QPTypeRC, verbs.QPTypeUC, verbs.QPTypeUD, verbs.QPTypeXRCSend} {
		t.Run(fmt.Sprint(typ), func(t *testing.T) {
			config := link.Default()
			config.Type, config.Inline, config.SendSGE, config.RecvSGE, config.SendWR, config.RecvWR = typ, 120, 5, 3, 13, 16
			dev := open(t, card.Devices[0])
			dv := must(mlx5dv.Load(dev.Lib()))(t)
			var theirs, ours *link.End
			if place := must(link.First(dev))(t); typ == verbs.QPTypeXRCSend {
				theirs, ours = initiator(t, config, place), initiator(t, config, place)
			} else {
				theirs, ours = config.Connected(t, dev, dev)
			}
			receive := must(direct.TakeCQ(dv, ours.CQ))(t)
			both := receive
			if typ == verbs.QPTypeXRCSend {
				receive = nil
			}
			o := &taken{ours, both, must(direct.TakeQP(dv, ours.QP, both, receive, nil))(t)}
			w := [2]written{{theirs.QP, must(dv.InitQP(theirs.QP))(t)}, {ours.QP, must(dv.InitQP(ours.QP))(t)}}
			for _, e := range []*link.End{theirs, ours} {
				must(0, e.QP.Modify(verbs.NewQPAttr(verbs.QPStateErr)))(t)
			}
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			r := rand.New(rand.NewPCG(seed, 0))
			data := make([]byte, 128)
			batch := must(verbs.NewSendBatch(3, 5, verbs.InlineRoom(120)))(t)
			recv := must(verbs.NewRecvBatch(3, 3))(t)
			of := ops[:2]
			var ah *verbs.AH
			var address *direct.Address
			if typ == verbs.QPTypeUD {
				way, _ := theirs.Way(ours)
				ah = must(theirs.PD.CreateAH(way))(t)
				address = must(direct.AddressOf(dv, ah))(t)
			} else {
				of = ops[:5]
			}
			if typ == verbs.QPTypeRC || typ == verbs.QPTypeXRCSend {
				of = ops
			}
			drain := func(e *link.End, n int) {
				for _, wc := range must(verbstest.Wait(e.CQ, n))(t) {
					if wc.Status != verbs.WCStatusWRFlushErr {
						t.Fatalf("%+v", wc)
					}
				}
			}
			for round := range *rounds {
				for i := range w { // of what a request leaves out, the queue has what was there before
					clear(bytesAt(w[i].info.SQBuf, w[i].info.SQWQEs*64))
					clear(bytesAt(w[i].info.RQBuf, w[i].info.RQWQEs*w[i].info.RQStride))
				}
				n := 1 + r.IntN(3)
				what := ""
				for i := range n {
					op, x := of[r.IntN(len(of))], args{uint64(round*4 + i), r.Uint64(), r.Uint32(), r.Uint32(), r.Uint64(), r.Uint64()}
					flags := verbs.SendFlags(r.IntN(8)) | verbs.SendSignaled
					var sges []verbs.SGE
					for range r.IntN(6) {
						sges = append(sges, verbs.SGE{Addr: r.Uint64(), Length: r.Uint32N(5) * r.Uint32(), LKey: r.Uint32()})
						if op.atomic {
							sges[len(sges)-1].Length = 8
						}
					}
					inline := data[:r.IntN(121)]
					if op.atomic || op.reads || r.IntN(3) > 0 {
						inline = nil
					}
					for i := range inline {
						inline[i] = byte(r.Uint32())
					}
					if op.bare {
						sges, inline = nil, nil
					}
					in := batch.WR(i)
					var place direct.Request
					inPlace := round%2 == 1
					qpn, qkey, srqn := r.Uint32N(1<<24), r.Uint32(), r.Uint32()
					if inPlace && ah != nil {
						o.qp.To(address, qpn, qkey)
					}
					if inPlace && typ == verbs.QPTypeXRCSend {
						o.qp.ToSRQ(srqn)
					}
					if inPlace {
						place = op.place(o.qp, x)
					}
					op.in(in, x)
					if typ == verbs.QPTypeXRCSend {
						in.ToSRQ(srqn)
					}
					if ah != nil {
						must(0, ah.Address(in, qpn, qkey))(t)
					}
					in.Flags(flags)
					if inPlace {
						place = place.Flags(flags)
					}
					if inline != nil {
						in.InlineData(inline)
						if inPlace {
							place.Inline(inline)
						}
					} else {
						for _, s := range sges {
							in.Add(s)
							if inPlace {
								place = place.Add(s)
							}
						}
					}
					what += fmt.Sprintf("%s %v, %d elements, %d bytes; ", op.name, flags, len(sges), len(inline))
				}
				must(theirs.QP.PostSend(batch, n))(t)
				if round%2 == 1 {
					must(o.qp.Ring())(t)
				} else {
					must(ours.QP.PostSend(batch, n))(t)
				}
				k := 1 + r.IntN(3)
				if typ == verbs.QPTypeXRCSend {
					k = 0
				}
				for i := range k {
					in := recv.WR(i).Recv(uint64(i))
					for range r.IntN(4) {
						in.SGE(r.Uint64(), r.Uint32N(3)*r.Uint32(), r.Uint32())
					}
				}
				if k > 0 {
					must(theirs.QP.PostRecv(recv, k))(t)
					must(ours.QP.PostRecv(recv, k))(t)
				}
				w[0].same(t, w[1], what)
				drain(theirs, n+k)
				drain(ours, n+k)
			}
		})
	}
}

// TestDirectBind binds and invalidates a window by libmlx5 and another by Go: both write the same, but for the number of the window. The
// peer writes through that of Go. What cannot be bound is refused.
func TestDirectBind(t *testing.T) {
	dev := open(t, card.Devices[0])
	dv := must(mlx5dv.Load(dev.Lib()))(t)
	place := must(link.First(dev))(t)
	config := link.Default()
	e, _ := config.Connected(t, dev, dev)
	peer := must(config.NewEnd(place))(t)
	ours := must(dev.CreateCQ(16, nil, 0))(t)
	qp := must(e.PD.CreateQP(verbs.QPInitAttr{Type: verbs.QPTypeRC, SendCQ: ours, RecvCQ: ours, MaxSendWR: config.SendWR,
		MaxRecvWR: config.RecvWR, MaxSendSGE: config.SendSGE, MaxRecvSGE: config.RecvSGE, MaxInlineData: config.Inline}))(t)
	way, mtu := e.Way(peer)
	init := config.Init(place.Port.Number()).AccessFlags(verbs.QPAccessRemoteWrite | verbs.QPAccessRemoteRead)
	modify(t, qp, init, config.RTR(way, mtu, peer.QP.Num()), config.RTS())
	must(0, peer.Connect(way.DGID, way.SGIDIndex, qp.Num()))(t)
	cq := must(direct.TakeCQ(dv, ours))(t)
	o := must(direct.TakeQP(dv, qp, cq, cq, nil))(t)
	w := [2]written{{e.QP, must(dv.InitQP(e.QP))(t)}, {qp, must(dv.InitQP(qp))(t)}}

	buf := make([]byte, 4096)
	mr := must(e.PD.RegMR(buf, verbs.MRAccessLocalWrite|verbs.MRAccessMWBind))(t)
	theirs, mw := must(e.PD.AllocMW(verbs.MWType2))(t), must(e.PD.AllocMW(verbs.MWType2))(t)
	batch := must(verbs.NewSendBatch(1, 1))(t)
	block := uint32(0)
	done := func(cq *verbs.CQ, op verbs.WCOpcode) {
		t.Helper()
		if wc := completion(t, cq); wc.Err() != nil || wc.ID != 5 || wc.Opcode != op {
			t.Fatalf("%+v", wc)
		}
	}
	for round, right := range []verbs.MWAccess{verbs.MWAccessRemoteWrite, verbs.MWAccessRemoteWrite | verbs.MWAccessRemoteRead |
		verbs.MWAccessRemoteAtomic, verbs.MWAccessRemoteWrite | verbs.MWAccessZeroBased} {
		for i := range w {
			clear(bytesAt(w[i].info.SQBuf, w[i].info.SQWQEs*64))
		}
		key, addr := verbs.NextRKey(mw.RKey()), mr.IOVA()+8*uint64(round)
		named := mw.RKey()
		must(0, theirs.Bind(batch.WR(0), verbs.NextRKey(theirs.RKey()), verbs.MWBindAttr{ID: 5, SendFlags: verbs.SendSignaled, MR: mr,
			Addr: addr, Length: 64, Access: right}))(t)
		must(e.QP.PostSend(batch, 1))(t)
		done(e.CQ, verbs.WCOpcodeBindMW)
		batch.WR(0).LocalInv(5, theirs.RKey()).Flags(verbs.SendSignaled)
		must(e.QP.PostSend(batch, 1))(t)
		done(e.CQ, verbs.WCOpcodeLocalInv)

		o.Bind(5, mw, key, mr, addr, 64, right).Flags(verbs.SendSignaled)
		must(o.Ring())(t)
		done(ours, verbs.WCOpcodeBindMW)
		if mw.RKey() != key {
			t.Fatalf("the window has the key %#x, not %#x", mw.RKey(), key)
		}
		remote := addr
		if right&verbs.MWAccessZeroBased != 0 {
			remote = 0
		}
		peer.Buf[0] = byte(round + 1)
		batch.WR(0).Write(5, remote+1, key).SGE(peer.MR.IOVA(), 1, peer.MR.LKey()).Flags(verbs.SendSignaled)
		must(peer.QP.PostSend(batch, 1))(t)
		done(peer.CQ, verbs.WCOpcodeRDMAWrite)
		if at := 8*round + 1; buf[at] != byte(round+1) {
			t.Fatalf("round %d: the byte behind the window is %d", round, buf[at])
		}
		o.LocalInv(5, key).Flags(verbs.SendSignaled)
		must(o.Ring())(t)
		done(ours, verbs.WCOpcodeLocalInv)
		for i, blocks := range []uint32{3, 2} { // the bind, and the invalidation: what they say of the keys
			first := func(w written) uintptr { return w.info.SQBuf + uintptr(block%w.info.SQWQEs*64) }
			if got, want := binary.BigEndian.Uint32(bytesAt(first(w[1])+12, 4)), [2]uint32{named, key}[i]; got != want {
				t.Fatalf("request %d names the key %#x, not %#x", i, got, want)
			}
			copy(bytesAt(first(w[1])+12, 4), bytesAt(first(w[0])+12, 4))
			if low := bytesAt(first(w[1])+71, 1); i == 0 {
				if low[0] != byte(key) {
					t.Fatalf("the key ends with %#x, not %#x", low[0], byte(key))
				}
				low[0] = bytesAt(first(w[0])+71, 1)[0]
			}
			block += blocks
		}
		w[0].same(t, w[1], fmt.Sprint(right))
	}

	batch.WR(0).Send(1)
	must(0, mw.Bind(batch.WR(0), verbs.NextRKey(mw.RKey()), verbs.MWBindAttr{MR: mr, Addr: mr.IOVA(), Length: 8,
		Access: verbs.MWAccessRemoteRead}))(t)
	if _, err := qp.PostSend(batch, 1); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a batch that binds: %v", err)
	}
	one, foreign := must(e.PD.AllocMW(verbs.MWType1))(t), must(peer.PD.AllocMW(verbs.MWType2))(t)
	closed := must(e.PD.AllocMW(verbs.MWType2))(t)
	must(0, closed.Close())(t)
	for what, call := range map[string]func(){
		"type 1":           func() { o.Bind(1, one, 1, mr, mr.IOVA(), 8, 0) },
		"another PD":       func() { o.Bind(1, foreign, 1, mr, mr.IOVA(), 8, 0) },
		"a closed window":  func() { o.Bind(1, closed, 1, mr, mr.IOVA(), 8, 0) },
		"no window":        func() { o.Bind(1, nil, 1, mr, mr.IOVA(), 8, 0) },
		"no region":        func() { o.Bind(1, mw, 1, nil, 0, 8, 0) },
		"no bytes":         func() { o.Bind(1, mw, 1, mr, mr.IOVA(), 0, 0) },
		"more than 2 GiB":  func() { o.Bind(1, mw, 1, mr, mr.IOVA(), 1<<31+1, 0) },
		"with an element":  func() { o.Bind(1, mw, 1, mr, mr.IOVA(), 8, 0).SGE(1, 1, 1) },
		"with inline data": func() { o.Bind(1, mw, 1, mr, mr.IOVA(), 8, 0).Inline(make([]byte, 8)) },
	} {
		call()
		if n, err := o.Ring(); n != 0 || !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: %d, %v", what, n, err)
		}
	}
}

var rounds = flag.Int("rounds", 1000, "posts of each type that TestSameBytes compares")

// TestDirectDCI sends from two DCIs to a DCT, one by a stream of libmlx5 and one by Go, and compares what they write.
func TestDirectDCI(t *testing.T) {
	e := newDCEnd(t)
	lib, buf := e.lib, e.Buf
	dct, ah := e.target(t), must(e.PD.CreateAH(e.way))(t)
	address := must(direct.AddressOf(lib, ah))(t)
	cqs := [2]*verbs.CQ{must(e.dev.CreateCQ(16, nil, 0))(t), must(e.dev.CreateCQ(16, nil, 0))(t)}
	d, other := e.initiator(t, cqs[0]), e.initiator(t, cqs[1])
	w := [2]written{{d.QP, must(lib.InitQP(d.QP))(t)}, {other.QP, must(lib.InitQP(other.QP))(t)}}
	c := must(direct.TakeCQ(lib, cqs[1]))(t)
	ours := must(direct.TakeQP(lib, other.QP, c, c, nil))(t)
	of := other.batch
	of.WR(0).Write(8, e.MR.IOVA(), e.MR.RKey())
	if _, err := other.PostSend(of, 1); err == nil || !strings.Contains(err.Error(), "direct.QP.ToDCT") {
		t.Fatalf("a request that nobody said where it goes: %v", err)
	}
	halves := [2]verbs.SGE{e.MR.UncheckedSGE(2048, 4), e.MR.UncheckedSGE(2052, 4)}
	for round := range uint16(40) {
		for i := range w {
			clear(bytesAt(w[i].info.SQBuf, w[i].info.SQWQEs*64))
		}
		remote := e.MR.IOVA() + 8*uint64(round)
		*(*uint64)(unsafe.Pointer(&buf[2048])) = uint64(round) + 1
		d.post(t, func(w mlx5dv.QPExWR) error {
			w.Write(7, remote, e.MR.RKey()).Add(halves[0]).Add(halves[1])
			return w.SetDCAddrStream(ah, dct.Num(), dcKey, round%4)
		})
		if wc := completion(t, cqs[0]); wc.Err() != nil {
			t.Fatal(wc.Err())
		}
		ours.ToDCT(address, dct.Num(), dcKey, round%4)
		buf[8*round] = 0
		if round%2 == 0 {
			ours.Write(8, remote, e.MR.RKey()).Add(halves[0]).Add(halves[1]).Flags(verbs.SendSignaled)
			must(ours.Ring())(t)
		} else {
			of.WR(0).Write(8, remote, e.MR.RKey()).Add(halves[0]).Add(halves[1]).Flags(verbs.SendSignaled)
			must(other.PostSend(of, 1))(t)
		}
		if wc := completion(t, cqs[1]); wc.Err() != nil || wc.ID != 8 || wc.Opcode != verbs.WCOpcodeRDMAWrite || buf[8*round] != byte(round)+1 {
			t.Fatalf("%+v, %d", wc, buf[8*round])
		}
		w[0].same(t, w[1], fmt.Sprintf("round %d", round))
	}
}
