//go:build linux

package object

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"
)

// counts are the numbers of objects that are open under one parent.
var counts = []int{1000, 10_000, 100_000}

// BenchmarkGrowth prints what one object costs among few and among many under the same parent, in ns of processor time, and the ratio of
// the last to the first, which is to stay within 1.5. Run it with -benchtime 1x.
func BenchmarkGrowth(b *testing.B) {
	if b.N > 1 {
		b.Skip("measured in rounds: run with -benchtime 1x")
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer t.Flush()
	fmt.Fprintf(t, "ns for each object, of\t%d\t%d\t%d\tratio\n", counts[0], counts[1], counts[2])
	for _, part := range []struct {
		goroutines int
		rows       []string
	}{{1, []string{"create", "close", "close all"}},
		{64, []string{"create, 64 goroutines", "close, 64 goroutines", "close all, 64 goroutines"}}} {
		cost := grow(b, part.goroutines)
		for i, name := range part.rows {
			first, last := cost[0][i], cost[len(cost)-1][i]
			fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%.2f\n", name, first, cost[1][i], last, last/first)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// grow gives, for each of the counts, the cost of creating as many objects, of closing them in the order of making, and of closing all
// by the parent: the lowest of rounds, in each of which every count has its turn, so that what else the machine does favours none.
func grow(b *testing.B, goroutines int) (lowest [3][3]float64) {
	const rounds = 7
	for round := range rounds {
		for i, n := range counts {
			for j, spent := range growOnce(b, n, goroutines) {
				if ns := float64(spent) / float64(counts[len(counts)-1]); round == 0 || ns < lowest[i][j] {
					lowest[i][j] = ns
				}
			}
		}
	}
	return lowest
}

// growOnce gives the time that each step takes for as many objects as the largest count, n under each parent.
func growOnce(b *testing.B, n, goroutines int) (spent [3]time.Duration) {
	for range counts[len(counts)-1] / n {
		root := &handle{}
		if err := root.node.Init(root, "Device", ""); err != nil {
			b.Fatal(err)
		}
		pd := &handle{}
		hs := make([]handle, n)
		if err := pd.node.Init(pd, "PD", "", &root.node); err != nil {
			b.Fatal(err)
		}
		create := func(i int) error { return hs[i].node.Init(&hs[i], "MR", "", &pd.node) }
		spent[0] += share(b, n, goroutines, create)
		spent[1] += share(b, n, goroutines, func(i int) error { return hs[i].Close() })
		hs = make([]handle, n)
		share(b, n, goroutines, create)
		spent[2] += share(b, 1, 1, func(int) error { return CloseTree(&root.node) })
	}
	return spent
}

// share calls do for 0 to n-1, divided among the goroutines.
func share(b *testing.B, n, goroutines int, do func(i int) error) time.Duration {
	var wg sync.WaitGroup
	runtime.GC() // what is left of a collection is not of this step
	begin := processorTime(b)
	for g := range goroutines {
		wg.Go(func() {
			for i := g; i < n; i += goroutines {
				if err := do(i); err != nil {
					b.Error(err)
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
