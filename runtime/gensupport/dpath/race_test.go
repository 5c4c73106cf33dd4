//go:build race && linux && cgo

package dpath_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
)

// races are uses of one thing by two goroutines at once: the one is in C, the other not always.
var races = map[string]func(p *dptest.Provider, send *dpath.SendBatch, recv *dpath.RecvBatch) (one, other func()){
	"completions": func(p *dptest.Provider, _ *dpath.SendBatch, _ *dpath.RecvBatch) (one, other func()) {
		wcs := make([]dpath.WC, 4)
		return func() { wcs[3].ID = 1 }, func() { dpath.PollCQ(p.CQ(), wcs) }
	},
	"two posts": func(p *dptest.Provider, b *dpath.SendBatch, _ *dpath.RecvBatch) (one, other func()) {
		return func() { dpath.PostSend(p.QP(), b, 1) }, func() { dpath.PostSend(p.QP(), b, 2) }
	},
	"two posts of receives": func(p *dptest.Provider, _ *dpath.SendBatch, b *dpath.RecvBatch) (one, other func()) {
		return func() { dpath.PostRecv(p.QP(), b, 1) }, func() { dpath.PostRecv(p.QP(), b, 2) }
	},
	"completions of both": func(p *dptest.Provider, b *dpath.SendBatch, _ *dpath.RecvBatch) (one, other func()) {
		wcs := make([]dpath.WC, 4)
		return func() { wcs[3].ID = 1 }, func() { dpath.PostAndPoll(p.QP(), b.From(0, 1), p.CQ(), wcs, 1) }
	},
	"a request of both": func(p *dptest.Provider, b *dpath.SendBatch, _ *dpath.RecvBatch) (one, other func()) {
		w, wcs := b.WR(2), make([]dpath.WC, 4)
		return func() { w.SetID(1) }, func() { dpath.PostAndPoll(p.QP(), b.From(0, 3), p.CQ(), wcs, 1) }
	},
	"two that fill in": func(_ *dptest.Provider, b *dpath.SendBatch, _ *dpath.RecvBatch) (one, other func()) {
		return func() { b.WR(1).Send(1) }, func() { b.WR(1).Send(2) }
	},
	"a request": func(p *dptest.Provider, b *dpath.SendBatch, _ *dpath.RecvBatch) (one, other func()) {
		w := b.WR(2)
		return func() { w.SetID(1) }, func() { dpath.PostSend(p.QP(), b, 3) }
	},
	"a range that is advanced": func(p *dptest.Provider, b *dpath.SendBatch, _ *dpath.RecvBatch) (one, other func()) {
		return func() { b.From(0, 3).Advance(dpath.Stride{ID: 1}) }, func() { dpath.PostSend(p.QP(), b, 3) }
	},
	"a receive": func(p *dptest.Provider, _ *dpath.SendBatch, b *dpath.RecvBatch) (one, other func()) {
		w := b.WR(2)
		return func() { w.SetID(1) }, func() { dpath.PostRecv(p.QP(), b, 3) }
	},
	"an element": func(p *dptest.Provider, b *dpath.SendBatch, _ *dpath.RecvBatch) (one, other func()) {
		s := b.WR(2).SGEs()
		return func() { s[1].Length = 1 }, func() { dpath.PostSend(p.QP(), b, 3) }
	},
	"an element of a receive": func(p *dptest.Provider, _ *dpath.SendBatch, b *dpath.RecvBatch) (one, other func()) {
		s := b.WR(2).SGEs()
		return func() { s[1].Length = 1 }, func() { dpath.PostRecv(p.QP(), b, 3) }
	},
	"inline data": func(p *dptest.Provider, b *dpath.SendBatch, _ *dpath.RecvBatch) (one, other func()) {
		to := bytesAt(b, dptest.SGE{Addr: b.WR(0).SGEs()[2].Addr, Length: 8})
		return func() { to[7] = 1 }, func() { dpath.PostSend(p.QP(), b, 1) }
	},
}

// TestRacesAreSeen lets two goroutines use one thing, each in another process, and asks that the detector reports it though C
// reads or writes it.
func TestRacesAreSeen(t *testing.T) {
	const marker = "DPATH_RACE"
	if race := races[os.Getenv(marker)]; race != nil {
		p := provider(t)
		p.Idle()
		send, err := dpath.NewSendBatch(4, 3, dpath.InlineRoom(8))
		if err != nil {
			t.Fatal(err)
		}
		recv := recvBatch(t, 4, 2)
		for i := range 4 {
			send.WR(i).Send(0).SGE(1, 1, 1).SGE(1, 1, 1).InlineData(make([]byte, 8))
			recv.WR(i).Recv(0).SGE(1, 1, 1).SGE(1, 1, 1)
		}
		one, other := race(p, send, recv)
		done := make(chan bool)
		go func() { one(); close(done) }()
		other()
		<-done
		return
	}
	for name := range races {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRacesAreSeen$")
		cmd.Env = append(os.Environ(), marker+"="+name)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "DATA RACE") {
			t.Errorf("%s: no race reported: %v\n%s", name, err, out)
		}
	}
}
