//go:build linux && cgo

package endpoint_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// posted has an endpoint post a message.
func posted(t *testing.T, e *endpoint.Endpoint) endpoint.Slot {
	t.Helper()
	s := slot(t, e)
	s.Send(1)
	check(t, s.Post())
	return s
}

// send has an endpoint send a message.
func send(t *testing.T, e *endpoint.Endpoint) {
	t.Helper()
	_, err := posted(t, e).Wait(bounded(t))
	check(t, err)
}

// TestInside has a function that the endpoint calls wait for what only its own return could bring: it gets errors, and may close.
func TestInside(t *testing.T) {
	_, dev := verbstest.Open(t)
	c := both()
	c.Sends = 2
	a, _ := pair(t, dev, c, both())
	came := make(chan error, 1)
	other := slot(t, a)
	other.Send(1)
	s := slot(t, a)
	s.Send(1)
	check(t, s.PostFunc(func(s endpoint.Slot, _ verbs.WC) {
		var errs [3]error
		_, errs[0] = a.Slot(t.Context())
		_, errs[1] = other.Do(t.Context())
		if err := other.Post(); err != nil {
			t.Error(err)
		}
		_, errs[2] = other.Wait(t.Context())
		for i, err := range errs {
			if !errors.Is(err, syscall.EDEADLK) {
				t.Errorf("call %d: %v", i, err)
			}
		}
		came <- a.Close()
	}))
	check(t, <-came)
}

// TestCloseInHandle has Handle close its endpoint, and it is not called again, though more completions have come.
func TestCloseInHandle(t *testing.T) {
	soft, dev := verbstest.Open(t)
	var calls atomic.Int32
	left := make(chan error, 4)
	closes := both()
	closes.Handle = func(e *endpoint.Endpoint, _ verbs.WC) {
		calls.Add(1)
		left <- e.Close()
	}
	a, b := pair(t, dev, closes, both())
	check(t, soft.HoldCompletions("soft0", a.QP.Num(), true))
	for range 3 {
		posted(t, b)
	}
	time.Sleep(10 * time.Millisecond) // they have arrived
	check(t, soft.HoldCompletions("soft0", a.QP.Num(), false))
	check(t, <-left)
	time.Sleep(10 * time.Millisecond)
	if n := calls.Load(); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// TestCloseOther has a Handle close another endpoint, and that waits for the Handle of the other one.
func TestCloseOther(t *testing.T) {
	_, dev := verbstest.Open(t)
	began, ended := make(chan bool), make(chan error, 1)
	var returned atomic.Bool
	slow, closes := both(), both()
	slow.Handle = func(_ *endpoint.Endpoint, wc verbs.WC) {
		if wc.Err() == nil {
			began <- true
			time.Sleep(20 * time.Millisecond)
			returned.Store(true)
		}
	}
	b, to := pair(t, dev, slow, both())
	closes.Handle = func(_ *endpoint.Endpoint, wc verbs.WC) {
		if wc.Err() == nil {
			err := b.Close()
			if !returned.Load() {
				t.Error("Close has returned, and the function has not")
			}
			ended <- err
		}
	}
	_, from := pair(t, dev, closes, both())
	send(t, to)
	<-began
	send(t, from)
	check(t, <-ended)
}

// TestCloseWaits has Handle wait for a goroutine that waits for a slot. Close ends that wait, and so all of it.
func TestCloseWaits(t *testing.T) {
	_, dev := verbstest.Open(t, softverbs.LikeMLX5()) // where a SEND waits for a receive
	began, waited := make(chan bool), make(chan error)
	waits, deaf := both(), both()
	deaf.Recvs = 0
	waits.Handle = func(_ *endpoint.Endpoint, wc verbs.WC) {
		if wc.Err() == nil {
			began <- true
			wantIs(t, <-waited, os.ErrClosed)
		}
	}
	a, b := pair(t, dev, waits, deaf)
	s := posted(t, a)
	go func() {
		_, err := s.Wait(t.Context())
		waited <- err
	}()
	send(t, b)
	<-began
	check(t, a.Close())
}

// TestFlushed ends the endpoint in ways that leave requests without completions: the function of each is called once.
func TestFlushed(t *testing.T) {
	for name, end := range map[string]func(soft *softverbs.Device, a, b *endpoint.Endpoint) error{
		"closed": func(_ *softverbs.Device, a, _ *endpoint.Endpoint) error { return a.Close() },
		"removed": func(soft *softverbs.Device, a, _ *endpoint.Endpoint) error {
			a.Fail(soft.TakeAway("soft0"))
			return nil
		},
		"Goexit": func(_ *softverbs.Device, _, b *endpoint.Endpoint) error {
			s, _ := b.TrySlot()
			s.Send(1)
			return s.Post()
		},
	} {
		t.Run(name, func(t *testing.T) {
			soft, dev := verbstest.Open(t, softverbs.LikeMLX5())
			leaves, deaf := both(), both()
			leaves.Handle = func(*endpoint.Endpoint, verbs.WC) { runtime.Goexit() }
			deaf.Recvs, leaves.Sends = 0, 8 // so that the queue is not full
			a, b := pair(t, dev, leaves, deaf)
			came := make(chan verbs.WC, 8)
			for i := range 3 {
				s := slot(t, a)
				s.Send(1)
				check(t, s.PostFunc(func(_ endpoint.Slot, wc verbs.WC) {
					came <- wc
					if i == 1 {
						runtime.Goexit()
					}
				}))
			}
			waits := posted(t, a)
			check(t, end(soft, a, b))
			if _, err := waits.Wait(bounded(t)); err == nil || errors.Is(err, context.DeadlineExceeded) ||
				strings.Contains(err.Error(), "Goexit") != (name == "Goexit") {
				t.Errorf("Wait: %v", err)
			}
			for range 3 {
				select {
				case wc := <-came:
					if wc.Err() == nil {
						t.Error("the request succeeds")
					}
				case <-bounded(t).Done():
					t.Fatal("a function was not called")
				}
			}
			time.Sleep(5 * time.Millisecond) // all have returned
			s := slot(t, a)
			s.Send(1)
			if err := s.PostFunc(func(endpoint.Slot, verbs.WC) {}); err == nil || !errors.Is(err, a.Err()) {
				t.Errorf("a post after the end: %v, want %v", err, a.Err())
			}
			if err := a.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
				t.Error(err)
			}
			if len(came) > 0 {
				t.Error("a function was called twice")
			}
		})
	}
}

