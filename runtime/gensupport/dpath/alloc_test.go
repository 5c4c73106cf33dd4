//go:build linux && cgo

package dpath_test

import (
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
)

// TestAllocations asks that nothing allocates, whether it works or not, with completions on the stack.
func TestAllocations(t *testing.T) {
	p := provider(t)
	p.Complete(1, 8, 0, true)
	send, recv := sendBatch(t, 8, 2), recvBatch(t, 8, 2)
	inline, err := dpath.NewSendBatch(8, 1, dpath.InlineRoom(64))
	if err != nil {
		t.Fatal(err)
	}
	closed := sendBatch(t, 1, 1)
	closed.Close()
	good := map[string]func(){
		"fill": func() {
			for i := range 8 {
				send.WR(i).Write(1, 2, 3).SGE(4, 5, 6).SGE(7, 8, 9).Flags(dpath.FlagSignaled)
				recv.WR(i).Recv(1).SGE(4, 5, 6)
				send.WR(i).SGEs()[0].Addr = 7
			}
		},
		"inline": func() {
			var head, data [32]byte
			inline.WR(7).Send(1).InlineData(head[:], data[:]).Flags(dpath.FlagSignaled)
		},
		"all": func() {
			for i, w := range send.All() {
				w.Write(uint64(i), 2, 3).SGE(4, 5, 6)
			}
			for i, w := range recv.All() {
				w.Recv(uint64(i)).SGE(4, 5, 6)
			}
		},
		"advance": func() {
			send.From(0, 8).Advance(dpath.Stride{ID: 8, Addr: 64, Remote: 64})
			recv.From(4, 4).Advance(dpath.Stride{ID: 8, Addr: 64})
		},
		"some":   func() { dpath.PostSendRange(p.QP(), send.From(2, 6)); dpath.PostRecvRange(p.QP(), recv.From(7, 1)) },
		"closed": func() { dpath.PostSend(p.QP(), closed, 1); dpath.PostSend(p.QP(), nil, 1) },
		"send":   func() { dpath.PostSend(p.QP(), send, 8) },
		"recv":   func() { dpath.PostRecv(p.QP(), recv, 8) },
		"poll":   func() { var wcs [16]dpath.WC; dpath.PollCQ(p.CQ(), wcs[:]) },
		"spin":   func() { var wcs [16]dpath.WC; dpath.PollSpin(p.CQ(), wcs[:], 4) },
		"both":   func() { var wcs [16]dpath.WC; dpath.PostAndPoll(p.QP(), send.From(0, 8), p.CQ(), wcs[:], 2) },
		"notify": func() { dpath.ReqNotify(p.CQ(), true) },
		"range":  func() { dpath.PostSend(p.QP(), send, 9); dpath.PostRecv(p.QP(), recv, -1) },
	}
	check := func(state string) {
		t.Helper()
		for name, f := range good {
			allocs.None(t, state+", "+name, f)
		}
	}
	p.Posts(dptest.Walk)
	check("working")
	p.Refuse(3, int(syscall.ENOMEM), 0)
	p.Break(-1, 0)
	check("failing")
}

// TestNextAllocations takes events that are there.
func TestNextAllocations(t *testing.T) {
	p := provider(t)
	c := channel(t, p)
	ctx := bounded(t)
	taken := 0
	allocs.None(t, "Next", func() {
		p.Feed(1)
		cq, _ := c.Next(ctx)
		c.Ack(cq)
		taken++
	})
	if p.Acked() != taken {
		t.Errorf("%d events came, want %d", p.Acked(), taken)
	}
}
