//go:build linux && cgo

package softverbs_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/runtime/internal/denied"
	"github.com/verbsgen/verbsgen/runtime/softverbs/internal/harness"
)

// fault is one row of what goes wrong between two queue pairs, as soft-RoCE of Linux 6.1 answers it.
type fault struct {
	what    string
	plan    plan
	recv    func(y *end) harness.SGE // what the other end receives into; nil: nothing
	wr      func(x, y *end) harness.SendWR
	status  int // at the requester
	other   int // at the receiver, when there is a receive; -1: none
	yState  int
	between func(x, y *end)
}

func write(x, y *end) harness.SendWR {
	return harness.SendWR{Opcode: opWrite, SGEs: []harness.SGE{x.sge(0, 8)}, Addr: y.at(0), RKey: y.mr.RKey}
}

func send(x, _ *end) harness.SendWR {
	return harness.SendWR{Opcode: opSend, SGEs: []harness.SGE{x.sge(0, 8)}}
}

func read(x, y *end) harness.SendWR {
	w := write(x, y)
	w.Opcode = opRead
	return w
}

func faa(x, y *end) harness.SendWR {
	w := write(x, y)
	w.Opcode, w.Atomic, w.Compare = opFAA, true, 1
	return w
}

func with(f func(x, y *end) harness.SendWR, change func(w *harness.SendWR)) func(x, y *end) harness.SendWR {
	return func(x, y *end) harness.SendWR {
		w := f(x, y)
		change(&w)
		return w
	}
}

func into(n uint64) func(*end) harness.SGE { return func(y *end) harness.SGE { return y.sge(0, n) } }

func badInto(change func(*harness.SGE)) func(*end) harness.SGE {
	return func(y *end) harness.SGE {
		s := y.sge(0, 64)
		change(&s)
		return s
	}
}

func dest(a *harness.QPAttr) { a.MaxDestRdAtomic = 0 }

