//go:build linux && cgo

package softverbs_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

// Values of the enums of verbs.h that the tests of queues need.
const (
	rc, uc, ud = 2, 3, 4

	sReset, sInit, sRTR, sRTS, sSQD, sErr = 0, 1, 2, 3, 4, 6

	aState, aCur, aAccess, aPKey, aPort, aQKey     = 0x1, 0x2, 0x8, 0x10, 0x20, 0x40
	aAV, aMTU, aTimeout, aRetry, aRNRRetry, aRQPSN = 0x80, 0x100, 0x200, 0x400, 0x800, 0x1000
	aMaxRd, aMinRNR, aSQPSN, aMaxDestRd, aDestQPN  = 0x2000, 0x8000, 0x10000, 0x20000, 0x100000

	opWrite, opWriteImm, opSend, opSendImm, opRead, opCAS, opFAA = 0, 1, 2, 3, 4, 5, 6
	fence, signaled, solicited, inline                           = 1, 2, 4, 8

	wcSuccess, wcLocLen, wcLocQPOp, wcLocProt, wcFlush, wcRemInvReq, wcRemAccess = 0, 1, 2, 4, 5, 9, 10
	wcRemOp, wcRetryExc, wcRNRExc                                                = 11, 12, 13

	maskInit   = aState | aPKey | aPort | aAccess
	maskInitUD = aState | aPKey | aPort | aQKey
	maskRTR    = aState | aAV | aMTU | aDestQPN | aRQPSN | aMaxDestRd | aMinRNR
	maskRTRUC  = aState | aAV | aMTU | aDestQPN | aRQPSN
	maskRTS    = aState | aTimeout | aRetry | aRNRRetry | aSQPSN | aMaxRd
	maskRTSUC  = aState | aSQPSN

	qkey = 0x1234
)

// end is one end of a connection: a queue pair with a CQ for each direction, and a region of four pages.
type end struct {
	b            *bench
	ctx, pd      harness.Obj
	scq, rcq, qp harness.Obj
	mr           harness.MR
	mrObj        harness.Obj
	mem          []byte
	gone         bool // the test destroyed the queue pair
}

// plan says how two ends differ from the usual.
type plan struct {
	typ    int
	caps   harness.Caps5
	cqe    int
	access uint32 // of the queue pairs
	mr     uint32 // access of the regions
	attr   func(*harness.QPAttr)
	sigAll bool
	stopAt int // leave the second end in this state, when not 0
}

const everything = localWrite | remoteWrite | remoteRead | remoteAtomic

func (b *bench) end(device int, p plan) *end {
	b.Helper()
	e := &end{b: b, ctx: b.openDevice(device)}
	e.pd = b.must(b.lib.AllocPD(e.ctx))
	if p.cqe == 0 {
		p.cqe = 63
	}
	e.scq = b.must(b.lib.CreateCQ(e.ctx, p.cqe, 0, nil, 0))
	e.rcq = b.must(b.lib.CreateCQ(e.ctx, p.cqe, 0, nil, 0))
	if p.caps == (harness.Caps5{}) {
		p.caps = harness.Caps5{SendWR: 31, RecvWR: 31, SendSGE: 4, RecvSGE: 4, Inline: 64}
	}
	qp, _, err := b.lib.CreateQP(e.pd, harness.QPInit{SendCQ: e.scq, RecvCQ: e.rcq, Cap: p.caps, Type: p.typ, SigAll: p.sigAll})
	e.qp = b.must(qp, err)
	addr, mem := rw(b.T, 4*pageSize)
	if p.mr == 0 {
		p.mr = everything
	}
	e.mem = mem
	e.mrObj = b.must(b.lib.RegMR(e.pd, addr, 4*pageSize, p.mr))
	e.mr = harness.ReadMR(e.mrObj)
	b.Cleanup(func() {
		if !e.gone {
			b.ok(b.lib.End("ibv_destroy_qp", e.qp))
		}
		if e.mrObj != nil {
			b.dereg(e.mrObj)
		}
		b.ok(b.lib.End("ibv_destroy_cq", e.scq))
		b.ok(b.lib.End("ibv_destroy_cq", e.rcq))
		b.ok(b.lib.End("ibv_dealloc_pd", e.pd))
		b.lib.CloseDevice(e.ctx)
	})
	return e
}

