//go:build linux

package conformance

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
)

// writes returns a batch of n requests, each of which completes on a.CQ with its number as ID.
func writes(t *testing.T, a, b *link.End, n int) *verbs.SendBatch {
	t.Helper()
	batch := must(verbs.NewSendBatch(n, 1))(t)
	t.Cleanup(func() { batch.Close() })
	for i := range n {
		batch.WR(i).Write(uint64(i), uint64(b.MR.Addr()), b.MR.RKey()).SGE(uint64(a.MR.Addr()), 8, a.MR.LKey()).Flags(verbs.SendSignaled)
	}
	return batch
}

// poster returns a channel: for each value a goroutine of its own posts the first request.
func poster(t *testing.T, qp *verbs.QP, batch *verbs.SendBatch) chan<- struct{} {
	post, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for range post {
			if _, err := qp.PostSend(batch, 1); err != nil {
				t.Error(err)
			}
		}
	}()
	t.Cleanup(func() { close(post); <-done })
	return post
}

// asleep waits until n goroutines are in a Wait: nothing says when they sleep, so this is only likely.
func asleep(started *sync.WaitGroup) {
	started.Wait()
	time.Sleep(5 * time.Millisecond)
}

// TestWait returns what is there, sleeps until something comes, and ends with its context.
func TestWait(t *testing.T) {
	a, b := pair(t, open(t).dev)
	batch := writes(t, a, b, 4)
	must(a.QP.PostSend(batch, 4))(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var wcs [3]dpath.WC
	got := 0
	for got < 4 {
		n := must(a.CQ.Wait(bounded(t), wcs[:]))(t)
		for i := range n {
			if wcs[i].ID != uint64(got+i) || wcs[i].Err() != nil {
				t.Errorf("completion %d: %+v", got+i, wcs[i])
			}
		}
		got += n
	}
	if n, err := a.CQ.Wait(ended, wcs[:]); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %d, %v", n, err)
	}
	short, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if n, err := a.CQ.Wait(short, wcs[:]); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with nothing to come: %d, %v", n, err)
	}
	post := poster(t, a.QP, batch)
	for range 100 { // asleep or not, as it happens
		post <- struct{}{}
		if n, err := a.CQ.Wait(bounded(t), wcs[:]); n != 1 || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	post <- struct{}{}
	for n := 0; n == 0; { // it is there, although the context has ended
		n, _ = a.CQ.Wait(ended, wcs[:])
	}
}

// TestReaderWait is TestWait of an extended queue.
func TestReaderWait(t *testing.T) {
	a, b := extended(t, open(t).dev, standard)
	r := must(a.CQ.Reader(verbs.WCFieldByteLen))(t)
	post := poster(t, a.QP, writes(t, a, b, 1))
	var wcs [2]verbs.WCEx
	for range 100 {
		post <- struct{}{}
		if n, err := r.Wait(bounded(t), wcs[:]); n != 1 || err != nil || wcs[0].ID != 0 || wcs[0].Err() != nil {
			t.Fatalf("%d, %v, %+v", n, err, wcs[0])
		}
	}
	if _, err := new(verbs.CQReader).Wait(t.Context(), wcs[:]); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a reader that was never made: %v", err)
	}
}

// TestWaitClosed ends all waits for a queue by its Close, and those that come later.
func TestWaitClosed(t *testing.T) {
	dev := open(t).dev
	ch := must(dev.CreateCompChannel())(t)
	var wcs [1]dpath.WC
	for range 50 {
		cq, other := must(dev.CreateCQ(1, ch, 0))(t), must(dev.CreateCQ(1, ch, 0))(t)
		ended, started := make(chan error), sync.WaitGroup{}
		for range 3 {
			started.Add(1)
			go func() {
				var wcs [1]dpath.WC
				started.Done()
				_, err := cq.Wait(t.Context(), wcs[:])
				ended <- err
			}()
		}
		started.Wait() // and some sleep already, others not
		if err := cq.Close(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := <-ended; !errors.Is(err, os.ErrClosed) {
				t.Fatalf("closed meanwhile: %v", err)
			}
		}
		if _, err := cq.Wait(t.Context(), wcs[:]); !errors.Is(err, os.ErrClosed) {
			t.Errorf("closed before: %v", err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := ch.Close(); err != nil {
		t.Error(err)
	}
}

// TestWaitOverrun wakes who waits for a queue that has lost completions.
func TestWaitOverrun(t *testing.T) {
	dev := open(t).dev
	ch := must(dev.CreateCompChannel())(t)
	cq := must(dev.CreateCQ(1, ch, 0))(t)
	ended, started := make(chan error), sync.WaitGroup{}
	started.Add(1)
	go func() {
		var wcs [1]dpath.WC
		started.Done()
		for {
			if _, err := cq.Wait(t.Context(), wcs[:]); err != nil {
				ended <- err
				return
			}
		}
	}()
	asleep(&started)
	overflow(t, cq).Done()
	if err := <-ended; !errors.Is(err, verbs.ErrOverrun) {
		t.Errorf("overrun: %v", err)
	}
}

// TestWaitRefused pins what Wait cannot do.
func TestWaitRefused(t *testing.T) {
	dev := open(t).dev
	ch, both := must(dev.CreateCompChannel())(t), must(dev.CreateCompChannel())(t)
	alone, cq, mixed := must(dev.CreateCQ(1, nil, 0))(t), must(dev.CreateCQ(1, ch, 0))(t), must(dev.CreateCQ(1, both, 0))(t)
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	sleeps, wake := context.WithTimeout(t.Context(), 20*time.Millisecond) // a Wait takes the channel only if its context has not ended before
	defer wake()
	var wcs [1]dpath.WC
	var none context.Context
	wait := func(cq *verbs.CQ, ctx context.Context, room int) error {
		return errorOf(cq.Wait(ctx, wcs[:room]))
	}
	next := func(ch *verbs.CompChannel) error {
		return errorOf(ch.Next(short))
	}
	for what, c := range map[string]struct {
		got  error
		want string
		is   error
	}{
		"without a channel": {wait(alone, t.Context(), 1), "no completion channel", syscall.EINVAL},
		"without room":      {wait(cq, t.Context(), 0), "no room", syscall.EINVAL},
		"without a context": {wait(cq, none, 1), "the context is nil", syscall.EINVAL},
		"of nil":            {wait(nil, t.Context(), 1), "nil", syscall.EINVAL},
		"never made":        {wait(new(verbs.CQ), t.Context(), 1), "never", os.ErrClosed},
		"first":             {wait(cq, sleeps, 1), "", context.DeadlineExceeded},
		"Next after Wait":   {next(ch), "taken by Wait of its queues", syscall.EBUSY},
		"Next first":        {next(both), "", context.DeadlineExceeded},
		"Wait after Next":   {wait(mixed, t.Context(), 1), "taken by CompChannel.Next", syscall.EBUSY},
	} {
		if !errors.Is(c.got, c.is) || c.got != nil && !strings.Contains(c.got.Error(), c.want) {
			t.Errorf("%s: %v", what, c.got)
		}
	}
	if alone.Channel() != nil || (*verbs.CQ)(nil).Channel() != nil {
		t.Error("a channel of a queue without one")
	}
}