var faults = []fault{
	{what: "rkey of no region", wr: with(write, func(w *harness.SendWR) { w.RKey += 256 }), status: wcRemAccess, yState: sErr},
	{what: "key byte of the rkey", wr: with(write, func(w *harness.SendWR) { w.RKey += 2 }), status: wcRemAccess, yState: sErr},
	{what: "read with a wrong rkey", wr: with(read, func(w *harness.SendWR) { w.RKey += 2 }), status: wcRemAccess, yState: sErr},
	{what: "atomic with a wrong rkey", wr: with(faa, func(w *harness.SendWR) { w.RKey += 2 }), status: wcRemAccess, yState: sErr},
	{what: "past the end", wr: with(write, func(w *harness.SendWR) { w.Addr += 4*pageSize - 7 }), status: wcRemAccess, yState: sErr},
	{what: "before the start", wr: with(write, func(w *harness.SendWR) { w.Addr-- }), status: wcRemAccess, yState: sErr},
	{what: "rkey of a region that is gone", wr: write, status: wcRemAccess, yState: sErr, between: func(_, y *end) {
		y.b.dereg(y.mrObj)
		y.mrObj = nil
	}},
	{what: "region without REMOTE_WRITE", plan: plan{mr: localWrite | remoteRead}, wr: write, status: wcRemAccess, yState: sErr},
	{what: "region without REMOTE_READ", plan: plan{mr: localWrite | remoteWrite}, wr: read, status: wcRemAccess, yState: sErr},
	{what: "region without REMOTE_ATOMIC", plan: plan{mr: localWrite | remoteWrite}, wr: faa, status: wcRemAccess, yState: sErr},
	{what: "queue pair without REMOTE_WRITE", plan: plan{access: remoteRead}, wr: write, status: wcRemInvReq, yState: sErr},
	{what: "queue pair without REMOTE_READ", plan: plan{access: remoteWrite}, wr: read, status: wcRemInvReq, yState: sErr},
	{what: "queue pair without REMOTE_ATOMIC", plan: plan{access: remoteWrite}, wr: faa, status: wcRemInvReq, yState: sErr},
	{what: "no place for reads at the other end", plan: plan{attr: dest}, wr: read, status: wcRemInvReq, yState: sErr},
	{what: "wrong lkey", wr: with(write, func(w *harness.SendWR) { w.SGEs[0].LKey += 2 }), status: wcLocQPOp, yState: sRTS},
	{what: "rkey in place of the lkey", wr: with(write, func(w *harness.SendWR) { w.SGEs[0].LKey++ }), status: wcLocQPOp, yState: sRTS},
	{what: "SGE past the region", wr: with(write, func(w *harness.SendWR) { w.SGEs[0].Addr += 4*pageSize - 7 }),
		status: wcLocProt, yState: sRTS},
	{what: "message of more than 32 bits", wr: with(write, func(w *harness.SendWR) {
		w.SGEs = append(w.SGEs, harness.SGE{Len: 1 << 31}, harness.SGE{Len: 1 << 31}) // whose sum is the 8 bytes in 32 bits
	}), status: wcLocLen, yState: sRTS},
	{what: "read into a region without LOCAL_WRITE", plan: plan{mr: remoteRead}, wr: read, status: wcLocProt, yState: sRTS},
	{what: "read with a wrong lkey", wr: with(read, func(w *harness.SendWR) { w.SGEs[0].LKey += 2 }), status: wcLocProt, yState: sRTS},
	{what: "atomic into a wrong lkey", wr: with(faa, func(w *harness.SendWR) { w.SGEs[0].LKey += 2 }), status: wcLocProt, yState: sRTS},
	{what: "send longer than the receive", recv: into(7), wr: send, status: wcRemOp, other: wcLocQPOp, yState: sErr},
	{what: "receive with a wrong lkey", recv: badInto(func(s *harness.SGE) { s.LKey += 2 }), wr: send,
		status: wcRemOp, other: wcLocQPOp, yState: sErr},
	{what: "receive past its region", recv: badInto(func(s *harness.SGE) { s.Addr += 4*pageSize - 7 }), wr: send,
		status: wcRemOp, other: wcLocQPOp, yState: sErr},
	{what: "receive without LOCAL_WRITE", plan: plan{mr: remoteRead}, recv: into(64), wr: send,
		status: wcRemOp, other: wcLocQPOp, yState: sErr},
	{what: "immediate write with a wrong rkey", recv: into(64), wr: with(write, func(w *harness.SendWR) {
		w.Opcode = opWriteImm
		w.RKey += 2
	}), status: wcRemAccess, other: wcRemAccess, yState: sErr},
	{what: "no receive", wr: send, status: wcRNRExc, yState: sRTS},
	{what: "no receive for an immediate", wr: with(write, func(w *harness.SendWR) { w.Opcode = opWriteImm }), status: wcRNRExc, yState: sRTS},
	{what: "no receive, endless tries, short timeout", plan: plan{attr: func(a *harness.QPAttr) { a.RNRRetry = 7 }}, wr: send,
		status: wcRetryExc, yState: sRTS},
	{what: "no receive, long wait, short timeout", plan: plan{attr: func(a *harness.QPAttr) { a.MinRNRTimer = 0 }}, wr: send,
		status: wcRetryExc, yState: sRTS},
	{what: "other end in ERR", wr: send, status: wcRetryExc, yState: sErr, between: func(_, y *end) {
		y.b.ok(y.b.lib.Modify(y.qp, harness.QPAttr{State: sErr}, aState))
	}},
	{what: "other end in INIT", plan: plan{stopAt: sInit}, wr: send, status: wcRetryExc, yState: sInit},
	{what: "other queue pair is gone", wr: send, status: wcRetryExc, yState: -1, between: func(_, y *end) {
		y.b.ok(y.b.lib.End("ibv_destroy_qp", y.qp))
		y.gone = true
	}},
	{what: "sequence numbers that do not meet", plan: plan{attr: func(a *harness.QPAttr) { a.RQPSN++ }}, wr: send,
		status: wcRetryExc, yState: sRTS},
	{what: "opcode that does not exist", wr: with(send, func(w *harness.SendWR) { w.Opcode = 77 }), status: wcLocQPOp, yState: sRTS},
}

func TestFaults(t *testing.T) {
	for _, f := range faults {
		eachPairOf(t, f.what, f.plan, func(b *bench, x, y *end) {
			y.mem[0] = 0x5a
			if f.recv != nil {
				y.recv(harness.RecvWR{ID: 6, SGEs: []harness.SGE{f.recv(y)}})
			}
			if f.between != nil {
				f.between(x, y)
			}
			after := send(x, y)
			after.ID = 2
			x.recv(harness.RecvWR{ID: 3})
			x.send(f.wr(x, y), after) // unsignaled: errors complete all the same
			wcs := b.wait(x.scq, 2)
			if wcs[0].Status != f.status || wcs[0].ID != 0 || wcs[1].Status != wcFlush || wcs[1].ID != 2 {
				b.Errorf("requester %+v, want status %d", wcs, f.status)
			}
			b.state(sErr, x)
			if wc := b.wait(x.rcq, 1)[0]; wc.Status != wcFlush || wc.ID != 3 {
				b.Errorf("own receive %+v", wc)
			}
			if f.yState >= 0 {
				b.state(f.yState, y)
			}
			if f.recv != nil {
				if wc := b.wait(y.rcq, 1)[0]; wc.Status != f.other || wc.ID != 6 {
					b.Errorf("receiver %+v, want status %d", wc, f.other)
				}
			}
			b.none(y.rcq)
			if y.mem[0] != 0x5a && f.what != "atomic into a wrong lkey" {
				b.Error("the refused request changed memory")
			}
		})
	}
}

