//go:build linux && cgo

package oncard

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/verbsgen/verbsgen/conformance/bench/dmbench"
	"github.com/verbsgen/verbsgen/conformance/bench/hotbench"
	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/internal/trips"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// BenchmarkDeviceMemory prints ratios to copies in C through the real mlx5_access_dm. Run it with -benchtime 1x.
func BenchmarkDeviceMemory(b *testing.B) {
	const most = 64 << 10
	dm := must(open(b, card.Devices[0]).AllocDM(verbs.NewAllocDMAttr(most)))(b)
	dmbench.Run(b, dmbench.Subject{Object: dm.CPtr(), Most: most,
		Write: func(p []byte, times int) error {
			for range times {
				if _, err := dm.WriteAt(p, 0); err != nil {
					return err
				}
			}
			return nil
		},
		Read: func(p []byte, times int) error {
			for range times {
				if _, err := dm.ReadAt(p, 0); err != nil {
					return err
				}
			}
			return nil
		}})
}

// poster posts WRITEs whose completions it waits for, in C or in Go. Only the calls are timed.
type poster struct {
	tb    testing.TB
	a     *link.End
	done  *uint64 // in the memory of the other side, where the WRITEs of a turn arrive
	w     hotbench.Write
	batch *verbs.SendBatch
	wcs   []verbs.WC
	value uint64
	n     int // requests in a call
	calls int // in a turn: with less than 16 requests, the two readings of the clock would be much of it
}

func newPoster(tb testing.TB, n int) *poster {
	tb.Helper()
	p := &poster{tb: tb, n: n, calls: max(1, 16/n), wcs: make([]verbs.WC, n), batch: must(verbs.NewSendBatch(n, 1))(tb)}
	config := link.Default()
	config.CQE, config.SendWR, config.RecvWR = 2*n*p.calls, uint32(n*p.calls), uint32(n*p.calls)
	a, b := pair(tb, config)
	from, to := a.MR.UncheckedSGE(0, 8), b.MR.UncheckedSGE(0, 8)
	p.a, p.done = a, (*uint64)(unsafe.Pointer(&b.Buf[0]))
	p.w = hotbench.Write{Addr: from.Addr, Remote: to.Addr, LKey: from.LKey, RKey: b.MR.RKey(), Length: 8}
	for i := range n {
		p.batch.WR(i).Write(uint64(i), to.Addr, b.MR.RKey()).Add(from).Flags(verbs.SendSignaled)
	}
	return p
}

// way is how a turn posts and polls.
type way struct {
	post func() time.Duration
	poll func() (int, time.Duration)
}

// inC is the way of a loop in C, which builds its requests anew for each post, or once.
func (p *poster) inC(anew bool) way {
	return way{func() time.Duration { return hotbench.Post(p.a.QP.CPtr(), p.w, p.n, p.calls, anew) },
		func() (int, time.Duration) { return hotbench.Poll(p.a.CQ.CPtr(), p.n, p.calls) }}
}

// inGo is a way of Go.
func (p *poster) inGo(post func() error, poll func([]verbs.WC) (int, error)) way {
	return way{func() time.Duration {
		begin := time.Now()
		for range p.calls {
			if err := post(); err != nil {
				p.tb.Fatal(err)
			}
		}
		return time.Since(begin)
	}, func() (got int, took time.Duration) {
		begin := time.Now()
		for range p.calls {
			n, err := poll(p.wcs)
			if err != nil {
				p.tb.Fatal(err)
			}
			got += n
		}
		return got, time.Since(begin)
	}}
}

// batched is the way of package verbs.
func (p *poster) batched() way {
	return p.inGo(func() error {
		_, err := p.a.QP.PostSend(p.batch, p.n)
		return err
	}, p.a.CQ.PollInto)
}

// turn posts, waits until all was done, and polls. A turn in which the completions came late does not count.
func (p *poster) turn(w way) (post, poll time.Duration) {
	for {
		p.value++
		*(*uint64)(unsafe.Pointer(&p.a.Buf[0])) = p.value
		if post = w.post(); post < 0 {
			p.tb.Fatal("the post in C failed")
		}
		for atomic.LoadUint64(p.done) != p.value { // awake, so that the caches stay warm
			runtime.Gosched()
		}
		for arrived := time.Now(); time.Since(arrived) < 100*time.Microsecond; { // and its completions, most often
			runtime.Gosched()
		}
		got, poll := w.poll()
		if got == p.n*p.calls {
			return post, poll
		}
		for got < p.n*p.calls {
			more, _ := w.poll()
			got += more
		}
	}
}

// turns returns a turn of a way.
func (p *poster) turns(w way) func() (post, poll time.Duration) {
	return func() (post, poll time.Duration) { return p.turn(w) }
}

// ratios compares ways in turns: the medians of the times of each, divided by those of the first.
func ratios(turns ...func() (post, poll time.Duration)) (post, poll []float64) {
	const rounds = 201
	all := make([][2][]float64, len(turns))
	for range rounds {
		var first [2]time.Duration
		for i, turn := range turns {
			a, b := turn()
			if i == 0 {
				first = [2]time.Duration{a, b}
			}
			all[i][0] = append(all[i][0], float64(a)/float64(first[0]))
			all[i][1] = append(all[i][1], float64(b)/float64(first[1]))
		}
	}
	for i := range turns {
		post, poll = append(post, median(all[i][0])), append(poll, median(all[i][1]))
	}
	return post, poll
}

// BenchmarkPostPoll compares with posts and polls in C through the real libmlx5. The number behind the name is that of requests in a call.
func BenchmarkPostPoll(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			if b.N > 1 {
				b.Skip("measured in rounds: run with -benchtime 1x")
			}
			p := newPoster(b, n)
			post, poll := ratios(p.turns(p.inC(false)), p.turns(p.batched()))
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(post[1], "post-x-C")
			b.ReportMetric(poll[1], "poll-x-C")
		})
	}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// TestPosting asks that all post and poll, not how fast.
func TestPosting(t *testing.T) {
	p := newPoster(t, 4)
	for _, w := range []way{p.inC(false), p.inC(true), p.batched()} {
		p.turn(w)
	}
}

// BenchmarkTrips is BenchmarkTrips of conformance on the card, for `make bench`. Run it with -benchtime 1x.
func BenchmarkTrips(b *testing.B) {
	from, to := pair(b, link.Default())
	trips.Bench(b, from, to)
}

// TestTrips moves data by the loops of BenchmarkTrips.
func TestTrips(t *testing.T) {
	from, to := pair(t, link.Default())
	trips.Test(t, from, to)
}
