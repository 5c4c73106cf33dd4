//go:build linux && cgo

package dpath_test

import (
	"fmt"
	"os"
	"testing"
	"text/tabwriter"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dpath/internal/dptest"
)

// BenchmarkGate prints what the gates of a queue and of a batch cost: the ratio to a loop in C of calls without them and with them, and
// the difference in ns, which is to stay within 3. All are measured in each round, and the best round of each counts, which others on the
// machine disturbed least. The provider does nothing, so all else is the crossing. Run it with -benchtime 1x.
func BenchmarkGate(b *testing.B) {
	if b.N > 1 {
		b.Skip("measured in rounds: run with -benchtime 1x")
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t, "one call\tC, ns\twithout gates, x C\twith them, x C\tthe gates cost, ns")
	p := provider(b)
	full := provider(b)
	p.Idle()
	full.Complete(1, dptest.Slots, 0, true)
	for _, n := range sizes {
		batch := sendBatch(b, n, 1)
		first := batch.WR(0).At()
		compare(t, fmt.Sprintf("post %d", n), func(times int) { p.LoopPost(n, times) }, func(times int) {
			for range times {
				p.BarePost(first, dpath.SendSize, n, batch.Len())
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
	}{{"poll, empty", p, 1, 1}, {"poll 1", full, 1, 1}, {"poll 16", full, 16, 1}, {"poll 64", full, 64, 1},
		{"spin 16, empty", p, 1, 16}, {"spin 64, empty", p, 1, 64}} {
		compare(t, r.name, func(times int) { r.p.LoopTake(r.n, times*r.tries) }, func(times int) {
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

func compare(t *tabwriter.Writer, name string, inC, without, with func(times int)) {
	const rounds, times = 501, 1000
	loops := [3]func(int){inC, without, with}
	var ns [3]float64
	for round := range rounds {
		for i := range loops {
			if round%2 == 1 { // a drift of the clock favours none
				i = len(loops) - 1 - i
			}
			if took := float64(timed(loops[i], times)) / times; round < 2 || took < ns[i] {
				ns[i] = took
			}
		}
	}
	fmt.Fprintf(t, "%s\t%.1f\t%.2f\t%.2f\t%+.1f\n", name, ns[0], ns[1]/ns[0], ns[2]/ns[0], ns[2]-ns[1])
}
