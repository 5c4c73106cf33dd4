//go:build linux && cgo && !race

package dpath

// The race detector would report what these tests do; race_test.go asks that it does.

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/runtime/dpath/internal/dptest"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// paused begins a post that stays in C, and gives the function that ends it.
func paused(t *testing.T, p *dptest.Provider, post func() (int, syscall.Errno)) (end func() (int, syscall.Errno)) {
	t.Helper()
	p.Posts(dptest.Pause)
	p.Resume(false)
	type answer struct {
		bad   int
		errno syscall.Errno
	}
	done := make(chan answer)
	go func() {
		bad, errno := post()
		done <- answer{bad, errno}
	}()
	for p.Inside() == 0 {
		time.Sleep(time.Millisecond)
	}
	return func() (int, syscall.Errno) {
		p.Resume(true)
		a := <-done
		return a.bad, a.errno
	}
}

func newProvider(t *testing.T) *dptest.Provider {
	t.Helper()
	p, err := dptest.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func panicText(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

// TestBatchInUse uses a batch while another goroutine posts it: each use but Close is refused, and the post succeeds.
func TestBatchInUse(t *testing.T) {
	p := newProvider(t)
	send, err := NewSendBatch(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	recv, err := NewRecvBatch(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	const text = "another goroutine used the %s while it was posted, so that it is not known what was posted; a batch belongs to one " +
		"goroutine at a time: device or resource busy (EBUSY)"
	for name, c := range map[string]struct {
		post    func() (int, syscall.Errno)
		take    func()
		refused func(syscall.Errno) error
		close   func() error
	}{
		"SendBatch": {func() (int, syscall.Errno) { return PostSend(p.QP(), send, 4) }, func() { send.WR(0) },
			func(e syscall.Errno) error { return send.Refused(0, 4, e) }, send.Close},
		"RecvBatch": {func() (int, syscall.Errno) { return PostRecv(p.QP(), recv, 4) }, func() { recv.WR(0) },
			func(e syscall.Errno) error { return recv.Refused(0, 4, e) }, recv.Close},
	} {
		end := paused(t, p, c.post)
		bad, errno := c.post()
		if bad != -1 || errno != syscall.EBUSY {
			t.Errorf("%s: a second post: %d, %v", name, bad, errno)
		}
		if err := c.refused(errno); err == nil || !strings.HasSuffix(err.Error(), fmt.Sprintf(text, name)) {
			t.Errorf("%s: %v", name, err)
		}
		if got := panicText(c.take); !strings.Contains(got, "a request of a "+name+" was taken while another goroutine posts it") {
			t.Errorf("%s: taking a request: %q", name, got)
		}
		if bad, errno := end(); bad != -1 || errno != 0 {
			t.Errorf("%s: the first post: %d, %v", name, bad, errno)
		}
		if bad, errno := c.post(); bad != -1 || errno != 0 {
			t.Errorf("%s: a post afterwards: %d, %v", name, bad, errno)
		}
		end = paused(t, p, c.post)
		if err := c.close(); err != nil {
			t.Errorf("%s: Close during a post: %v", name, err)
		}
		if err := c.close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: a second Close: %v", name, err)
		}
		if bad, errno := end(); bad != -1 || errno != 0 {
			t.Errorf("%s: the post that was being made: %d, %v", name, bad, errno)
		}
		if bad, errno := c.post(); bad != -1 || errno != verr.ErrnoBatchClosed {
			t.Errorf("%s: a post after Close: %d, %v", name, bad, errno)
		}
	}
}

// TestPostsThatOverlap has two posts begin at the same moment, so that neither sees the other before: the one whose number is
// gone says so, and the chain is whole afterwards.
func TestPostsThatOverlap(t *testing.T) {
	p := newProvider(t)
	send, err := NewSendBatch(5, 0)
	if err != nil {
		t.Fatal(err)
	}
	recv, err := NewRecvBatch(5, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		post  func() (int, syscall.Errno)
		state *state
		next  *uintptr
	}{
		"send": {func() (int, syscall.Errno) { return PostSend(p.QP(), send, 3) }, &send.all.state, &send.all.wrs[3].next},
		"recv": {func() (int, syscall.Errno) { return PostRecv(p.QP(), recv, 3) }, &recv.all.state, &recv.all.wrs[3].next},
	} {
		for _, other := range []uintptr{12345, 0} { // the other is still at work, or done
			end := paused(t, p, c.post)
			c.state.post, *c.next = other, 0
			if bad, errno := end(); bad != -1 || errno != syscall.EBUSY || c.state.post != 0 {
				t.Errorf("%s: %d, %v, state %d", name, bad, errno, c.state.post)
			}
		}
	}
	p.Posts(dptest.Record)
	PostSend(p.QP(), send, 5)
	PostRecv(p.QP(), recv, 5)
	if seen := len(p.Seen()); seen != 10 {
		t.Errorf("%d of 10 requests were posted", seen)
	}
}

// TestSharedBatchStaysWhole has goroutines fill in and post one batch, each another number of requests: the errors do not hide
// that the chain was left cut, so that a later post would lose requests in silence.
func TestSharedBatchStaysWhole(t *testing.T) {
	p := newProvider(t)
	p.Posts(dptest.Walk)
	b, err := NewSendBatch(8, 1)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 100_000 {
				panicText(func() { b.WR(i%8).Send(uint64(i)).SGE(1, 1, 1).Flags(flagSignaled) })
				PostSend(p.QP(), b, 1+i%8)
			}
		})
	}
	wg.Wait()
	p.Posts(dptest.Record)
	if bad, errno := PostSend(p.QP(), b, 8); errno != 0 || len(p.Seen()) != 8 {
		t.Errorf("afterwards: %d, %v, %d of 8 requests", bad, errno, len(p.Seen()))
	}
}
