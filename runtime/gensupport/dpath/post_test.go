//go:build linux && cgo

package dpath_test

import (
	"errors"
	"os"
	"reflect"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
)

// wantIs reports an error that is not the one wanted.
func wantIs(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func second[T any](_ T, err error) error { return err }

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func provider(t testing.TB) *dptest.Provider {
	t.Helper()
	p, err := dptest.New()
	check(t, err)
	t.Cleanup(p.Close)
	return p
}

func sendBatch(t testing.TB, wrs, sges int) *dpath.SendBatch {
	t.Helper()
	b, err := dpath.NewSendBatch(wrs, sges)
	check(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

func recvBatch(t testing.TB, wrs, sges int) *dpath.RecvBatch {
	t.Helper()
	b, err := dpath.NewRecvBatch(wrs, sges)
	check(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

// meant keeps the members of the unions that the operation is about.
func meant(s dptest.Seen) dptest.Seen {
	switch s.Opcode {
	case 0, 1, 4: // writes and reads
		s.Compare, s.Swap, s.AtomicRKey, s.AH, s.QPN, s.QKey = 0, 0, 0, 0, 0, 0
	case 5, 6: // atomics
		s.RKey, s.AH, s.QPN, s.QKey = 0, 0, 0, 0
	default:
		s.Remote, s.RKey, s.Compare, s.Swap, s.AtomicRKey = 0, 0, 0, 0, 0
	}
	return s
}

// TestChain posts every part of a batch and asks that exactly that was seen, in order, and that the chain is whole again.
func TestChain(t *testing.T) {
	p := provider(t)
	const size = 5
	send, recv := sendBatch(t, size, 1), recvBatch(t, size, 2)
	for i := range size {
		send.WR(i).Send(uint64(i)).SGE(uint64(100+i), 1, 2)
		recv.WR(i).Recv(0).SGE(0, 1, 2).SGE(3, 4, 5)
		recv.WR(i).SetID(uint64(i))
		recv.WR(i).SetAddr(0, uint64(100+i))
		recv.WR(i).SGEs()[1].LKey = uint32(200 + i)
	}
	for first := range size + 1 {
		for n := range size + 1 - first {
			p.Posts(dptest.Record)
			bad, errno := dpath.PostSendFrom(p.QP(), send, first, n)
			checkSeen(t, p, first, n, bad, errno, false)
			p.Posts(dptest.Record)
			bad, errno = dpath.PostRecvFrom(p.QP(), recv, first, n)
			checkSeen(t, p, first, n, bad, errno, true)
		}
	}
}

func checkSeen(t *testing.T, p *dptest.Provider, first, n, bad int, errno syscall.Errno, recv bool) {
	t.Helper()
	seen := p.Seen()
	if bad != -1 || errno != 0 || len(seen) != n {
		t.Fatalf("%d requests from %d: bad %d, errno %v, %d were seen", n, first, bad, errno, len(seen))
	}
	if posts, _ := p.Calls(); posts != min(n, 1) {
		t.Errorf("%d requests took %d posts", n, posts)
	}
	for i, s := range seen {
		want := []dptest.SGE{{Addr: uint64(100 + first + i), Length: 1, LKey: 2}}
		if recv {
			want = append(want, dptest.SGE{Addr: 3, Length: 4, LKey: uint32(200 + first + i)})
		}
		if s.ID != uint64(first+i) || !reflect.DeepEqual(s.SGEs, want) {
			t.Errorf("request %d from %d was %+v", i, first, s)
		}
	}
}

// TestFresh posts requests that were never filled in.
func TestFresh(t *testing.T) {
	p := provider(t)
	p.Posts(dptest.Record)
	if bad, errno := dpath.PostSend(p.QP(), sendBatch(t, 2, 0), 2); bad != -1 || errno != 0 {
		t.Fatal(bad, errno)
	}
	for _, s := range p.Seen() {
		if !reflect.DeepEqual(s, dptest.Seen{Opcode: 2}) {
			t.Errorf("a fresh request is %+v, not an empty SEND", s)
		}
	}
}

// posters are both directions for a batch of 8 requests.
func posters(t *testing.T, p *dptest.Provider) map[string]func(first, n int) (int, syscall.Errno) {
	send, recv := sendBatch(t, 8, 1), recvBatch(t, 8, 1)
	return map[string]func(first, n int) (int, syscall.Errno){
		"send": func(first, n int) (int, syscall.Errno) { return dpath.PostSendFrom(p.QP(), send, first, n) },
		"recv": func(first, n int) (int, syscall.Errno) { return dpath.PostRecvFrom(p.QP(), recv, first, n) },
		"send all": func(first, n int) (int, syscall.Errno) {
			bad, errno := dpath.PostSend(p.QP(), send, n)
			return shift(bad, first), errno
		},
		"recv all": func(first, n int) (int, syscall.Errno) {
			bad, errno := dpath.PostRecv(p.QP(), recv, n)
			return shift(bad, first), errno
		},
	}
}

func shift(bad, by int) int {
	if bad < 0 {
		return bad
	}
	return bad + by
}

// TestRefused has a provider refuse each request in turn.
func TestRefused(t *testing.T) {
	p := provider(t)
	for name, post := range posters(t, p) {
		for k := range 6 {
			p.Posts(dptest.Record)
			p.Refuse(k, int(syscall.ENOMEM), 0)
			bad, errno := post(2, 6)
			if bad != 2+k || errno != syscall.ENOMEM || len(p.Seen()) != k {
				t.Errorf("%s: request %d refused: bad %d, errno %v, %d were taken", name, 2+k, bad, errno, len(p.Seen()))
			}
		}
		p.Posts(dptest.Record)
		if bad, errno := post(0, 8); bad != -1 || errno != 0 || len(p.Seen()) != 8 {
			t.Errorf("%s: after refusals: bad %d, errno %v, %d were taken", name, bad, errno, len(p.Seen()))
		}
	}
}

// TestAnswers shows what becomes of the answers of providers that do not keep to the manual page.
func TestAnswers(t *testing.T) {
	tests := []struct {
		code int
		err  syscall.Errno
		want syscall.Errno
	}{{22, 5, 22}, {-1, 12, 12}, {-1, 0, syscall.EIO}, {-22, 12, 22}, {4711, 0, 4711}}
	p := provider(t)
	for name, post := range posters(t, p) {
		for _, tt := range tests {
			p.Posts(dptest.Record)
			p.Refuse(0, tt.code, tt.err)
			if bad, errno := post(0, 1); bad != 0 || errno != tt.want {
				t.Errorf("%s: answer %d, errno %d: bad %d, errno %d", name, tt.code, tt.err, bad, errno)
			}
		}
	}
}

// TestAstray has a provider name a bad request that was not posted.
func TestAstray(t *testing.T) {
	p := provider(t)
	b := sendBatch(t, 8, 1)
	at := func(i, off int) uintptr { return uintptr(b.WR(i).At()) + uintptr(off) }
	for name, bad := range map[string]uintptr{"none": 0, "before": at(1, 0), "behind": at(5, 0), "within": at(3, 8), "last": ^uintptr(0)} {
		p.Posts(dptest.Record)
		p.Refuse(1, int(syscall.EINVAL), 0)
		p.Mislead(bad)
		if bad, errno := dpath.PostSendFrom(p.QP(), b, 2, 3); bad != -1 || errno != syscall.EINVAL {
			t.Errorf("%s: bad %d, errno %v", name, bad, errno)
		}
	}
	p.Mislead(at(4, 0))
	if bad, _ := dpath.PostSendFrom(p.QP(), b, 2, 3); bad != 4 {
		t.Errorf("the last request of three is bad %d", bad)
	}
}

// TestRange asks that nothing reaches C that cannot be posted.
func TestRange(t *testing.T) {
	p := provider(t)
	p.Posts(dptest.Record)
	send, recv := sendBatch(t, 4, 1), recvBatch(t, 4, 1)
	for _, r := range [][2]int{{0, 5}, {0, -1}, {4, 1}, {5, 0}, {-1, 1}, {2, 3}, {1, int(^uint(0) >> 1)}} {
		if bad, errno := dpath.PostSendFrom(p.QP(), send, r[0], r[1]); bad != -1 || errno != syscall.EINVAL {
			t.Errorf("send %v: bad %d, errno %v", r, bad, errno)
		}
		if bad, errno := dpath.PostRecvFrom(p.QP(), recv, r[0], r[1]); bad != -1 || errno != syscall.EINVAL {
			t.Errorf("recv %v: bad %d, errno %v", r, bad, errno)
		}
	}
	if posts, _ := p.Calls(); posts != 0 {
		t.Errorf("%d posts were made", posts)
	}
}

func TestBatchSizes(t *testing.T) {
	for _, s := range [][2]int{{0, 1}, {-1, 1}, {1, -1}, {1, dpath.MostSGEs + 1}, {1 << 40, 1}} {
		if _, err := dpath.NewSendBatch(s[0], s[1]); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("send %v: %v", s, err)
		}
		if _, err := dpath.NewRecvBatch(s[0], s[1]); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("recv %v: %v", s, err)
		}
	}
	b := sendBatch(t, 3, dpath.MostSGEs)
	for i := range b.Len() {
		for range dpath.MostSGEs {
			b.WR(i).SGE(uint64(i), 1, 1)
		}
	}
	if s := b.WR(1).SGEs(); len(s) != dpath.MostSGEs || s[0].Addr != 1 || s[len(s)-1].Addr != 1 {
		t.Error("requests with the most elements overlap")
	}
	r := recvBatch(t, 3, 1)
	if err := errors.Join(r.Close(), b.Close()); err != nil || r.Len() != 0 {
		t.Errorf("close: %v, length %d", err, r.Len())
	}
	wantIs(t, r.Close(), os.ErrClosed)
	wantIs(t, b.Close(), os.ErrClosed)
}

// TestTooMany asks that what has no place is never written to the neighbour's.
func TestTooMany(t *testing.T) {
	send, recv := sendBatch(t, 2, 1), recvBatch(t, 2, 1)
	send.WR(1).Send(1).SGE(7, 7, 7)
	recv.WR(1).Recv(1).SGE(7, 7, 7)
	for name, f := range map[string]func(){
		"sge of send":   func() { send.WR(0).Send(1).SGE(1, 1, 1).SGE(2, 2, 2) },
		"sge of recv":   func() { recv.WR(0).Recv(1).SGE(1, 1, 1).SGE(2, 2, 2) },
		"send address":  func() { send.WR(0).SetAddr(1, 1) },
		"recv address":  func() { recv.WR(0).SetAddr(1, 1) },
		"send request":  func() { send.WR(2) },
		"recv request":  func() { recv.WR(-1) },
		"element":       func() { send.WR(0).Send(1).SGEs()[0].Addr = 1 },
		"room for none": func() { sendBatch(t, 1, 0).WR(0).Send(1).SGE(1, 1, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
	_ = append(send.WR(0).Send(1).SGEs(), dpath.SGE{}, dpath.SGE{})
	_ = append(recv.WR(0).Recv(1).SGEs(), dpath.SGE{}, dpath.SGE{})
	if send.WR(1).SGEs()[0].Addr != 7 || recv.WR(1).SGEs()[0].Addr != 7 {
		t.Error("the neighbour was overwritten")
	}
}
