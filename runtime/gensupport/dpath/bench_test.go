//go:build linux && cgo

package dpath_test

import (
	"fmt"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/ratio"
)

// sizes are the numbers of requests or completions in one call.
var sizes = []int{1, 16, 64}

// turns gives the two that are compared for n requests: the loop in C, and ours. Each does times calls.
type turns func(n int) (c, ours func(times int))

type row struct {
	name string
	make turns
}

// BenchmarkRatios compares with loops in C. The number behind the name is that of requests or completions in a call.
func BenchmarkRatios(b *testing.B) {
	for _, r := range rows(b) {
		for _, n := range sizes {
			c, ours := r.make(n)
			ratio.Bench(b, fmt.Sprint(r.name, "/", n), n, c, ours)
		}
	}
}

func rows(b *testing.B) []row {
	var all []row
	for _, how := range []struct {
		name string
		how  dptest.How
	}{{"null", dptest.Nothing}, {"walking", dptest.Walk}} {
		p := provider(b)
		p.Posts(how.how)
		built := func(n int) func(int) { return func(times int) { p.LoopBuilt(n, times) } }
		all = append(all,
			row{"post/" + how.name + "/built", func(n int) (c, ours func(int)) { return built(n), postBuilt(b, p, n) }},
			row{"post/" + how.name + "/changed, C builds", func(n int) (c, ours func(int)) { return built(n), postPatched(b, p, n) }},
			row{"post/" + how.name + "/advanced, C builds", func(n int) (c, ours func(int)) { return built(n), postAdvanced(b, p, n) }})
	}
	pair := provider(b)
	pair.Posts(dptest.Walk)
	pair.Complete(1, dptest.Slots, 0, true)
	both := func(n int) func(int) { return func(times int) { pair.LoopBoth(n, n, times) } }
	all = append(all,
		row{"post and poll/two calls", func(n int) (c, ours func(int)) { return both(n), postThenPoll(b, pair, n) }},
		row{"post and poll/PostAndPoll", func(n int) (c, ours func(int)) { return both(n), postAndPoll(b, pair, n) }})
	full, empty := provider(b), provider(b)
	empty.Idle()
	full.Complete(1, dptest.Slots, 0, true)
	return append(all,
		row{"poll/full", func(n int) (c, ours func(int)) {
			return func(times int) { full.LoopPoll(n, times) }, pollFull(full, n)
		}},
		row{"spin/empty", func(n int) (c, ours func(int)) {
			return func(times int) { empty.LoopSpin(1, n, times) }, spinEmpty(empty, n)
		}},
		row{"spin/empty, C polls once", func(n int) (c, ours func(int)) {
			return func(times int) { empty.LoopSpin(1, 1, n*times) }, spinEmpty(empty, n)
		}})
}

func postBuilt(b *testing.B, p *dptest.Provider, n int) func(int) {
	batch := sendBatch(b, n, 1)
	return func(times int) {
		id := uint64(0)
		for range times {
			for _, w := range batch.All() {
				w.Write(id, 0x20000+id, 9).SGE(0x10000+id, 64, 7).Flags(dpath.FlagSignaled)
				id++
			}
			if _, errno := dpath.PostSend(p.QP(), batch, n); errno != 0 {
				b.Fatal(errno)
			}
		}
	}
}

func postPatched(b *testing.B, p *dptest.Provider, n int) func(int) {
	batch := sendBatch(b, n, 1)
	for i := range n {
		batch.WR(i).Write(0, 0, 9).SGE(0, 64, 7).Flags(dpath.FlagSignaled)
	}
	return func(times int) {
		id := uint64(0)
		for range times {
			for _, w := range batch.All() {
				w.SetID(id)
				w.SetRemote(0x20000 + id)
				w.SetAddr(0, 0x10000+id)
				id++
			}
			if _, errno := dpath.PostSend(p.QP(), batch, n); errno != 0 {
				b.Fatal(errno)
			}
		}
	}
}

func postAdvanced(b *testing.B, p *dptest.Provider, n int) func(int) {
	batch := filled(b, n)
	return func(times int) {
		for range times {
			batch.From(0, n).Advance(dpath.Stride{ID: int64(n), Addr: int64(n), Remote: int64(n)})
			if _, errno := dpath.PostSend(p.QP(), batch, n); errno != 0 {
				b.Fatal(errno)
			}
		}
	}
}

func postThenPoll(b *testing.B, p *dptest.Provider, n int) func(int) {
	batch, wcs := filled(b, n), make([]dpath.WC, n)
	return func(times int) {
		for range times {
			if _, errno := dpath.PostSend(p.QP(), batch, n); errno != 0 {
				b.Fatal(errno)
			}
			if _, errno := dpath.PollCQ(p.CQ(), wcs); errno != 0 {
				b.Fatal(errno)
			}
		}
	}
}

func postAndPoll(b *testing.B, p *dptest.Provider, n int) func(int) {
	batch, wcs := filled(b, n), make([]dpath.WC, n)
	return func(times int) {
		for range times {
			if p := dpath.PostAndPoll(p.QP(), batch.From(0, n), p.CQ(), wcs, 1); p.PostErrno != 0 || p.PollErrno != 0 {
				b.Fatal(p)
			}
		}
	}
}

// filled is a batch of writes.
func filled(b *testing.B, n int) *dpath.SendBatch {
	batch := sendBatch(b, n, 1)
	for i := range n {
		batch.WR(i).Write(0, 0, 9).SGE(0, 64, 7).Flags(dpath.FlagSignaled)
	}
	return batch
}

var sum uint64 // keeps what is looked at from being dropped

func pollFull(p *dptest.Provider, n int) func(int) {
	wcs := make([]dpath.WC, n)
	return func(times int) {
		ids := uint64(0)
		for range times {
			got, _ := dpath.PollCQ(p.CQ(), wcs)
			for i := range wcs[:got] {
				if wc := &wcs[i]; wc.Status == 0 {
					ids += wc.ID
				}
			}
		}
		sum += ids
	}
}

func spinEmpty(p *dptest.Provider, tries int) func(int) {
	wcs := make([]dpath.WC, 1)
	return func(times int) {
		for range times {
			dpath.PollSpin(p.CQ(), wcs, tries)
		}
	}
}
