//go:build linux && cgo

package dpath_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// mortal are queues whose memory is gone once they are closed, with batches for posts to them.
type mortal struct {
	qp, cq *dptest.Queue
	send   *dpath.SendBatch
	recv   *dpath.RecvBatch
}

func newMortal(t *testing.T, p *dptest.Provider) *mortal {
	return &mortal{p.Mortal(), p.Mortal(), sendBatch(t, 8, 0), recvBatch(t, 8, 0)}
}

// during are calls, and what is closed under them.
var during = map[string]struct {
	call  func(m *mortal) syscall.Errno
	close func(m *mortal) error
	want  syscall.Errno
}{
	"send":                 {(*mortal).postSend, func(m *mortal) error { return m.qp.Close() }, fail.ErrnoClosed},
	"recv":                 {(*mortal).postRecv, func(m *mortal) error { return m.qp.Close() }, fail.ErrnoClosed},
	"send of closed batch": {(*mortal).postSend, func(m *mortal) error { return m.send.Close() }, fail.ErrnoBatchClosed},
	"recv of closed batch": {(*mortal).postRecv, func(m *mortal) error { return m.recv.Close() }, fail.ErrnoBatchClosed},
	"poll": {func(m *mortal) syscall.Errno { return m.poll(1) }, func(m *mortal) error { return m.cq.Close() },
		fail.ErrnoClosed},
	"spin": {func(m *mortal) syscall.Errno { return m.poll(1 << 40) }, func(m *mortal) error { return m.cq.Close() },
		fail.ErrnoClosed},
	"post and poll, QP": {(*mortal).postAndPoll, func(m *mortal) error { return m.qp.Close() }, fail.ErrnoClosed},
	"post and poll, CQ": {(*mortal).postAndPoll, func(m *mortal) error { return m.cq.Close() }, fail.ErrnoClosed},
	"notify": {func(m *mortal) syscall.Errno { return dpath.ReqNotify(&m.cq.Gate, false) }, func(m *mortal) error { return m.cq.Close() },
		fail.ErrnoClosed},
}

func (m *mortal) postSend() syscall.Errno {
	_, errno := dpath.PostSend(&m.qp.Gate, m.send, 8)
	return errno
}

func (m *mortal) postRecv() syscall.Errno {
	_, errno := dpath.PostRecv(&m.qp.Gate, m.recv, 8)
	return errno
}

func (m *mortal) poll(tries int) syscall.Errno {
	var wcs [4]dpath.WC
	_, errno := dpath.PollSpin(&m.cq.Gate, wcs[:], tries)
	return errno
}

func (m *mortal) postAndPoll() syscall.Errno {
	var wcs [4]dpath.WC
	p := dpath.PostAndPoll(&m.qp.Gate, m.send.From(0, 8), &m.cq.Gate, wcs[:], 8)
	return max(p.PostErrno, p.PollErrno)
}

// TestCloseDuringUse closes while calls are made, some of which take long: a call that touches what is gone ends the process.
func TestCloseDuringUse(t *testing.T) {
	for name, d := range during {
		t.Run(name, func(t *testing.T) {
			for i := range 100 {
				p := provider(t)
				if i%2 == 0 {
					p.Posts(dptest.Linger)
				}
				m := newMortal(t, p)
				var calls atomic.Int64
				var wg sync.WaitGroup
				wg.Go(func() {
					errno := syscall.Errno(0)
					for calls.Add(1); errno == 0; calls.Add(1) {
						errno = d.call(m)
					}
					if errno != d.want {
						t.Errorf("ends with %v, want %v", errno, d.want)
					}
				})
				for calls.Load() < 1+int64(i%3) && name != "spin" {
					time.Sleep(time.Microsecond)
				}
				if err := d.close(m); err != nil {
					t.Errorf("Close: %v", err)
				}
				wg.Wait()
			}
		})
	}
}

// TestDestroyDuringUse destroys without asking the gate, in another process: that it dies shows that TestCloseDuringUse
// notices a call that touches what is gone.
func TestDestroyDuringUse(t *testing.T) {
	const marker = "DPATH_DESTROY"
	if name := os.Getenv(marker); name != "" {
		m := newMortal(t, provider(t))
		go func() {
			time.Sleep(time.Millisecond)
			_ = errors.Join(m.qp.Destroy(), m.cq.Destroy())
		}()
		for during[name].call(m) == 0 {
		}
		return
	}
	for _, name := range []string{"send", "recv", "poll", "spin", "notify", "post and poll, QP"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDestroyDuringUse$")
		cmd.Env = append(os.Environ(), marker+"="+name)
		out, err := cmd.CombinedOutput()
		// the sanitizer takes the signal
		faults := strings.Contains(string(out), "SIGSEGV") || strings.Contains(string(out), "AddressSanitizer: SEGV")
		if err == nil || !faults {
			t.Errorf("%s: the process does not die of a fault: %v\n%s", name, err, out)
		}
	}
}
