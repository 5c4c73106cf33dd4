//go:build linux && cgo

package card

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
	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/internal/trips"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// BenchmarkDeviceMemory prints ratios to copies in C through the real mlx5_access_dm. Run it with -benchtime 1x.
func BenchmarkDeviceMemory(b *testing.B) {
	const most = 64 << 10
	dm := must(open(b, Devices[0]).AllocDM(verbs.NewAllocDMAttr(most)))(b)
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
	done  *uint64 // in the memory of the other side, where the last WRITE of a post arrives
	w     hotbench.Write
	batch *verbs.SendBatch
	wcs   []verbs.WC
	value uint64
}

func newPoster(tb testing.TB, n int) *poster {
	tb.Helper()
	config := link.Default()
	config.CQE, config.SendWR = 2*n, uint32(n)
	a, b, err := config.Pair(must(link.First(open(tb, Devices[0])))(tb), must(link.First(open(tb, Devices[1])))(tb))
	if err != nil {
		tb.Fatal(err)
	}
	from, to := a.MR.UncheckedSGE(0, 8), b.MR.UncheckedSGE(0, 8)
	p := &poster{tb: tb, a: a, done: (*uint64)(unsafe.Pointer(&b.Buf[0])), wcs: make([]verbs.WC, n),
		w:     hotbench.Write{Addr: from.Addr, Remote: to.Addr, LKey: from.LKey, RKey: b.MR.RKey(), Length: 8},
		batch: must(verbs.NewSendBatch(n, 1))(tb)}
	for i := range n {
		p.batch.WR(i).Write(uint64(i), to.Addr, b.MR.RKey()).Add(from).Flags(verbs.SendSignaled)
	}
	return p
}

// post posts n requests, by C or by Go, and waits until the last one was done.
func (p *poster) post(n int, inC bool) (took time.Duration) {
	p.value++
	*(*uint64)(unsafe.Pointer(&p.a.Buf[0])) = p.value
	if inC {
		took = hotbench.Post(p.a.QP.CPtr(), p.w, n)
	} else {
		begin := time.Now()
		_, err := p.a.QP.PostSend(p.batch, n)
		took = time.Since(begin)
		must(0, err)(p.tb)
	}
	if took < 0 {
		p.tb.Fatal("the post in C failed")
	}
	for atomic.LoadUint64(p.done) != p.value { // awake, so that the caches stay warm
		runtime.Gosched()
	}
	for arrived := time.Now(); time.Since(arrived) < 100*time.Microsecond; { // and its completion, most often
		runtime.Gosched()
	}
	return took
}

func (p *poster) poll(n int, inC bool) (got int, took time.Duration) {
	if inC {
		return hotbench.Poll(p.a.CQ.CPtr(), n)
	}
	begin := time.Now()
	got, err := p.a.CQ.PollInto(p.wcs[:n])
	took = time.Since(begin)
	if err != nil {
		p.tb.Fatal(err)
	}
	return got, took
}

// turn posts and polls once. A turn in which the completions came late does not count.
func (p *poster) turn(n int, inC bool) (post, poll time.Duration) {
	for {
		post = p.post(n, inC)
		got, took := p.poll(n, inC)
		if got == n {
			return post, took
		}
		for got < n {
			more, _ := p.poll(n-got, inC)
			got += more
		}
	}
}

// BenchmarkPostPoll compares with posts and polls in C through the real libmlx5. The number behind the name is that of requests in a call.
func BenchmarkPostPoll(b *testing.B) {
	for _, n := range []int{1, 16, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			if b.N > 1 {
				b.Skip("measured in rounds: run with -benchtime 1x")
			}
			p := newPoster(b, n)
			const rounds = 101
			var ratios [2][]float64
			for range rounds {
				cPost, cPoll := p.turn(n, true)
				post, poll := p.turn(n, false)
				ratios[0] = append(ratios[0], float64(post)/float64(cPost))
				ratios[1] = append(ratios[1], float64(poll)/float64(cPoll))
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(ratios[0]), "post-x-C")
			b.ReportMetric(median(ratios[1]), "poll-x-C")
		})
	}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// TestPosting asks that both post and poll, not how fast.
func TestPosting(t *testing.T) {
	p := newPoster(t, 4)
	for range 3 {
		p.turn(4, true)
		p.turn(4, false)
	}
}

// BenchmarkTrips compares requests that are waited for with a loop in C over the same connection, in turns. Run it with -benchtime 1x.
func BenchmarkTrips(b *testing.B) {
	from, to, err := link.Pair(open(b, Devices[0]), open(b, Devices[1]))
	if err != nil {
		b.Fatal(err)
	}
	trips.Bench(b, from, to)
}
