//go:build linux

package conformance

import (
	"fmt"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/mem"
)

// growthCounts are the numbers of regions that are open in one protection domain. As many as the last are open on the device
// each time, in one or several domains, so that the caches of the processor favour none of them.
var growthCounts = []int{1000, 10_000, 100_000}

// BenchmarkGrowth reports what a region of 4 KiB on a software device costs among many in one protection domain, in ns of processor time,
// and its ratio to the cost among few. Run it with -benchtime 1x.
func BenchmarkGrowth(b *testing.B) {
	buf := must(mem.New(4096, mem.Populate()))(b)
	b.Cleanup(func() { buf.Close() }) // after the regions
	dev := open(b).dev
	for _, goroutines := range []int{1, 64} {
		once(b, fmt.Sprint("goroutines=", goroutines), func(b *testing.B) {
			cost := growRegions(b, dev, buf, goroutines)
			for i, name := range []string{"register", "close", "replace", "closeall"} {
				first, last := cost[0][i], cost[len(cost)-1][i]
				b.ReportMetric(last, name+"-ns")
				b.ReportMetric(last/first, name+"-x-few")
			}
		})
	}
}

// growRegions gives, for each of the counts, the cost of registering as many regions in each protection domain, of closing them one by
// one, of closing one among them and registering another, and of closing all by the domain. It is the lowest of rounds, in each of
// which every count has its turn, so that what else the machine does favours none.
func growRegions(b *testing.B, dev *verbs.Device, buf *mem.Buffer, goroutines int) (lowest [3][4]float64) {
	const rounds = 3
	for round := range rounds {
		for i, n := range growthCounts {
			for j, spent := range growOnce(b, dev, buf, n, goroutines) {
				if ns := float64(spent) / float64(growthCounts[len(growthCounts)-1]); round == 0 || ns < lowest[i][j] {
					lowest[i][j] = ns
				}
			}
		}
	}
	return lowest
}

// growOnce returns the time that each step of growRegions takes for all regions.
func growOnce(b *testing.B, dev *verbs.Device, buf *mem.Buffer, n, goroutines int) (spent [4]time.Duration) {
	all := growthCounts[len(growthCounts)-1]
	pds := make([]*verbs.PD, all/n)
	mrs := make([]*verbs.MR, all)
	alloc := func() {
		for i := range pds {
			pds[i] = must(dev.AllocPD())(b)
		}
	}
	register := func(i int) (err error) {
		mrs[i], err = pds[i/n].RegMRFrom(buf, verbs.MRAccessLocalWrite)
		return err
	}
	end := func(i int) error { return mrs[i].Close() }
	closeAll := func() time.Duration {
		return share(b, len(pds), 1, func(i int) error { return pds[i].CloseAll() })
	}
	alloc()
	spent[0] = share(b, all, goroutines, register)
	spent[1] = share(b, all, goroutines, end)
	share(b, all, goroutines, register)
	spent[3] = closeAll()
	alloc()
	share(b, all, goroutines, register)
	spent[2] = share(b, all, goroutines, func(i int) error {
		i = i * stride % all // in no order, each once
		if err := end(i); err != nil {
			return err
		}
		return register(i)
	})
	closeAll()
	return spent
}

// stride is prime, so that its multiples reach each number below the largest count once.
const stride = 7919

// share calls do for 0 to n-1, divided among the goroutines, and gives the processor time that it took.
func share(b testing.TB, n, goroutines int, do func(i int) error) time.Duration {
	var wg sync.WaitGroup
	runtime.GC() // what is left of a collection is not of this step
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
func processorTime(b testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