func eachPairOf(t *testing.T, what string, p plan, f func(b *bench, x, y *end)) {
	t.Run(what, func(t *testing.T) {
		b := two(t)
		x, y := b.pair(p, 2)
		f(b, x, y)
	})
}

// A key is good for the queue pairs of its own protection domain only.
func TestRegionOfAnotherPD(t *testing.T) {
	b := two(t)
	x, y := b.pair(plan{}, 2)
	pd := b.must(b.lib.AllocPD(y.ctx))
	mr := b.must(b.lib.RegMR(pd, y.mr.Addr, pageSize, everything))
	w := write(x, y)
	w.RKey = harness.ReadMR(mr).RKey
	x.send(w)
	if wc := b.wait(x.scq, 1)[0]; wc.Status != wcRemAccess {
		t.Errorf("%+v", wc)
	}
	b.dereg(mr)
	b.ok(b.lib.End("ibv_dealloc_pd", pd))
}

func TestNothingToMoveNeedsNoKey(t *testing.T) {
	b := two(t)
	x, y := b.pair(plan{mr: localWrite}, 2)
	w := harness.SendWR{Opcode: opWrite, Flags: signaled, RKey: 1}
	r := harness.SendWR{Opcode: opRead, Flags: signaled, RKey: 1, SGEs: []harness.SGE{{LKey: 5}}}
	x.send(w, r)
	for _, wc := range b.wait(x.scq, 2) {
		if wc.Status != wcSuccess {
			t.Errorf("%+v", wc)
		}
	}
	b.state(sRTS, y)
}

func TestLateReceiveIsWaitedFor(t *testing.T) {
	for _, timeout := range []uint8{0, 18} {
		b := two(t)
		x, y := b.pair(plan{attr: func(a *harness.QPAttr) { a.RNRRetry, a.Timeout = 7, timeout }}, 2)
		w := send(x, y)
		w.Flags = signaled
		x.send(w)
		// Another connection works meanwhile.
		x2, y2 := b.pair(plan{}, 2)
		w2 := write(x2, y2)
		w2.Flags = signaled
		for range 10 {
			x2.send(w2)
			b.wait(x2.scq, 1)
		}
		b.none(x.scq)
		y.recv(harness.RecvWR{SGEs: []harness.SGE{y.sge(0, 8)}})
		if wc := b.wait(x.scq, 1)[0]; wc.Status != wcSuccess {
			t.Errorf("timeout %d: %+v", timeout, wc)
		}
	}
}

// What waits for ever ends when the program ends it.
func TestEndlessRetriesEndInErr(t *testing.T) {
	for what, change := range map[string]func(*harness.QPAttr){
		"retry_cnt 7":     func(a *harness.QPAttr) { a.RetryCnt = 7 },
		"timeout 0":       func(a *harness.QPAttr) { a.Timeout = 0 },
		"no read allowed": func(a *harness.QPAttr) { a.MaxRdAtomic = 0 },
	} {
		b := two(t)
		x, y := b.pair(plan{attr: change, stopAt: sInit}, 2)
		w := read(x, y)
		x.send(w)
		spare, _ := b.pair(plan{}, 1)
		for range 50 { // some turns of the same thread
			o := write(spare, spare)
			o.Flags = signaled
			o.RKey, o.Addr = 0, 0
			o.SGEs = nil
			spare.send(o)
			b.wait(spare.scq, 1)
		}
		b.none(x.scq)
		b.state(sRTS, x)
		b.ok(b.lib.Modify(x.qp, harness.QPAttr{State: sErr}, aState))
		if wc := b.wait(x.scq, 1)[0]; wc.Status != wcFlush {
			t.Errorf("%s: %+v", what, wc)
		}
	}
}

