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

// low maps memory below what the kernel chooses, so that no other thread maps it once it is unmapped.
func low(t *testing.T, size uintptr) (p uintptr, unmap func()) {
	t.Helper()
	p, _, errno := unix.Syscall6(unix.SYS_MMAP, 0x1000_0000, size, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED_NOREPLACE|unix.MAP_POPULATE, ^uintptr(0), 0)
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
		p, unmap := low(t, uintptr(pageSize))
		mr := b.must(b.lib.RegMR(side.pd, p, pageSize, everything))
		old := side.mr
		side.mr = harness.ReadMR(mr)
		y.recv(harness.RecvWR{SGEs: []harness.SGE{y.sge(0, 8)}})
		unmap()
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
	const size, rounds = 4 << 20, 20
	for i := range rounds {
		b := two(t)
		x, y := b.pair(plan{}, 2)
		p, unmap := low(t, size)
		mr := b.must(b.lib.RegMR(x.pd, p, size, everything))
		there := b.must(b.lib.RegMR(y.pd, p, size, everything))
		wr := write(x, y)
		key, remote := harness.ReadMR(mr), harness.ReadMR(there)
		wr.SGEs = []harness.SGE{{Addr: uint64(p), Len: size / 2, LKey: key.LKey}}
		wr.Addr, wr.RKey, wr.Flags = uint64(p)+size/2, remote.RKey, signaled
		x.send(wr)
		time.Sleep(time.Duration(i%10) * 100 * time.Microsecond)
		unmap()
		switch wc := b.wait(x.scq, 1)[0]; wc.Status {
		case wcSuccess, wcLocProt, wcRemOp:
		default:
			t.Errorf("%+v", wc)
		}
		b.dereg(mr)
		b.dereg(there)
	}
}
