//go:build linux && cgo

package gate_test

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/runtime/gensupport/gate"
	"github.com/verbsgen/verbsgen/runtime/gensupport/gate/internal/gatetest"
	"github.com/verbsgen/verbsgen/runtime/internal/denied"
)

// opened returns an open gate with a call inside, which ends at the end of the test at the latest.
func opened(t *testing.T) (g *gate.Gate, call *gatetest.Call, done <-chan uintptr) {
	t.Helper()
	g, call = new(gate.Gate), new(gatetest.Call)
	g.Open(unsafe.Pointer(&object))
	result := make(chan uintptr, 1)
	go func() { result <- call.Run(g.Word()) }()
	for !call.Inside() {
		time.Sleep(time.Millisecond)
	}
	t.Cleanup(call.Leave)
	return g, call, result
}

// TestWait ends a gate while a call is inside: destroy runs after the call and not before.
func TestWait(t *testing.T) {
	g, call, done := opened(t)
	var left, destroyed atomic.Bool
	ended := make(chan error)
	go func() {
		ended <- g.End("v", "QP", patience, func() error {
			if !left.Load() {
				t.Error("destroy runs while the call is inside")
			}
			destroyed.Store(true)
			return nil
		})
	}()
	for g.IsOpen() {
		runtime.Gosched()
	}
	if got := gatetest.Touch(g.Word()); got != 0 {
		t.Errorf("a call that comes later gets %#x", got)
	}
	time.Sleep(20 * time.Millisecond) // time for a mistake; no test of how long anything takes
	left.Store(true)
	call.Leave()
	if err := <-ended; err != nil || !destroyed.Load() {
		t.Errorf("End: %v, destroyed %t", err, destroyed.Load())
	}
	if got := <-done; got != uintptr(unsafe.Pointer(&object)) {
		t.Errorf("the call that was inside got %#x", got)
	}
}

// TestPatience ends a gate whose call does not leave: nothing is destroyed, and the gate is open again.
func TestPatience(t *testing.T) {
	g, call, _ := opened(t)
	err := g.End("v", "QP", 10*time.Millisecond, func() error { t.Error("destroy runs"); return nil })
	const want = "v: QP still has a call that did not return in time open; close what is open first: device or resource busy (EBUSY)"
	if !errors.Is(err, syscall.EBUSY) || err.Error() != want || !g.IsOpen() {
		t.Errorf("End: %v, open: %t", err, g.IsOpen())
	}
	call.Leave()
	if err := g.End("v", "QP", patience, func() error { return nil }); err != nil {
		t.Errorf("End after the call: %v", err)
	}
}

// TestOtherGates keeps calls inside one gate and ends others.
func TestOtherGates(t *testing.T) {
	_, _, _ = opened(t)
	var g gate.Gate
	g.Open(unsafe.Pointer(&object))
	if gatetest.Touch(g.Word()) == 0 {
		t.Error("a call does not get the object")
	}
	if err := g.End("v", "QP", patience, func() error { return nil }); err != nil {
		t.Errorf("End: %v", err)
	}
}

// TestThreads lets threads end: their slots are used again.
func TestThreads(t *testing.T) {
	var g gate.Gate
	g.Open(unsafe.Pointer(&object))
	before := gate.Slots()
	for range 50 {
		var wg sync.WaitGroup
		wg.Go(func() {
			runtime.LockOSThread() // the thread ends with the goroutine
			gatetest.Touch(g.Word())
		})
		wg.Wait()
	}
	// A thread may still be ending when the next one begins.
	if n := gate.Slots() - before; n > 10 {
		t.Errorf("50 threads, one after the other, took %d slots", n)
	}
}

// TestFork asks in a child of fork(2), which has no other thread, for the call of another thread.
func TestFork(t *testing.T) {
	g, _, _ := opened(t)
	if got := gatetest.InsideAfterFork(g.Word()); got != 0 {
		t.Errorf("the child answers %d", got)
	}
	if !gate.Inside(g) {
		t.Error("the call is not inside any more in the parent")
	}
}

// TestLitmus lets two threads meet, one at the beginning of its call, one at its Close, where the processor may hold the
// store of the one back behind its load. Where both have a processor to themselves, one of some thousand rounds goes wrong without
// the barrier or the fence; so it goes on for a while, for the machine may be busy.
func TestLitmus(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one processor does not reorder what it sees itself")
	}
	const rounds = 1000
	for begin := time.Now(); time.Since(begin) < 2*time.Second; {
		if n := gatetest.Litmus(rounds); n != 0 {
			t.Fatalf("the object was destroyed during %d of %d calls", n, rounds)
		}
	}
}

const deniedVar = "GATE_DENIED"

// TestNoMembarrier runs the other tests in a process that is refused membarrier(2) from its beginning, as old kernels do. A sandbox
// refuses it with another errno.
func TestNoMembarrier(t *testing.T) {
	if os.Getenv(deniedVar) != "" {
		if !gate.Fenced() {
			t.Error("calls have no fence")
		}
		return
	}
	for errno, tests := range map[syscall.Errno][]string{syscall.EPERM: {"TestNoMembarrier"},
		syscall.ENOSYS: {"TestNoMembarrier", "TestEnd", "TestWait", "TestPatience", "TestThreads", "TestFork", "TestLitmus"}} {
		result := make(chan error)
		var out strings.Builder
		go func() {
			runtime.LockOSThread() // never unlocked: the thread must not be used for anything else
			if err := denied.Call(unix.SYS_MEMBARRIER, errno, false); err != nil {
				result <- err
				return
			}
			cmd := exec.Command(os.Args[0], "-test.run=^("+strings.Join(tests, "|")+")$", "-test.v")
			cmd.Env = append(os.Environ(), deniedVar+"=1")
			cmd.Stdout, cmd.Stderr = &out, &out
			result <- cmd.Run()
		}()
		if err := <-result; err != nil || strings.Count(out.String(), "--- PASS") != len(tests) {
			t.Errorf("%v: %v\n%s", errno, err, out.String())
		}
	}
}

// TestDeniedLater has membarrier(2) refused after the program started: nothing is destroyed.
func TestDeniedLater(t *testing.T) {
	if os.Getenv(deniedVar) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDeniedLater$", "-test.v")
		cmd.Env = append(os.Environ(), deniedVar+"=later")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestDeniedLater") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if gate.Fenced() {
		t.Skip("this kernel has no membarrier(2)")
	}
	if err := denied.Call(unix.SYS_MEMBARRIER, syscall.EPERM, true); err != nil {
		t.Fatal(err)
	}
	var g gate.Gate
	g.Open(unsafe.Pointer(&object))
	err := g.End("ibv_destroy_qp", "QP", patience, func() error { t.Error("destroy runs"); return nil })
	if !errors.Is(err, syscall.EPERM) || !g.IsOpen() {
		t.Errorf("End: %v, open: %t", err, g.IsOpen())
	}
	const want = "ibv_destroy_qp: membarrier(2) is refused since the program started, so nobody knows which calls use the QP; it " +
		"stays open; allow membarrier for the life of the program: operation not permitted (EPERM)"
	if err.Error() != want {
		t.Errorf("error:\n got %v\nwant %s", err, want)
	}
}
