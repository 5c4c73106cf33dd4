//go:build linux && cgo

package conformance

import (
	"fmt"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/bench/hotbench"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// together is work that threads of C, or goroutines, do on one object.
type together struct {
	name  string
	times int
	inC   func(threads, n int) (time.Duration, error) // n times in all; returns the processor time
	once  func() error                                // in Go
}

// shared returns what goroutines and threads do together on the device of the flags.
func shared(tb testing.TB) []together {
	tb.Helper()
	source := library(tb)
	dev := must(must(verbs.LoadFrom(source))(tb).OpenDevice(*deviceFlag))(tb)
	tb.Cleanup(func() { dev.CloseAll() })
	cq := must(dev.CreateCQ(16, nil, 0))(tb)
	alloc, dealloc := source.Symbol("ibv_alloc_pd", "IBVERBS_1.1"), source.Symbol("ibv_dealloc_pd", "IBVERBS_1.1")
	return []together{
		{"poll", 1 << 21,
			func(threads, n int) (time.Duration, error) { return hotbench.PollTogether(cq.CPtr(), threads, n) },
			func() error {
				var wcs [4]verbs.WC
				return errorOf(cq.PollInto(wcs[:]))
			}},
		{"pd", 1 << 17,
			func(threads, n int) (time.Duration, error) {
				return hotbench.DomainsTogether(dev.CPtr(), alloc, dealloc, threads, n)
			},
			func() error {
				pd, err := dev.AllocPD()
				if err != nil {
					return err
				}
				return pd.Close()
			}},
	}
}

// TestTogether has the threads and goroutines of BenchmarkTogether do a little of their work.
func TestTogether(t *testing.T) {
	for _, w := range shared(t) {
		for _, n := range []int{1, 2, 64} {
			if _, err := w.inC(n, 256); err != nil {
				t.Errorf("%s, %d threads: %v", w.name, n, err)
			}
			share(t, 256, n, func(int) error { return w.once() })
		}
	}
}

// cost returns the processor time of one time of the work in Go and in C, in nanoseconds: medians of rounds in turns.
func (w together) cost(b *testing.B, n int) (inGo, inC float64) {
	const rounds = 3
	var all [2][]float64
	for range rounds {
		spent, err := w.inC(n, w.times)
		if err != nil {
			b.Fatal(err)
		}
		all[0] = append(all[0], each(share(b, w.times, n, func(int) error { return w.once() }), w.times))
		all[1] = append(all[1], each(spent, w.times))
	}
	return middle(all[0]), middle(all[1])
}

// BenchmarkTogether reports what a poll of one empty completion queue, and a new protection domain of one device, cost 1, 2 and 64
// goroutines, and as many threads of C: the processor time of one in ns, the ratio of Go to C, and of many to one alone. Run it with
// -benchtime 1x; -device names another device than the software one.
func BenchmarkTogether(b *testing.B) {
	for _, w := range shared(b) {
		var alone [2]float64
		for _, n := range []int{1, 2, 64} {
			once(b, fmt.Sprint(w.name, "/", n), func(b *testing.B) {
				inGo, inC := w.cost(b, n)
				if n == 1 {
					alone = [2]float64{inGo, inC}
				}
				b.ReportMetric(inGo, "Go-ns")
				b.ReportMetric(inC, "C-ns")
				b.ReportMetric(inGo/inC, "x-C")
				if alone[0] > 0 { // it ran too
					b.ReportMetric(inGo/alone[0], "x-one")
					b.ReportMetric(inC/alone[1], "C-x-one")
				}
			})
		}
	}
}

// library returns the library that has the device of the flags: a software one, or libibverbs.
func library(tb testing.TB) verbs.Symbols {
	tb.Helper()
	if *deviceFlag == suite.Software {
		soft := softverbs.New(softverbs.Name(suite.Software))
		tb.Cleanup(func() { soft.Close() })
		return soft
	}
	return must(dl.Open(""))(tb)
}
