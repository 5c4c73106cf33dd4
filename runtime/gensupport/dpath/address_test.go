//go:build linux && cgo

package dpath_test

import (
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// datagrams is a provider whose queue pair is for datagrams.
func datagrams(t *testing.T) *dptest.Provider {
	p := provider(t)
	p.Datagrams()
	p.Posts(dptest.Record)
	return p
}

func openAddress(p *dptest.Provider) (*dpath.Address, *dptest.Queue) {
	a, q := new(dpath.Address), p.Mortal()
	a.Open(q.Object())
	return a, q
}

func closeAddress(t *testing.T, a *dpath.Address, q *dptest.Queue) {
	t.Helper()
	if err := a.End("close", "AH", time.Minute, q.Destroy); err != nil {
		t.Error(err)
	}
}

// TestMisaddressed posts requests of which one cannot go anywhere: those before it are posted.
func TestMisaddressed(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(w dpath.SendWR, p *dptest.Provider)
		want  syscall.Errno
	}{
		"none":  {func(w dpath.SendWR, p *dptest.Provider) {}, fail.ErrnoNoAddress},
		"nil":   {func(w dpath.SendWR, p *dptest.Provider) { w.To(nil, 1, 1) }, fail.ErrnoNoAddress},
		"fine":  {func(w dpath.SendWR, p *dptest.Provider) { w.To(p.Context(), 1, 1) }, 0},
		"write": {func(w dpath.SendWR, p *dptest.Provider) { w.To(p.Context(), 1, 1).Write(1, 4096, 1).Send(1) }, fail.ErrnoNoAddress},
		"write after an address": {func(w dpath.SendWR, p *dptest.Provider) {
			a, _ := openAddress(p)
			a.To(w, 1, 1)
			w.Write(1, 4096, 1).Send(1)
		}, fail.ErrnoNoAddress},
		"other device": {func(w dpath.SendWR, p *dptest.Provider) {
			a, _ := openAddress(provider(t))
			a.To(w, 1, 1)
		}, fail.ErrnoOtherDevice},
		"closed": {func(w dpath.SendWR, p *dptest.Provider) {
			a, q := openAddress(p)
			a.To(w, 1, 1)
			closeAddress(t, a, q)
		}, fail.ErrnoAddressClosed},
		"another with the same place": {func(w dpath.SendWR, p *dptest.Provider) {
			a, q := openAddress(p)
			a.To(w, 1, 1)
			if err := a.End("close", "AH", time.Minute, func() error { return nil }); err != nil {
				t.Error(err)
			}
			new(dpath.Address).Open(q.Object())
		}, fail.ErrnoAddressClosed},
		"close refused": {func(w dpath.SendWR, p *dptest.Provider) {
			a, _ := openAddress(p)
			a.To(w, 1, 1)
			if err := a.End("close", "AH", time.Minute, func() error { return syscall.EBUSY }); err != syscall.EBUSY || !a.IsOpen() {
				t.Errorf("End: %v", err)
			}
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := datagrams(t)
			a, _ := openAddress(p)
			for _, at := range []int{0, 2, 3} {
				b := sendBatch(t, 4, 0)
				for i := range b.Len() {
					if i != at {
						a.To(b.WR(i).Send(uint64(i)), 7, 8)
					}
				}
				c.spoil(b.WR(at).Send(uint64(at)), p)
				before := len(p.Seen())
				bad, errno := dpath.PostSend(p.QP(), b, 4)
				posted, want := len(p.Seen())-before, at
				if c.want == 0 {
					at, want = -1, 4
				}
				if bad != at || errno != c.want || posted != want {
					t.Errorf("request %d: %d, %v after %d posts", at, bad, errno, posted)
				}
			}
		})
	}
}

// TestCloseAddressDuringUse closes an address handle under posts that look at it for long: one that looks at what is gone ends the
// process.
func TestCloseAddressDuringUse(t *testing.T) {
	for i := range 100 {
		p := datagrams(t)
		p.Posts(dptest.Linger)
		a, q := openAddress(p)
		var calls atomic.Int64
		var wg sync.WaitGroup
		for range 2 {
			b := sendBatch(t, 1, 0)
			a.To(b.WR(0).Send(1), 1, 1)
			wg.Go(func() {
				errno := syscall.Errno(0)
				for calls.Add(1); errno == 0; calls.Add(1) {
					_, errno = dpath.PostSend(p.QP(), b, 1)
				}
				if errno != fail.ErrnoAddressClosed {
					t.Errorf("ends with %v", errno)
				}
			})
		}
		for calls.Load() < 2+int64(i%3) {
			time.Sleep(time.Microsecond)
		}
		closeAddress(t, a, q)
		wg.Wait()
	}
}
