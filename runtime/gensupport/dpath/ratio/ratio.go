// Package ratio measures how much longer a call takes than the same work in C, for benchmarks.
//
// It owns the rounds in which both are measured. It knows nothing of what they do. It is for the benchmarks of this repository: nothing
// is promised about its API.
package ratio

import (
	"slices"
	"testing"
	"time"
)

// Bench measures both as a benchmark of their own, and reports the ratio as x-C, and as C-ns what C needs for one of the each that a call
// handles. Run it with -benchtime 1x.
func Bench(b *testing.B, name string, each int, c, ours func(times int)) {
	b.Run(name, func(b *testing.B) {
		if b.N > 1 {
			b.Skip("measured in rounds: run with -benchtime 1x")
		}
		ns, ratio := Measure(c, ours)
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(ns/float64(each), "C-ns")
		b.ReportMetric(ratio, "x-C")
	})
}

// Measure runs both in rounds: in each, the loop in C has its turn before and after ours, and a ratio is taken only there. It returns
// the medians of the rounds: nanoseconds of one call in C, and the ratio of ours to it. A turn does times calls.
func Measure(c, ours func(times int)) (ns, ratio float64) {
	const rounds, turn = 51, 100 * time.Microsecond
	times := 1
	for timed(c, times) < turn {
		times *= 2
	}
	ours(times)
	var all, ratios []float64
	for range rounds {
		before := timed(c, times)
		middle := timed(ours, times)
		both := float64(before+timed(c, times)) / 2
		all = append(all, both/float64(times))
		ratios = append(ratios, float64(middle)/both)
	}
	slices.Sort(all)
	slices.Sort(ratios)
	return all[rounds/2], ratios[rounds/2]
}

func timed(f func(int), times int) time.Duration {
	begin := time.Now()
	f(times)
	return time.Since(begin)
}
