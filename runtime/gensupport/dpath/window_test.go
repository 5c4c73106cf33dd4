//go:build linux && cgo

package dpath_test

import (
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// mwBind is struct ibv_mw_bind.
type mwBind struct {
	id           uint64
	flags, _     uint32
	mr           uintptr
	addr, length uint64
	access, _    uint32
}

// window is an object that requests name, and its C object.
type window struct {
	dpath.Named
	c *dptest.Queue
}

func newWindow(p *dptest.Provider) *window {
	w := &window{c: p.Mortal()}
	w.Open(w.c.Object())
	return w
}

func (w *window) close(t *testing.T) {
	t.Helper()
	if err := w.End("close", "MW", time.Minute, w.c.Destroy); err != nil {
		t.Error(err)
	}
}

func bind(w dpath.SendWR, key uint32, mw, mr *window) {
	dpath.Bind(w, key, unsafe.Pointer(&mwBind{id: 5, addr: 1, length: 2, access: 3}), &mw.Named, &mr.Named)
}

// TestBinds posts requests of which one binds a window: those before it are posted in any case.
func TestBinds(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(p *dptest.Provider, mw, mr *window, w dpath.SendWR)
		want  syscall.Errno
	}{
		"fine":          {func(*dptest.Provider, *window, *window, dpath.SendWR) {}, 0},
		"window closed": {func(_ *dptest.Provider, mw, _ *window, _ dpath.SendWR) { mw.close(t) }, fail.ErrnoWindowClosed},
		"region closed": {func(_ *dptest.Provider, _, mr *window, _ dpath.SendWR) { mr.close(t) }, fail.ErrnoWindowClosed},
		"another window with the same place": {func(_ *dptest.Provider, mw, mr *window, w dpath.SendWR) {
			if err := mw.End("close", "MW", time.Minute, func() error { return nil }); err != nil {
				t.Error(err)
			}
			next := &window{c: mw.c}
			next.Open(mw.c.Object())
			bind(sendBatch(t, 1, 0).WR(0), 7, next, mr)
		}, fail.ErrnoWindowClosed},
		"close refused": {func(_ *dptest.Provider, mw, _ *window, _ dpath.SendWR) {
			if err := mw.End("close", "MW", time.Minute, func() error { return syscall.EBUSY }); err != syscall.EBUSY {
				t.Errorf("End: %v", err)
			}
		}, 0},
		"other device": {func(_ *dptest.Provider, mw, _ *window, w dpath.SendWR) {
			bind(w, 7, mw, newWindow(provider(t)))
		}, fail.ErrnoWindowDevice},
		"another operation since then": {func(_ *dptest.Provider, mw, _ *window, w dpath.SendWR) {
			mw.close(t)
			w.Send(5)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, at := range []int{0, 2, 3} {
				p := provider(t)
				p.Posts(dptest.Record)
				mw, mr := newWindow(p), newWindow(p)
				b := sendBatch(t, 4, 0)
				for i := range b.Len() {
					b.WR(i).Send(uint64(i))
				}
				bind(b.WR(at), 0x1234, mw, mr)
				c.spoil(p, mw, mr, b.WR(at))
				bad, errno := dpath.PostSend(p.QP(), b, 4)
				want := at
				if c.want == 0 {
					at, want = -1, 4
				}
				if posted := len(p.Seen()); bad != at || errno != c.want || posted != want {
					t.Errorf("request %d: %d, %v after %d posts", at, bad, errno, posted)
				}
			}
		})
	}
}

// TestBindKey: a window has the last byte of the key that a posted request has, and no request that was refused changes it.
func TestBindKey(t *testing.T) {
	p := provider(t)
	mw, mr := newWindow(p), newWindow(p)
	key := (*uint32)(unsafe.Add(mw.c.Object(), 16)) // rkey of struct ibv_mw
	*key = 0xabcdef01
	b := sendBatch(t, 2, 0)
	bind(b.WR(0), dpath.NextRKey(*key), mw, mr)
	bind(b.WR(1), 0x77, mw, mr)
	p.Posts(dptest.Record)
	if _, errno := dpath.PostSend(p.QP(), b, 1); errno != 0 || *key != 0xabcdef02 {
		t.Errorf("%v, key %#x", errno, *key)
	}
	p.Refuse(0, int(syscall.ENOMEM), 0)
	if _, errno := dpath.PostSendFrom(p.QP(), b, 1, 1); errno != syscall.ENOMEM || *key != 0xabcdef02 {
		t.Errorf("%v, key %#x", errno, *key)
	}
	if next := dpath.NextRKey(0x1ff); next != 0x100 {
		t.Errorf("after 0x1ff comes %#x", next)
	}
}

// TestBindThenDatagram: what a bind leaves in a request is no address, and a bind is no datagram.
func TestBindThenDatagram(t *testing.T) {
	p := datagrams(t)
	mw, mr := newWindow(p), newWindow(p)
	b := sendBatch(t, 1, 0)
	bind(b.WR(0), 7, mw, mr)
	if bad, errno := dpath.PostSend(p.QP(), b, 1); bad != 0 || errno != syscall.EINVAL {
		t.Errorf("a bind: %d, %v", bad, errno)
	}
	b.WR(0).Send(1)
	mw.close(t) // an access to it ends the process
	if bad, errno := dpath.PostSend(p.QP(), b, 1); bad != 0 || errno != fail.ErrnoNoAddress {
		t.Errorf("a datagram: %d, %v", bad, errno)
	}
	if n := len(p.Seen()); n != 0 {
		t.Errorf("%d posts", n)
	}
}

// TestBindHasNoRemote: the members of a bind are not changed by what changes a remote address.
func TestBindHasNoRemote(t *testing.T) {
	p := provider(t)
	b := sendBatch(t, 1, 0)
	bind(b.WR(0), 7, newWindow(p), newWindow(p))
	for name, f := range map[string]func(){"SetRemote": func() { b.WR(0).SetRemote(1) }, "SetRKey": func() { b.WR(0).SetRKey(1) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of a bind", name)
				}
			}()
			f()
		}()
	}
}

// TestCloseWindowDuringUse closes a window under posts that look at it for long.
func TestCloseWindowDuringUse(t *testing.T) {
	for range 20 {
		p := provider(t)
		p.Posts(dptest.Linger)
		mw, mr := newWindow(p), newWindow(p)
		begun := make(chan struct{}, 2)
		var wg sync.WaitGroup
		for range 2 {
			b := sendBatch(t, 1, 0)
			bind(b.WR(0), 1, mw, mr)
			wg.Go(func() {
				_, errno := dpath.PostSend(p.QP(), b, 1)
				begun <- struct{}{}
				for errno == 0 {
					_, errno = dpath.PostSend(p.QP(), b, 1)
				}
				if errno != fail.ErrnoWindowClosed {
					t.Errorf("ends with %v", errno)
				}
			})
		}
		<-begun
		mw.close(t)
		wg.Wait()
	}
}