func TestFlushInErr(t *testing.T) {
	b := two(t)
	x, _ := b.pair(plan{}, 2)
	x.recv(harness.RecvWR{ID: 1}, harness.RecvWR{ID: 2})
	b.ok(b.lib.Modify(x.qp, harness.QPAttr{State: sErr}, aState))
	for i, wc := range b.wait(x.rcq, 2) {
		if wc.Status != wcFlush || wc.ID != uint64(i+1) {
			t.Errorf("%+v", wc)
		}
	}
	x.send(harness.SendWR{ID: 3, Opcode: opSend})
	x.recv(harness.RecvWR{ID: 4})
	if wc := b.wait(x.scq, 1)[0]; wc.Status != wcFlush || wc.ID != 3 {
		t.Errorf("%+v", wc)
	}
	if wc := b.wait(x.rcq, 1)[0]; wc.Status != wcFlush || wc.ID != 4 {
		t.Errorf("%+v", wc)
	}
}

func TestResetDropsWhatIsQueued(t *testing.T) {
	b := two(t)
	p := plan{stopAt: sInit}
	x, y := b.pair(p, 2)
	x.recv(harness.RecvWR{ID: 1})
	x.send(send(x, y))
	b.ok(b.lib.Modify(x.qp, harness.QPAttr{State: sReset}, aState))
	x.to(plan{typ: rc}, y, sRTS)
	y.to2(plan{typ: rc}, x)
	y.recv(harness.RecvWR{ID: 5, SGEs: []harness.SGE{y.sge(0, 8)}})
	w := send(x, y)
	w.ID, w.Flags = 6, signaled
	x.send(w)
	if wc := b.wait(x.scq, 1)[0]; wc.ID != 6 || wc.Status != wcSuccess {
		t.Errorf("%+v", wc)
	}
	x.recv(harness.RecvWR{ID: 7, SGEs: []harness.SGE{x.sge(0, 8)}})
	y.send(send(y, x))
	if wc := b.wait(x.rcq, 1)[0]; wc.ID != 7 {
		t.Errorf("%+v", wc)
	}
}

// to2 takes an end in INIT on to RTS.
func (e *end) to2(p plan, peer *end) {
	e.b.Helper()
	a := e.attr(p, peer)
	a.State = sRTR
	e.b.ok(e.b.lib.Modify(e.qp, a, maskRTR))
	a.State = sRTS
	e.b.ok(e.b.lib.Modify(e.qp, a, maskRTS))
}

func TestOverflowOfTheSendCQ(t *testing.T) {
	b := two(t)
	x, y := b.pair(plan{cqe: 4}, 2)
	if harness.CQE(x.scq) != 7 {
		t.Fatalf("cqe %d, want 7 for 4", harness.CQE(x.scq))
	}
	for i := range uint64(16) {
		w := write(x, y)
		w.ID, w.Flags = i, signaled
		x.send(w)
	}
	for range 9 { // one for each that is lost
		typ, element, err := b.lib.Async(x.ctx)
		if b.ok(err); typ != 0 || element != uintptr(x.scq) {
			t.Errorf("event %d of 0x%x", typ, element)
		}
		b.lib.AckAsync(typ, x.scq)
	}
	if wcs := b.wait(x.scq, 7); wcs[6].ID != 6 {
		t.Errorf("%+v", wcs)
	}
	b.none(x.scq)
	b.state(sRTS, x)
	b.ok(unix.SetNonblock(harness.AsyncFD(x.ctx), true))
	_, _, err := b.lib.Async(x.ctx)
	b.want(syscall.EAGAIN, err)
	w := write(x, y)
	w.Flags = signaled
	x.send(w) // there is room again
	b.wait(x.scq, 1)
}

func TestOverflowOfTheReceiveCQ(t *testing.T) {
	b := two(t)
	x, y := b.pair(plan{cqe: 1}, 2)
	y.recv(harness.RecvWR{ID: 1, SGEs: []harness.SGE{y.sge(0, 8)}}, harness.RecvWR{ID: 2, SGEs: []harness.SGE{y.sge(0, 8)}})
	x.send(send(x, y), send(x, y))
	if wc := b.wait(x.scq, 1)[0]; wc.Status != wcRetryExc { // the receiver went to ERR without an answer
		t.Errorf("%+v", wc)
	}
	b.state(sErr, y)
	if wc := b.wait(y.rcq, 1)[0]; wc.ID != 1 || wc.Status != wcSuccess {
		t.Errorf("%+v", wc)
	}
	b.ok(unix.SetNonblock(harness.AsyncFD(y.ctx), true))
	if !readable(t, harness.AsyncFD(y.ctx)) {
		t.Error("no event")
	}
	b.ok(b.lib.End("ibv_destroy_qp", y.qp))
	y.gone = true
	b.ok(b.lib.End("ibv_destroy_cq", y.rcq)) // its events go with it
	y.rcq = b.must(b.lib.CreateCQ(y.ctx, 1, 0, nil, 0))
	_, _, err := b.lib.Async(y.ctx)
	b.want(syscall.EAGAIN, err)
}

