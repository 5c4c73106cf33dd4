//go:build linux && cgo

package dpath_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"text/tabwriter"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/dpath"
	"github.com/verbsgen/verbsgen/runtime/dpath/internal/dptest"
)

// BenchmarkGate prints what the gates of a queue and of a batch cost: nanoseconds of a call without and with them, both measured in
// each round, and the median of the differences. The provider does nothing, so all else is the crossing. Run it with
// -benchtime 1x.
func BenchmarkGate(b *testing.B) {
	if b.N > 1 {
		b.Skip("measured in rounds: run with -benchtime 1x")
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t, "one call, ns\twithout gates\twith\tdifference\tratio")
	p := provider(b)
	full := provider(b)
	p.Idle()
	full.Complete(1, dptest.Slots, 0, true)
	for _, n := range sizes {
		batch := sendBatch(b, n, 1)
		first := unsafe.Pointer(batch.WR(0))
		compare(t, fmt.Sprintf("post %d", n), func(times int) {
			for range times {
				p.BarePost(first, unsafe.Sizeof(*batch.WR(0)), n, batch.Len())
			}
		}, func(times int) {
			for range times {
				dpath.PostSend(p.QP(), batch, n)
			}
		})
	}
	wcs := make([]dpath.WC, 64)
	at := unsafe.Pointer(unsafe.SliceData(wcs))
	for _, r := range []struct {
		name  string
		p     *dptest.Provider
		n     int
		tries int
	}{{"poll, empty", p, 1, 1}, {"poll 1", full, 1, 1}, {"poll 16", full, 16, 1}, {"poll 64", full, 64, 1}, {"spin 16, empty", p, 1, 16}, {"spin 64, empty", p, 1, 64}} {
		compare(t, r.name, func(times int) {
			for range times {
				r.p.BarePoll(at, r.n, r.tries)
			}
		}, func(times int) {
			for range times {
				dpath.PollSpin(r.p.CQ(), wcs[:r.n], r.tries)
			}
		})
	}
	b.ReportMetric(0, "ns/op")
}

func compare(t *tabwriter.Writer, name string, without, with func(times int)) {
	const rounds, times = 301, 2000
	var a, b, differences, ratios []float64
	for range rounds {
		before := timed(without, times)
		middle := float64(timed(with, times)) / times
		both := float64(before+timed(without, times)) / 2 / times
		a, b = append(a, both), append(b, middle)
		differences, ratios = append(differences, middle-both), append(ratios, middle/both)
	}
	fmt.Fprintf(t, "%s\t%.1f\t%.1f\t%+.1f\t%.2f\n", name, median(a), median(b), median(differences), median(ratios))
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
