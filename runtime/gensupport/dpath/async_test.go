//go:build linux && cgo

package dpath_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
)

func async(t testing.TB, p *dptest.Provider) *dpath.Async {
	t.Helper()
	get, ack := dptest.AsyncFunctions()
	a, err := dpath.NewAsync(p.Context(), get, ack)
	check(t, err)
	t.Cleanup(func() { a.Close() })
	return a
}

// TestAsync takes events that are there and one that comes later; what is acknowledged is what was given.
func TestAsync(t *testing.T) {
	p := provider(t)
	a := async(t, p)
	p.FeedAsync(0, uintptr(p.CQObject()))
	p.FeedAsync(10, 3)
	of, err := a.Next(context.Background())
	if err != nil || of.Type != 0 || of.Object != uintptr(p.CQObject()) {
		t.Errorf("%+v, %v; want CQ_ERR of %v", of, err, p.CQObject())
	}
	port, err := a.Next(context.Background())
	if err != nil || port.Type != 10 || port.Port != 3 {
		t.Errorf("%+v, %v; want PORT_ERR of 3", port, err)
	}
	go func() {
		time.Sleep(time.Millisecond) // most likely Next sleeps by now; it works either way
		p.FeedAsync(1, 0x7000)
	}()
	later, err := a.Next(bounded(t))
	if err != nil || later.Type != 1 || later.Object != 0x7000 {
		t.Errorf("%+v, %v", later, err)
	}
	if a.Close() != nil {
		t.Error("Close")
	}
	for _, ev := range []dpath.AsyncEvent{port, of, later} {
		a.Ack(ev)
		if typ, object := p.AckedAsync(); typ != ev.Type || object != ev.Object {
			t.Errorf("acknowledged %d of %#x, want %+v", typ, object, ev)
		}
	}
}

// TestAsyncEnds ends the wait by a context, by Close and by errors of the library.
func TestAsyncEnds(t *testing.T) {
	p := provider(t)
	a := async(t, p)
	p.FeedAsync(9, 1)
	if _, err := a.Next(ended()); err != context.Canceled {
		t.Errorf("ended before: %v", err)
	}
	if ev, err := a.Next(bounded(t)); err != nil || ev.Type != 9 {
		t.Errorf("%+v, %v", ev, err)
	}
	p.FailAsync(syscall.EINTR)
	p.FeedAsync(9, 1)
	if ev, err := a.Next(bounded(t)); err != nil || ev.Port != 1 {
		t.Errorf("after a signal: %+v, %v", ev, err)
	}
	p.FailAsync(syscall.EIO)
	wantIs(t, second(a.Next(bounded(t))), syscall.EIO)
	p.FailAsync(dptest.NoErrno)
	wantIs(t, second(a.Next(bounded(t))), syscall.EIO)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			wantIs(t, second(a.Next(bounded(t))), os.ErrClosed)
		})
	}
	time.Sleep(time.Millisecond)
	check(t, a.Close())
	wg.Wait()
	wantIs(t, a.Close(), os.ErrClosed)
}

func TestNewAsync(t *testing.T) {
	p := provider(t)
	get, ack := dptest.AsyncFunctions()
	for _, x := range []struct {
		c        unsafe.Pointer
		get, ack uintptr
		want     error
	}{{nil, get, ack, syscall.EINVAL}, {p.Context(), 0, ack, errors.ErrUnsupported}, {p.Context(), get, 0, errors.ErrUnsupported}} {
		if _, err := dpath.NewAsync(x.c, x.get, x.ack); !errors.Is(err, x.want) {
			t.Errorf("%v: %v", x, err)
		}
	}
}
