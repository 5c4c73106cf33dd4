//go:build linux

package conformance

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// growthCounts are the numbers of regions that are open in one protection domain. As many as the last are open on the device
// each time, in one or several domains, so that the caches of the processor favour none of them.
var growthCounts = []int{1000, 10_000, 100_000}

// BenchmarkGrowth prints what a region of 4 KiB on a software device costs among few and among many in one protection
// domain, in ns of processor time, and the ratio of the last to the first, which is to stay within 1.5. Run it with -benchtime 1x.
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
			fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%.2f\n", name, cost[i][0], cost[i][1], cost[i][2], cost[i][2]/cost[i][0])
		}
	}
	b.ReportMetric(0, "ns/op")
}

// growRegions gives the cost of registering n regions in each protection domain, of closing them, and of closing all by the
// domain: the lowest of rounds.
func growRegions(b *testing.B, dev *verbs.Device, buf *mem.Buffer, n, goroutines int) (lowest [3]float64) {
	const rounds = 3
	pds := make([]*verbs.PD, growthCounts[len(growthCounts)-1]/n)
	mrs := make([][]*verbs.MR, len(pds))
	inAll := func(do func(pd, i int) error) (spent time.Duration) {
		for pd := range pds {
			spent += share(b, n, goroutines, func(i int) error { return do(pd, i) })
		}
		return spent
	}
	register := func(pd, i int) (err error) {
		mrs[pd][i], err = pds[pd].RegMRBuffer(buf, verbs.MRAccessLocalWrite)
		return err
	}
	for round := range rounds {
		for i := range pds {
			var err error
			if pds[i], err = dev.AllocPD(); err != nil {
				b.Fatal(err)
			}
			mrs[i] = make([]*verbs.MR, n)
		}
		var spent [3]time.Duration
		spent[0] = inAll(register)
		spent[1] = inAll(func(pd, i int) error { return mrs[pd][i].Close() })
		inAll(register)
		for _, pd := range pds {
			begin := processorTime(b)
			if err := pd.CloseAll(); err != nil {
				b.Fatal(err)
			}
			spent[2] += processorTime(b) - begin
		}
		for i := range spent {
			if ns := float64(spent[i]) / float64(n*len(pds)); round == 0 || ns < lowest[i] {
				lowest[i] = ns
			}
		}
	}
	return lowest
}

// share calls do for 0 to n-1, divided among the goroutines, and gives the processor time that it took.
func share(b *testing.B, n, goroutines int, do func(i int) error) time.Duration {
	var wg sync.WaitGroup
	begin := processorTime(b)
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
	return processorTime(b) - begin
}

// processorTime is what this process has used, so that other programs on the machine count little.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