// Memory that the program unmapped while it was registered makes an error of the side it belongs to.
func TestUnmappedMemory(t *testing.T) {
	for _, c := range []struct {
		what          string
		mine          bool
		wr            func(x, y *end) harness.SendWR
		status, other int
	}{
		{"source of a write", true, write, wcLocProt, -1},
		{"target of a write", false, write, wcRemOp, -1},
		{"target of an atomic", false, faa, wcRemOp, -1},
		{"source of a read", false, read, wcRemOp, -1},
		{"target of a read", true, read, wcLocProt, -1},
		{"source of a send", true, send, wcLocProt, wcFlush},
		{"target of a send", false, send, wcRemOp, wcLocQPOp},
	} {
		b := two(t)
		x, y := b.pair(plan{}, 2)
		side := y
		if c.mine {
			side = x
		}
		const low = 0x1000_0000 // below what the kernel chooses, so that no other thread maps it in the meantime
		p, _, errno := unix.Syscall6(unix.SYS_MMAP, low, uintptr(pageSize), unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED_NOREPLACE, ^uintptr(0), 0)
		if errno != 0 {
			b.Fatal(errno)
		}
		mr := b.must(b.lib.RegMR(side.pd, p, pageSize, everything))
		old := side.mr
		side.mr = harness.ReadMR(mr)
		y.recv(harness.RecvWR{SGEs: []harness.SGE{y.sge(0, 8)}})
		if _, _, errno := unix.Syscall(unix.SYS_MUNMAP, p, uintptr(pageSize), 0); errno != 0 {
			b.Fatal(errno)
		}
		x.send(c.wr(x, y))
		if wc := b.wait(x.scq, 1)[0]; wc.Status != c.status {
			t.Errorf("%s: %+v", c.what, wc)
		}
		if c.other == wcFlush { // the receive request is still there
			b.none(y.rcq)
			b.ok(b.lib.Modify(y.qp, harness.QPAttr{State: sErr}, aState))
		}
		if c.other >= 0 {
			if wc := b.wait(y.rcq, 1)[0]; wc.Status != c.other {
				t.Errorf("%s: receiver %+v", c.what, wc)
			}
		}
		b.dereg(mr)
		side.mr = old
	}
}

// TestUnmappedMeanwhile unmaps memory while requests copy to it and from it, also where process_vm_readv(2) is refused, as sandboxes do.
func TestUnmappedMeanwhile(t *testing.T) {
	const refused = "SOFTVERBS_REFUSED"
	if os.Getenv(refused) == "" {
		runtime.LockOSThread() // never unlocked: nothing else may have this thread
		for _, call := range []uint32{unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV} {
			if err := denied.Call(call, syscall.EPERM, false); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(os.Args[0], "-test.run=^(TestUnmappedMeanwhile|TestUnmappedMemory)$", "-test.v")
		cmd.Env = append(os.Environ(), refused+"=1")
		if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), "--- PASS") != 2 {
			t.Errorf("%v\n%s", err, out)
		}
	}
	const low, size, rounds = 0x1000_0000, 4 << 20, 20
	for i := range rounds {
		b := two(t)
		x, y := b.pair(plan{}, 2)
		p, _, errno := unix.Syscall6(unix.SYS_MMAP, low, size, unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED_NOREPLACE|unix.MAP_POPULATE, ^uintptr(0), 0)
		if errno != 0 {
			b.Fatal(errno)
		}
		mr := b.must(b.lib.RegMR(x.pd, p, size, everything))
		there := b.must(b.lib.RegMR(y.pd, p, size, everything))
		wr := write(x, y)
		key, remote := harness.ReadMR(mr), harness.ReadMR(there)
		wr.SGEs = []harness.SGE{{Addr: uint64(p), Len: size / 2, LKey: key.LKey}}
		wr.Addr, wr.RKey, wr.Flags = uint64(p)+size/2, remote.RKey, signaled
		x.send(wr)
		time.Sleep(time.Duration(i%10) * 100 * time.Microsecond)
		if _, _, errno := unix.Syscall(unix.SYS_MUNMAP, p, size, 0); errno != 0 {
			b.Fatal(errno)
		}
		switch wc := b.wait(x.scq, 1)[0]; wc.Status {
		case wcSuccess, wcLocProt, wcRemOp:
		default:
			t.Errorf("%+v", wc)
		}
		b.dereg(mr)
		b.dereg(there)
	}
}
