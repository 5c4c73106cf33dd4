//go:build linux && cgo

package careless

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// counter counts the requests that posts say they posted, the completions, and the posts that were refused.
type counter struct {
	posted, completed, refused atomic.Int64
	wrong                      atomic.Pointer[error] // an error that the mistake does not explain
}

// poll takes completions until done is closed, and then until all have come, or none came for a minute.
func (c *counter) poll(w *world, done <-chan struct{}) {
	var wcs [64]verbs.WC
	var ended bool
	for latest := time.Now(); !ended || c.completed.Load() < c.posted.Load() && time.Since(latest) < time.Minute; {
		n, err := w.a.CQ.PollInto(wcs[:])
		if err != nil {
			c.wrong.Store(&err)
			return
		}
		c.completed.Add(int64(n))
		if n > 0 || !ended {
			latest = time.Now()
		}
		select {
		case <-done:
			ended = true
		default:
		}
	}
}

// post posts a range often, until many posts were refused. It leaves room in the completion queue.
func (c *counter) post(w *world, r verbs.SendRange) {
	for i := 0; i < 200_000 && c.refused.Load() < 100; i++ {
		if c.posted.Load()-c.completed.Load() > 24 {
			runtime.Gosched()
			continue
		}
		n, err := w.a.QP.PostSendRange(r)
		c.posted.Add(int64(n))
		switch {
		case err == nil || errors.Is(err, verbs.ErrQueueFull):
		case errors.Is(err, syscall.EBUSY):
			c.refused.Add(1)
		default:
			c.wrong.Store(&err)
			return
		}
	}
}

// countedPosts has goroutines post ranges of one batch, and of a copy of it, and compares what they posted with what completed.
func countedPosts(w *world) error {
	b := w.sends(16)
	for i := range b.Len() {
		b.WR(i).Write(1, uint64(w.b.MR.Addr()), w.b.MR.RKey()).SGE(uint64(w.a.MR.Addr()), 8, w.a.MR.LKey()).Flags(verbs.SendSignaled)
	}
	copied := *func() *verbs.SendBatch { return b }()
	var c counter
	var posts, polls sync.WaitGroup
	done := make(chan struct{})
	polls.Go(func() { c.poll(w, done) })
	for _, r := range []verbs.SendRange{b.From(0, 3), b.From(0, 5), b.From(2, 6), copied.From(1, 3)} {
		posts.Go(func() { c.post(w, r) })
	}
	posts.Wait()
	close(done)
	polls.Wait()
	if err := c.wrong.Load(); err != nil {
		return *err
	}
	if c.posted.Load() != c.completed.Load() {
		return fmt.Errorf("%d requests were posted, and %d completed; %d posts were refused",
			c.posted.Load(), c.completed.Load(), c.refused.Load())
	}
	return errors.New("each request that was posted completed")
}
