//go:build linux && cgo && !race

package dpath

// The race detector would report what these tests do; race_test.go asks that it does.

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
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
	check(t, err)
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
	check(t, err)
	recv, err := NewRecvBatch(4, 1)
	check(t, err)
	const text = "another goroutine posts the %s at the same time, so nothing was posted here; a batch belongs to one goroutine at a time: " +
		"device or resource busy (EBUSY)"
	for name, c := range map[string]struct {
		post    func() (int, syscall.Errno)
		take    func()
		advance func()
		all     func()
		refused func(syscall.Errno) error
		close   func() error
	}{
		"SendBatch": {func() (int, syscall.Errno) { return PostSend(p.QP(), send, 4) }, func() { send.WR(0) },
			func() { send.From(0, 1).Advance(Stride{}) }, func() { send.All()(func(int, SendWR) bool { return false }) },
			func(e syscall.Errno) error { return Refused(send.From(0, 4), e) }, send.Close},
		"RecvBatch": {func() (int, syscall.Errno) { return PostRecv(p.QP(), recv, 4) }, func() { recv.WR(0) },
			func() { recv.From(0, 1).Advance(Stride{}) }, func() { recv.All()(func(int, RecvWR) bool { return false }) },
			func(e syscall.Errno) error { return Refused(recv.From(0, 4), e) }, recv.Close},
	} {
		end := paused(t, p, c.post)
		bad, errno := c.post()
		if bad != -1 || errno != fail.ErrnoBatchShared {
			t.Errorf("%s: a second post: %d, %v", name, bad, errno)
		}
		if err := c.refused(errno); err == nil || !strings.HasSuffix(err.Error(), fmt.Sprintf(text, name)) {
			t.Errorf("%s: %v", name, err)
		}
		if err := c.refused(syscall.EBUSY); err != nil {
			t.Errorf("%s: the provider's own EBUSY: %v", name, err)
		}
		if got := panicText(c.take); !strings.Contains(got, "a request of a "+name+" was taken while another goroutine posts it") {
			t.Errorf("%s: taking a request: %q", name, got)
		}
		if got := panicText(c.all); !strings.Contains(got, "a request of a "+name+" was taken while another goroutine posts it") {
			t.Errorf("%s: an iteration: %q", name, got)
		}
		if got := panicText(c.advance); !strings.Contains(got, "a request of a "+name+" was taken while another goroutine posts it") {
			t.Errorf("%s: advancing a range: %q", name, got)
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
		if bad, errno := c.post(); bad != -1 || errno != fail.ErrnoBatchClosed {
			t.Errorf("%s: a post after Close: %d, %v", name, bad, errno)
		}
	}
}

// TestPostsThatOverlap has a post begin during another one, which Go does not see yet: C refuses it, whether the batch belongs to the
// thread of the other or not, and the other goes on.
func TestPostsThatOverlap(t *testing.T) {
	p := newProvider(t)
	send, err := NewSendBatch(5, 0)
	check(t, err)
	recv, err := NewRecvBatch(5, 0)
	check(t, err)
	for name, c := range map[string]struct {
		post func() (int, syscall.Errno)
		use  *use
	}{
		"send": {func() (int, syscall.Errno) { return PostSend(p.QP(), send, 3) }, send.all.use},
		"recv": {func() (int, syscall.Errno) { return PostRecv(p.QP(), recv, 3) }, recv.all.use},
		"srq":  {func() (int, syscall.Errno) { return PostSRQRecvRange(p.SRQ(), recv.From(1, 2)) }, recv.all.use},
		"wq":   {func() (int, syscall.Errno) { return PostWQRecvRange(p.WQ(), recv.From(1, 2)) }, recv.all.use},
	} {
		for range 3 { // the batch is nobody's, then it belongs to the thread of the last post
			end := paused(t, p, c.post)
			owner := c.use.owner
			c.use.busy.Store(0)
			for range 2 {
				if _, errno := c.post(); errno != fail.ErrnoBatchShared || c.use.owner != owner {
					t.Errorf("%s: during a post: %v, owner %#x, before %#x", name, errno, c.use.owner, owner)
				}
			}
			if _, errno := end(); errno != 0 {
				t.Errorf("%s: the first post: %v", name, errno)
			}
			for range 2000 {
				if _, errno := c.post(); errno != 0 {
					t.Fatalf("%s: afterwards: %v", name, errno)
				}
			}
		}
	}
}

// TestBatchChangesHands passes a batch between threads, which is not a mistake: each post succeeds, and a thread that makes many
// owns the batch.
func TestBatchChangesHands(t *testing.T) {
	p := newProvider(t)
	p.Posts(dptest.Walk)
	b, err := NewSendBatch(8, 0)
	check(t, err)
	hands, done := make(chan int), make(chan bool)
	for range 3 {
		go func() {
			runtime.LockOSThread() // and the thread ends with the goroutine
			for posts := range hands {
				for range posts {
					if _, errno := PostSend(p.QP(), b, 3); errno != 0 {
						t.Error(errno)
					}
				}
				done <- true
			}
		}()
	}
	posts, barrier := 0, false
	for i := range 400 {
		n := 1 + i%3
		if i%40 == 0 {
			n = 1500
		}
		posts += n
		hands <- n
		<-done
		owner := b.all.use.owner
		barrier = barrier || owner != 0 // the first post has it where there is membarrier(2)
		if owner&1 != 0 || n == 1500 && owner == 0 && barrier {
			t.Fatalf("after %d posts of one thread, the owner is %#x", n, owner)
		}
	}
	close(hands)
	if p.Walked() != 3*posts {
		t.Errorf("%d requests were posted in place of %d", p.Walked(), 3*posts)
	}
}

// TestPostsExclude has a thread that owns a batch post it all the time, and others try now and then. The provider counts without a lock.
func TestPostsExclude(t *testing.T) {
	p := newProvider(t)
	p.Posts(dptest.Walk)
	b, err := NewSendBatch(64, 0)
	check(t, err)
	var posted, stolen atomic.Int64
	var wg sync.WaitGroup
	var stop atomic.Bool
	post := func(n int) {
		switch _, errno := PostSend(p.QP(), b, n); errno {
		case 0:
			posted.Add(int64(n))
		case fail.ErrnoBatchShared:
			stolen.Add(1)
		default:
			t.Error(errno)
		}
	}
	for range 2 {
		wg.Go(func() {
			for i := 0; !stop.Load(); i++ {
				post(1 + i%3)
				for range i % 100 {
					runtime.Gosched()
				}
			}
		})
	}
	for i := range 300_000 {
		post(1 + i%2)
	}
	stop.Store(true)
	wg.Wait()
	if int64(p.Walked()) != posted.Load() {
		t.Errorf("%d requests were walked, %d were posted, %d posts refused", p.Walked(), posted.Load(), stolen.Load())
	}
	p.Posts(dptest.Record)
	if bad, errno := PostSend(p.QP(), b, 64); errno != 0 || len(p.Seen()) != 64 {
		t.Errorf("afterwards: %d, %v, %d of 64 requests", bad, errno, len(p.Seen()))
	}
}
