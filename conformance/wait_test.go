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

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// poster returns a channel: for each value a goroutine of its own posts the batch.
func poster(t *testing.T, qp *verbs.QP, batch *verbs.SendBatch) chan<- struct{} {
	post, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for range post {
			if _, err := qp.PostSend(batch, batch.Len()); err != nil {
				t.Error(err)
			}
		}
	}()
	t.Cleanup(func() { close(post); <-done })
	return post
}

// TestWait returns what is there, sleeps until something comes, and ends with its context: plain queues, and readers of extended ones.
func TestWait(t *testing.T) {
	for name, fields := range map[string]verbs.WCField{"plain": 0, "extended": standard} {
		t.Run(name, func(t *testing.T) {
			a, b := extended(t, open(t).dev, fields)
			batch := must(verbs.NewSendBatch(4, 1))(t)
			for i := range 4 {
				batch.WR(i).Write(uint64(i), uint64(b.MR.Addr()), b.MR.RKey()).Add(a.MR.UncheckedSGE(0, 8)).Flags(verbs.SendSignaled)
			}
			next := uint64(0)
			wait := func(ctx context.Context) (int, error) {
				var wcs [3]verbs.WC
				n, err := a.CQ.Wait(ctx, wcs[:])
				for _, wc := range wcs[:n] {
					if wc.ID != next%4 || wc.Err() != nil {
						t.Errorf("completion %d: %+v", next, wc)
					}
					next++
				}
				return n, err
			}
			if fields != 0 {
				r := must(a.CQ.Reader(verbs.WCFieldByteLen))(t)
				wait = func(ctx context.Context) (int, error) {
					var wcs [3]verbs.WCEx
					n, err := r.Wait(ctx, wcs[:])
					for _, wc := range wcs[:n] {
						if wc.ID != next%4 || wc.Err() != nil {
							t.Errorf("completion %d: %+v", next, wc)
						}
						next++
					}
					return n, err
				}
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			post := poster(t, a.QP, batch)
			for range 100 { // asleep or not, as it happens
				post <- struct{}{}
				for got := 0; got < 4; {
					got += must(wait(bounded(t)))(t)
				}
			}
			if n, err := wait(ended); n != 0 || !errors.Is(err, context.Canceled) {
				t.Errorf("with a context that has ended: %d, %v", n, err)
			}
			short, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
			defer cancel()
			if n, err := wait(short); n != 0 || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("with nothing to come: %d, %v", n, err)
			}
			post <- struct{}{}
			for n := 0; n == 0; { // it is there, although the context has ended
				n, _ = wait(ended)
			}
		})
	}
	if _, err := new(verbs.CQReader).Wait(t.Context(), make([]verbs.WCEx, 1)); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a reader that was never made: %v", err)
	}
}

// waits has n goroutines wait for a queue until there is an error, which it gives. Some may sleep already.
func waits(t *testing.T, cq *verbs.CQ, n int) <-chan error {
	ended, started := make(chan error, n), sync.WaitGroup{}
	for range n {
		started.Add(1)
		go func() {
			var wcs [1]verbs.WC
			started.Done()
			for {
				if _, err := cq.Wait(t.Context(), wcs[:]); err != nil {
					ended <- err
					return
				}
			}
		}()
	}
	started.Wait()
	return ended
}

// TestWaitClosed ends all waits for a queue by its Close, and those that come later.
func TestWaitClosed(t *testing.T) {
	dev := open(t).dev
	ch := must(dev.CreateCompChannel())(t)
	for range 50 {
		cq, other := must(dev.CreateCQ(1, ch, 0))(t), must(dev.CreateCQ(1, ch, 0))(t)
		ended := waits(t, cq, 3)
		must(0, cq.Close())(t)
		for range 3 {
			if err := <-ended; !errors.Is(err, os.ErrClosed) {
				t.Fatalf("closed meanwhile: %v", err)
			}
		}
		if err := <-waits(t, cq, 1); !errors.Is(err, os.ErrClosed) {
			t.Errorf("closed before: %v", err)
		}
		must(0, other.Close())(t)
	}
	must(0, ch.Close())(t)
}

// TestWaitOverrun wakes who waits for a queue that has lost completions.
func TestWaitOverrun(t *testing.T) {
	dev := open(t).dev
	cq := must(dev.CreateCQ(1, must(dev.CreateCompChannel())(t), 0))(t)
	ended := waits(t, cq, 1)
	time.Sleep(5 * time.Millisecond) // most likely it sleeps by now
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
	var wcs [1]verbs.WC
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
