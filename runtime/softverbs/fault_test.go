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

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/internal/denied"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

func TestOverflowOfTheReceiveCQ(t *testing.T) {
	b := two(t)
	x, y := b.pair(plan{cqe: 1})
	b.ok(y.recv(1, 8))
	b.ok(y.recv(2, 8))
	b.ok(x.op(verbs.WROpcodeSend, 1, y, 0))
	b.ok(x.op(verbs.WROpcodeSend, 2, y, 0))
	b.statuses(x.scq, verbs.WCStatusRetryExcErr) // the receiver went to ERR without an answer
	if y.state() != verbs.QPStateErr {
		t.Errorf("the receiver is in %v", y.state())
	}
	if wc := b.wait(y.rcq, 1)[0]; wc.ID != 1 || wc.Status != verbs.WCStatusSuccess {
		t.Errorf("%+v", wc)
	}
}

// low maps memory below what the kernel chooses, so that no other thread maps it once it is unmapped.
func low(t *testing.T, size uintptr) (p uintptr, unmap func()) {
	t.Helper()
	errno := unix.EEXIST
	for at := uintptr(0x1000_0000); errno == unix.EEXIST && at < 0x7000_0000; at += size { // malloc's heap may lie anywhere here
		p, _, errno = unix.Syscall6(unix.SYS_MMAP, at, size, unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED_NOREPLACE|unix.MAP_POPULATE, ^uintptr(0), 0)
	}
	if errno != 0 {
		t.Fatal(errno)
	}
	return p, func() {
		if _, _, errno := unix.Syscall(unix.SYS_MUNMAP, p, size, 0); errno != 0 {
			t.Fatal(errno)
		}
	}
}

// Memory that the program unmapped while it was registered makes an error of the side it belongs to.
func TestUnmappedMemory(t *testing.T) {
	const none, write, read = verbs.WCStatusSuccess, verbs.WROpcodeRDMAWrite, verbs.WROpcodeRDMARead
	for _, c := range []struct {
		what          string
		mine          bool
		op            verbs.WROpcode
		status, other verbs.WCStatus
	}{
		{"source of a write", true, write, verbs.WCStatusLocProtErr, none},
		{"target of a write", false, write, verbs.WCStatusRemOpErr, none},
		{"target of an atomic", false, verbs.WROpcodeAtomicFetchAndAdd, verbs.WCStatusRemOpErr, none},
		{"source of a read", false, read, verbs.WCStatusRemOpErr, none},
		{"target of a read", true, read, verbs.WCStatusLocProtErr, none},
		{"source of a send", true, verbs.WROpcodeSend, verbs.WCStatusLocProtErr, verbs.WCStatusWRFlushErr},
		{"target of a send", false, verbs.WROpcodeSend, verbs.WCStatusRemOpErr, verbs.WCStatusLocQPOpErr},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := two(t)
			x, y := b.pair(plan{})
			side := y
			if c.mine {
				side = x
			}
			p, unmap := low(t, uintptr(pageSize))
			side.mr = must(side.pd.RegMRFrom(mem.Addr(p, pageSize), allRemote))(t)
			b.ok(y.recv(1, 8))
			unmap()
			b.ok(x.op(c.op, 1, y, 0))
			b.statuses(x.scq, c.status)
			if c.other == verbs.WCStatusWRFlushErr { // the receive request is still there
				b.none(y.rcq)
				b.ok(y.change(verbs.QPStateErr))
			}
			if c.other != none {
				b.statuses(y.rcq, c.other)
			}
		})
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
		if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), "\n--- PASS") != 2 {
			t.Errorf("%v\n%s", err, out)
		}
	}
	const size, rounds = 4 << 20, 20
	b := two(t)
	for i := range rounds {
		x, y := b.pair(plan{})
		p, unmap := low(t, size)
		from := must(x.pd.RegMRFrom(mem.Addr(p, size), allRemote))(t)
		to := must(y.pd.RegMRFrom(mem.Addr(p, size), allRemote))(t)
		b.ok(x.post(func(w verbs.SendWR) {
			w.Write(1, to.IOVA()+size/2, to.RKey()).Add(from.UncheckedSGE(0, size/2)).Flags(verbs.SendSignaled)
		}))
		time.Sleep(time.Duration(i%10) * 100 * time.Microsecond)
		unmap()
		switch wc := b.wait(x.scq, 1)[0]; wc.Status {
		case verbs.WCStatusSuccess, verbs.WCStatusLocProtErr, verbs.WCStatusRemOpErr:
		default:
			t.Errorf("%+v", wc)
		}
	}
}

