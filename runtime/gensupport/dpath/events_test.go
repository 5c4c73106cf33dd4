//go:build linux && cgo

package dpath_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
)

func channel(t testing.TB, p *dptest.Provider) *dpath.Channel {
	t.Helper()
	get, ack := dptest.Functions()
	c, err := dpath.NewChannel(p.Channel(), get, ack)
	check(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// bounded is a context for what must happen: a test that hangs fails by it.
func bounded(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func next(t testing.TB, ctx context.Context, p *dptest.Provider, c *dpath.Channel) {
	t.Helper()
	if cq, err := c.Next(ctx); err != nil || cq != uintptr(p.CQObject()) {
		t.Fatalf("queue %#x, %v; want %v", cq, err, p.CQObject())
	}
}

// TestNextEnds asks that the end of a context ends the wait and takes no event with it, and that it does not end other waits.
func TestNextEnds(t *testing.T) {
	p := provider(t)
	c := channel(t, p)
	p.Feed(1)
	if _, err := c.Next(ended()); err != context.Canceled {
		t.Errorf("ended before: %v", err)
	}
	next(t, bounded(t), p, c)
	short, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := c.Next(short); err != context.DeadlineExceeded {
		t.Errorf("ended while waiting: %v", err)
	}
	for range 100 {
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		if _, err := c.Next(ctx); err != context.Canceled {
			t.Fatalf("ended at any time: %v", err)
		}
		p.Feed(1)
		next(t, bounded(t), p, c)
	}
}

// TestNextTurn has one goroutine wait for the file and another for its turn; the second ends first.
func TestNextTurn(t *testing.T) {
	p := provider(t)
	c := channel(t, p)
	first := make(chan error)
	go func() {
		_, err := c.Next(bounded(t))
		first <- err
	}()
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
		if _, err := c.Next(ctx); err != context.DeadlineExceeded {
			t.Errorf("second: %v", err)
		}
		cancel()
	}
	p.Feed(1)
	check(t, <-first)
}

// TestNoneLost has many goroutines take events with contexts that end at any moment, and counts.
func TestNoneLost(t *testing.T) {
	const events, takers = 4000, 8
	p := provider(t)
	c := channel(t, p)
	all, stop := context.WithCancel(bounded(t))
	defer stop()
	var got, ends atomic.Int64
	var wg sync.WaitGroup
	for range takers {
		wg.Go(func() {
			for all.Err() == nil {
				ctx, cancel := context.WithTimeout(all, time.Duration(rand.IntN(100))*time.Microsecond)
				cq, err := c.Next(ctx)
				cancel()
				switch {
				case err == nil:
					c.Ack(cq)
					if got.Add(1) == events {
						stop()
					}
				case ctx.Err() != nil && errors.Is(err, ctx.Err()):
					ends.Add(1)
				default:
					t.Errorf("next: %v", err)
					return
				}
			}
		})
	}
	for range events / 10 {
		p.Feed(10)
		time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
	}
	wg.Wait()
	if got.Load() != events || p.Acked() != events || ends.Load() == 0 {
		t.Errorf("of %d events %d came, %d acknowledged; %d waits were ended", events, got.Load(), p.Acked(), ends.Load())
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := c.Next(ctx); err != context.DeadlineExceeded {
		t.Errorf("an event more than there were: %v", err)
	}
}

// TestEndsTogether has a context end at the moment an event comes, and asks that the next wait does not feel it.
func TestEndsTogether(t *testing.T) {
	p := provider(t)
	c := channel(t, p)
	for range 3000 {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			p.Feed(1)
			cancel()
		}()
		if _, err := c.Next(ctx); err != nil {
			next(t, bounded(t), p, c)
		}
		go p.Feed(1)
		next(t, context.Background(), p, c)
		<-ctx.Done()
	}
}

// TestClose wakes who waits; what nobody took is there for the next Channel.
func TestClose(t *testing.T) {
	p := provider(t)
	c := channel(t, p)
	var wg sync.WaitGroup
	for i := range 6 {
		ctx := context.Background()
		if i%2 == 0 {
			ctx = bounded(t)
		}
		wg.Go(func() {
			if _, err := c.Next(ctx); !errors.Is(err, os.ErrClosed) {
				t.Errorf("waiting: %v", err)
			}
		})
	}
	time.Sleep(time.Millisecond)
	check(t, c.Close())
	wg.Wait()
	p.Feed(2)
	if _, err := c.Next(bounded(t)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after: %v", err)
	}
	wantIs(t, c.Close(), os.ErrClosed)
	again := channel(t, p)
	next(t, bounded(t), p, again)
	next(t, bounded(t), p, again)
}

func TestNextErrors(t *testing.T) {
	p := provider(t)
	c := channel(t, p)
	p.Feed(2)
	p.FailEvent(syscall.EBADF)
	if _, err := c.Next(bounded(t)); !errors.Is(err, syscall.EBADF) {
		t.Errorf("failed: %v", err)
	}
	p.FailEvent(syscall.EINTR)
	next(t, bounded(t), p, c)
	p.FailEvent(dptest.NoErrno)
	if _, err := c.Next(bounded(t)); !errors.Is(err, syscall.EIO) {
		t.Errorf("failed without errno: %v", err)
	}
	p.FailEvent(syscall.EAGAIN) // as when somebody else took the event: it is asked for again
	next(t, bounded(t), p, c)
}

func TestNewChannel(t *testing.T) {
	p := provider(t)
	get, ack := dptest.Functions()
	wantIs(t, second(dpath.NewChannel(p.Channel(), 0, ack)), errors.ErrUnsupported)
	wantIs(t, second(dpath.NewChannel(p.Channel(), get, 0)), errors.ErrUnsupported)
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	check(t, err)
	defer f.Close()
	pipe := p.SetFD(int(f.Fd()))
	wantIs(t, second(dpath.NewChannel(p.Channel(), get, ack)), errors.ErrUnsupported)
	p.SetFD(-1)
	wantIs(t, second(dpath.NewChannel(p.Channel(), get, ack)), syscall.EBADF)
	p.SetFD(pipe)
	for range 3 { // the library's own descriptor stays open
		if err := channel(t, p).Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := syscall.Seek(pipe, 0, 0); err != syscall.ESPIPE {
		t.Errorf("the pipe: %v", err)
	}
}

// TestAsync takes events of an object and of a port; what is acknowledged is what was given, also after Close.
func TestAsync(t *testing.T) {
	p := provider(t)
	get, ack := dptest.AsyncFunctions()
	a, err := dpath.NewAsync(p.Context(), get, ack)
	check(t, err)
	p.FailAsync(syscall.EINTR)
	p.FeedAsync(0, uintptr(p.CQObject()))
	p.FeedAsync(10, 3)
	of, err := a.Next(bounded(t))
	if err != nil || of.Type != 0 || of.Object != uintptr(p.CQObject()) {
		t.Errorf("%+v, %v; want CQ_ERR of %v", of, err, p.CQObject())
	}
	port, err := a.Next(bounded(t))
	if err != nil || port.Type != 10 || port.Port != 3 {
		t.Errorf("%+v, %v; want PORT_ERR of 3", port, err)
	}
	p.FailAsync(dptest.NoErrno)
	wantIs(t, second(a.Next(bounded(t))), syscall.EIO)
	check(t, a.Close())
	for _, ev := range []dpath.AsyncEvent{port, of} {
		a.Ack(ev)
		if typ, object := p.AckedAsync(); typ != ev.Type || object != ev.Object {
			t.Errorf("acknowledged %d of %#x, want %+v", typ, object, ev)
		}
	}
	wantIs(t, second(dpath.NewAsync(p.Context(), 0, ack)), errors.ErrUnsupported)
	wantIs(t, second(dpath.NewAsync(p.Context(), get, 0)), errors.ErrUnsupported)
}

// TestNewEvents has an event that cannot be taken over: its error is returned, and the next one is taken.
func TestNewEvents(t *testing.T) {
	r, w, err := os.Pipe()
	check(t, err)
	defer r.Close()
	fd, bad, n := int(r.Fd()), errors.New("no handle"), 0
	e, err := dpath.NewEvents(fd, "pipe_get", "pipe_close", "the pipe", func() (int, syscall.Errno, error) {
		if n++; n == 1 {
			return 0, 0, bad
		}
		return n, 0, nil
	})
	check(t, err)
	check(t, w.Close())
	wantIs(t, second(e.Next(t.Context())), bad)
	if got, err := e.Next(t.Context()); err != nil || got != 2 {
		t.Errorf("the next one: %v, %v", got, err)
	}
	check(t, e.Close())
}