// piped connects two endpoints over a pipe, and returns the first one's end of it, which as makes.
func piped(t *testing.T, a, b *endpoint.Endpoint, as func(net.Conn) net.Conn) net.Conn {
	t.Helper()
	near, far := net.Pipe()
	connected := make(chan error, 1)
	go func() {
		_, err := b.Connect(t.Context(), far, connect.Options{})
		connected <- err
	}()
	near = as(near)
	_, err := a.Connect(bounded(t), near, connect.Options{})
	check(t, errors.Join(err, <-connected))
	return near
}

// dead is a stream as that of TLS to a dead peer: Close closes it, and fails.
type dead struct{ net.Conn }

func (d dead) Close() error { return errors.Join(errors.New("cannot say goodbye"), d.Conn.Close()) }

// TestCloseFails closes an endpoint whose stream and another object fail to close: all verbs objects are closed, at once.
func TestCloseFails(t *testing.T) {
	_, dev := verbstest.Open(t)
	mine := errors.New("mine")
	a, b := newEnd(t, dev, both()), newEnd(t, dev, both())
	piped(t, a, b, func(near net.Conn) net.Conn { return dead{near} })
	if err := b.Own(looks{func() error { return mine }}, looks{func() error {
		wantIs(t, b.Close(), syscall.EBUSY)
		return nil
	}}); err != nil {
		t.Error(err)
	}
	check(t, a.Close())
	wantIs(t, b.Close(), mine)
	wantIs(t, b.Close(), os.ErrClosed)
	check(t, dev.Close())
}

// TestReasons ends endpoints without a reason, with os.ErrClosed in it, and by a stream that fails.
func TestReasons(t *testing.T) {
	_, dev := verbstest.Open(t)
	for want, err := range map[string]error{"without an error": nil, "a queue: file already closed": fmt.Errorf("a queue: %w", os.ErrClosed)} {
		e := newEnd(t, dev, both())
		e.Fail(err)
		if got := e.Err(); !errors.Is(got, syscall.ECONNRESET) || !strings.Contains(got.Error(), want) || strings.Contains(got.Error(), "%!") {
			t.Errorf("%v, want %s", got, want)
		}
		near, far := net.Pipe()
		if _, err := e.Connect(t.Context(), near, connect.Options{}); err == nil {
			t.Error("an endpoint that has ended connects")
		}
		if _, err := far.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the stream of an endpoint that has ended: %v", err)
		}
	}
	const closed = "the peer has closed"
	a, b := pair(t, dev, both(), both())
	check(t, b.Close())
	<-a.Done()
	if err := a.Err(); !strings.Contains(err.Error(), closed) {
		t.Error(err)
	}
	a, b = newEnd(t, dev, both()), newEnd(t, dev, both())
	near := piped(t, a, b, func(near net.Conn) net.Conn { return near })
	check(t, near.Close()) // by the program itself
	<-a.Done()
	if err := a.Err(); strings.Contains(err.Error(), closed) || !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
}

// TestOwnRequest posts a request without a slot. Handle gets its completion, whose ID is that of no receive, and at the end the receives.
func TestOwnRequest(t *testing.T) {
	c := both()
	came := make(chan verbs.WC, 8)
	c.Handle = func(_ *endpoint.Endpoint, wc verbs.WC) { came <- wc }
	a, _ := pair(t, verbstest.Device(t), c, both())
	if n := a.CQ.Size(); n < c.Sends+c.Recvs {
		t.Errorf("a completion queue of %d", n)
	}
	batch, err := verbs.NewSendBatch(1, 1)
	check(t, err)
	batch.WR(0).Send(uint64(c.Recvs)).Flags(verbs.SendSignaled)
	_, err = a.QP.PostSend(batch, 1)
	check(t, err)
	if wc := <-came; wc.ID != uint64(c.Recvs) || wc.Err() != nil {
		t.Errorf("ID %d: %v", wc.ID, wc.Err())
	}
	a.Fail(errors.New("mine"))
	for i := range uint64(c.Recvs) {
		if wc := <-came; wc.ID != i || wc.Status != verbs.WCStatusWRFlushErr {
			t.Errorf("receive %d: ID %d, %v", i, wc.ID, wc.Err())
		}
	}
}