func (e *end) gid() [16]byte {
	e.b.Helper()
	g, err := e.b.lib.GID(e.ctx, 1, 0)
	e.b.ok(err)
	return g
}

// attr has all that a queue pair needs on its way to RTS: timeout=10, retry=2, rnr=1 as in the fault table.
func (e *end) attr(p plan, to *end) harness.QPAttr {
	if p.access == 0 {
		p.access = everything
	}
	a := harness.QPAttr{
		PathMTU: 3, QKey: qkey, RQPSN: 0x111, SQPSN: 0x111, Access: p.access, MaxRdAtomic: 4, MaxDestRdAtomic: 4, MinRNRTimer: 12,
		Port: 1, Timeout: 10, RetryCnt: 2, RNRRetry: 1,
		AH: harness.AH{DGID: to.gid(), HopLimit: 1, Port: 1, Global: true}, DestQPN: harness.QPNum(to.qp),
	}
	if p.attr != nil {
		p.attr(&a)
	}
	return a
}

func masks(typ int) [3]int {
	switch typ {
	case ud:
		return [3]int{maskInitUD, aState, maskRTSUC}
	case uc:
		return [3]int{maskInit, maskRTRUC, maskRTSUC}
	}
	return [3]int{maskInit, maskRTR, maskRTS}
}

// to takes an end through the states up to the one wanted.
func (e *end) to(p plan, peer *end, state int) {
	e.b.Helper()
	a := e.attr(p, peer)
	for i, m := range masks(p.typ) {
		if i+1 <= state {
			a.State = i + 1
			e.b.ok(e.b.lib.Modify(e.qp, a, m))
			if got := harness.QPState(e.qp); got != a.State {
				e.b.Errorf("qp->state %d, want %d", got, a.State)
			}
		}
	}
}

// pair connects two ends: on the first two devices when there are two, else on the only one.
func (b *bench) pair(p plan, devices int) (x, y *end) {
	b.Helper()
	if p.typ == 0 {
		p.typ = rc
	}
	x, y = b.end(0, p), b.end(devices-1, p)
	x.to(p, y, sRTS)
	state := sRTS
	if p.stopAt != 0 {
		state = p.stopAt
	}
	y.to(p, x, state)
	return x, y
}

func (e *end) sge(off, n uint64) harness.SGE {
	return harness.SGE{Addr: uint64(e.mr.Addr) + off, Len: uint32(n), LKey: e.mr.LKey}
}

func (e *end) at(off uint64) uint64 { return uint64(e.mr.Addr) + off }

func (e *end) send(wrs ...harness.SendWR) {
	e.b.Helper()
	if bad, err := e.b.lib.PostSend(e.qp, wrs...); err != nil {
		e.b.Fatalf("post_send: request %d: %v", bad, err)
	}
}

func (e *end) recv(wrs ...harness.RecvWR) {
	e.b.Helper()
	if bad, err := e.b.lib.PostRecv(e.qp, wrs...); err != nil {
		e.b.Fatalf("post_recv: request %d: %v", bad, err)
	}
}

// wait polls a CQ until n completions came, and gives up after a minute.
func (b *bench) wait(cq harness.Obj, n int) []harness.WC {
	b.Helper()
	var got []harness.WC
	for late := time.Now().Add(time.Minute); len(got) < n; runtime.Gosched() {
		wcs, err := b.lib.Poll(cq, n-len(got))
		if err != nil {
			b.Fatalf("poll_cq: %v", err)
		}
		if got = append(got, wcs...); len(got) < n && time.Now().After(late) {
			b.Fatalf("%d completions, want %d: %+v", len(got), n, got)
		}
	}
	return got
}

// none is for completions that must not come: all that is queued on other queues is through by then.
func (b *bench) none(cq harness.Obj) {
	b.Helper()
	if wcs, err := b.lib.Poll(cq, 8); err != nil || len(wcs) != 0 {
		b.Errorf("completions %+v, %v", wcs, err)
	}
}

func (b *bench) state(want int, e *end) {
	b.Helper()
	a, _, _, err := b.lib.Query(e.qp)
	if b.ok(err); a.State != want {
		b.Errorf("state %d, want %d", a.State, want)
	}
}

func two(t *testing.T, opts ...softverbs.Option) *bench {
	t.Helper()
	return open(t, append([]softverbs.Option{softverbs.AnotherDevice("soft1")}, opts...)...)
}
