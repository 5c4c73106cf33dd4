//go:build linux && cgo

package dpath

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
	"github.com/verbsgen/verbsgen/runtime/internal/denied"
)

// TestExclude has two threads use one batch at once: at no time do both have it, and each use is counted. Where both have a processor to
// themselves, one of some thousand rounds goes wrong without the barrier; so it goes on for a while.
func TestExclude(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one processor does not reorder what it sees itself")
	}
	const rounds = 1000
	u := new(use)
	used, all := 0, 0
	for begin := time.Now(); time.Since(begin) < 2*time.Second; all += rounds {
		x := dptest.Exclude(unsafe.Pointer(u), unsafe.Sizeof(*u), rounds)
		if x.Wrong != 0 || x.Counted != x.Used {
			t.Fatalf("both used the batch %d times; of %d uses, %d were counted", x.Wrong, x.Used, x.Counted)
		}
		used += x.Used
	}
	if used < all { // a thread makes a batch its own in half of the rounds, without the other
		t.Errorf("the batch was used %d times in %d rounds", used, all)
	}
	t.Logf("%d rounds, %d uses", all, used)
}

const deniedVar = "DPATH_DENIED"

// TestWithoutMembarrier runs the tests of batches that several goroutines post in a process that is refused membarrier(2): no batch
// belongs to a thread.
func TestWithoutMembarrier(t *testing.T) {
	if os.Getenv(deniedVar) != "" {
		p, err := dptest.New()
		check(t, err)
		defer p.Close()
		b, err := NewSendBatch(1, 0)
		check(t, err)
		for range 2000 {
			if _, errno := PostSend(p.QP(), b, 1); errno != 0 || b.all.use.owner != 0 {
				t.Fatalf("a post: %v; the batch belongs to %#x", errno, b.all.use.owner)
			}
		}
		return
	}
	const tests = "TestWithoutMembarrier|TestExclude|TestBatchInUse|TestPostsThatOverlap|TestBatchChangesHands|TestPostsExclude"
	result := make(chan error)
	var out strings.Builder
	go func() {
		runtime.LockOSThread() // never unlocked: the thread must not be used for anything else
		if err := denied.Call(unix.SYS_MEMBARRIER, syscall.ENOSYS, false); err != nil {
			result <- err
			return
		}
		cmd := exec.Command(os.Args[0], "-test.run=^("+tests+")$", "-test.v", "-test.timeout=5m") // shorter than go test waits
		cmd.Env = append(os.Environ(), deniedVar+"=1")
		cmd.Stdout, cmd.Stderr = &out, &out
		result <- cmd.Run()
	}()
	if err := <-result; err != nil || !strings.Contains(out.String(), "--- PASS: TestWithoutMembarrier") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
