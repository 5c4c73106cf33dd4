//go:build linux

package object

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

// counts are the numbers of objects that are open under one parent.
var counts = []int{1000, 10_000, 100_000}

// BenchmarkGrowth reports what one object costs among many under the same parent, in ns of processor time, and its ratio to the cost
// among few. Run it with -benchtime 1x.
func BenchmarkGrowth(b *testing.B) {
	for _, goroutines := range []int{1, 64} {
		b.Run(fmt.Sprint("goroutines=", goroutines), func(b *testing.B) {
			if b.N > 1 {
				b.Skip("measured in rounds: run with -benchtime 1x")
			}
			cost := grow(b, goroutines)
			b.ReportMetric(0, "ns/op")
			for i, name := range []string{"create", "close", "closeall"} {
				first, last := cost[0][i], cost[len(cost)-1][i]
				b.ReportMetric(last, name+"-ns")
				b.ReportMetric(last/first, name+"-x-few")
			}
		})
	}
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

// growOnce returns the time that each step takes for as many objects as the largest count, n under each parent.
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
