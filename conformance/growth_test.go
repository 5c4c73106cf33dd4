//go:build linux

package conformance

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// growthCounts are the numbers of regions that are open in one protection domain.
var growthCounts = []int{1000, 10_000, 100_000}

// BenchmarkGrowth prints what a region of 4 KiB on a software device costs among few and among many in one protection
// domain, in ns, and the ratio of the most expensive count to the cheapest, which is to stay within 1.5. Run it with
// -benchtime 1x.
func BenchmarkGrowth(b *testing.B) {
	if b.N > 1 {
		b.Skip("measured in rounds: run with -benchtime 1x")
	}
	soft := softverbs.New(softverbs.Name("soft0"))
	defer soft.Close()
	lib, err := verbs.LoadFrom(soft)
	if err != nil {
		b.Fatal(err)
	}
	dev, err := lib.OpenDevice("soft0")
	if err != nil {
		b.Fatal(err)
	}
	defer dev.CloseAll()
	buf, err := mem.New(4096, mem.Populate())
	if err != nil {
		b.Fatal(err)
	}
	defer buf.Close()
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer t.Flush()
	fmt.Fprintf(t, "ns for each region, of\t%d\t%d\t%d\tratio\n", growthCounts[0], growthCounts[1], growthCounts[2])
	for _, part := range []struct {
		goroutines int
		rows       []string
	}{{1, []string{"register", "close", "close all"}}, {64, []string{"register, 64 goroutines", "close, 64 goroutines"}}} {
		var cost [3][]float64
		for _, n := range growthCounts {
			for i, ns := range growRegions(b, dev, buf, n, part.goroutines) {
				cost[i] = append(cost[i], ns)
			}
		}
		for i, name := range part.rows {
			fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%.2f\n", name, cost[i][0], cost[i][1], cost[i][2], slices.Max(cost[i])/slices.Min(cost[i]))
		}
	}
	b.ReportMetric(0, "ns/op")
}

// growRegions gives the cost of registering n regions, of closing them, and of closing all by the protection domain: the
// lowest of rounds, each of which makes as many regions as the largest count.
func growRegions(b *testing.B, dev *verbs.Device, buf *mem.Buffer, n, goroutines int) (lowest [3]float64) {
	const rounds = 3
	for round := range rounds {
		var spent [3]time.Duration
		times := growthCounts[len(growthCounts)-1] / n
		for range times {
			pd, err := dev.AllocPD()
			if err != nil {
				b.Fatal(err)
			}
			mrs := make([]*verbs.MR, n)
			register := func(i int) (err error) {
				mrs[i], err = pd.RegMRBuffer(buf, verbs.MRAccessLocalWrite)
				return err
			}
			spent[0] += share(b, n, goroutines, register)
			spent[1] += share(b, n, goroutines, func(i int) error { return mrs[i].Close() })
			share(b, n, goroutines, register)
			begin := time.Now()
			if err := pd.CloseAll(); err != nil {
				b.Fatal(err)
			}
			spent[2] += time.Since(begin)
		}
		for i := range spent {
			if ns := float64(spent[i]) / float64(n*times); round == 0 || ns < lowest[i] {
				lowest[i] = ns
			}
		}
	}
	return lowest
}

// share calls do for 0 to n-1, divided among the goroutines.
func share(b *testing.B, n, goroutines int, do func(i int) error) time.Duration {
	var wg sync.WaitGroup
	begin := time.Now()
	for g := range goroutines {
		wg.Go(func() {
			for i := g; i < n; i += goroutines {
				if err := do(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	return time.Since(begin)
}