func TestFailRequest(t *testing.T) {
	for _, now := range []bool{false, true} {
		opt := softverbs.FailRequest(2, softverbs.StatusRemAccess)
		if now {
			opt = nil
		}
		b := open(t, opt)
		x, y := b.pair(plan{})
		if now {
			b.ok(b.soft.FailRequest(2, softverbs.StatusRemAccess))
		}
		x.write(1, y)
		b.ok(x.op(verbs.WROpcodeRDMAWrite, 2, y, 0))
		x.write(3, y)
		b.statuses(x.scq, verbs.WCStatusSuccess, verbs.WCStatusRemAccessErr, verbs.WCStatusWRFlushErr)
	}
	for _, s := range []softverbs.Status{0, -1, 24} {
		if err := softverbs.New(softverbs.FailRequest(1, s)).Err(); err == nil || !strings.Contains(err.Error(), "not a status of an error") {
			t.Errorf("status %d: %v", int(s), err)
		}
	}
}

// held queue pairs are overtaken by others, and keep their own order.
func TestHoldCompletions(t *testing.T) {
	b := open(t)
	x, y := b.pair(plan{})
	b.ok(b.soft.HoldCompletions("soft0", x.qp.Num(), true))
	x.write(1, y)
	x.write(2, y)
	y.write(3, x)
	b.wait(y.scq, 1)
	b.none(x.scq)
	b.ok(b.soft.HoldCompletions("soft0", x.qp.Num(), false))
	if wcs := b.wait(x.scq, 2); wcs[0].ID != 1 || wcs[1].ID != 2 {
		t.Errorf("%+v", wcs)
	}
	b.want(syscall.ENOENT, b.soft.HoldCompletions("soft0", 0xffffff, true))
	b.want(syscall.ENODEV, b.soft.HoldCompletions("soft7", 1, true))
	// what is held back when its queue is destroyed is gone
	b.ok(b.soft.HoldCompletions("soft0", x.qp.Num(), true))
	x.write(4, y)
	y.write(5, x)
	b.wait(y.scq, 1)
	b.ok(x.qp.Close())
	b.none(x.scq)
}

// A delay holds completions back, not requests.
func TestDelayCompletions(t *testing.T) {
	b := open(t)
	x, y := b.pair(plan{})
	b.ok(b.soft.DelayCompletions(time.Hour, time.Hour))
	x.mem[0] = 1
	x.write(1, y)
	y.arrives(0, 1)
	x.state() // asked under the lock that the thread held until the request was done
	b.none(x.scq)
	b.ok(b.soft.DelayCompletions(0, 0))
	b.ok(x.change(verbs.QPStateReset))
	for least, most := range map[time.Duration]time.Duration{-1: 1, 2: 1} {
		if err := b.soft.DelayCompletions(least, most); err == nil {
			t.Errorf("%d to %d was taken", least, most)
		}
	}
}

// Of two queue pairs with one completion queue each keeps its order, and they overtake each other.
func TestDelayedCompletionsOvertake(t *testing.T) {
	b := open(t)
	x, y := b.pair(plan{})
	v, w := *x, b.end("soft0", plan{})
	v.qp = x.another(31)
	v.to(plan{}, w, verbs.QPStateRTS)
	w.to(plan{}, &v, verbs.QPStateRTS)
	b.ok(b.soft.DelayCompletions(0, time.Second))
	const each = 20
	post := func(from, to *end, first uint64) { // and see it done
		from.mem[0], to.mem[0] = 0, 0
		for i := range uint64(each - 1) {
			from.write(first+i, to)
		}
		from.mem[pageSize] = 1
		b.ok(from.post(func(w verbs.SendWR) {
			w.Write(first+each-1, to.mr.IOVA(), to.mr.RKey()).Add(from.sge(pageSize, 8)).Flags(verbs.SendSignaled)
		}))
		to.arrives(0, 1)
	}
	post(x, y, 0)
	post(&v, w, 100)
	last := [2]int{-1, 99}
	for last[1] == 99 { // until the first one of those that were posted later
		id := int(b.wait(x.scq, 1)[0].ID)
		if last[id/100]+1 != id {
			t.Errorf("%d after %d", id, last[id/100])
		}
		last[id/100] = id
	}
	if last[0] == each-1 {
		t.Error("none was overtaken")
	}
}
