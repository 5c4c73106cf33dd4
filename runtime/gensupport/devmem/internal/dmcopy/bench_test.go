//go:build linux

package dmcopy

import (
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStopTheWorld measures how long the runtime needs to stop a goroutine that copies 64 MiB without end, beside one that only
// counts: p50-us is the median of stops of the world (runtime.ReadMemStats).
func BenchmarkStopTheWorld(b *testing.B) {
	const length = 64 << 20
	mem, err := syscall.Mmap(-1, 0, 2*length, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { syscall.Munmap(mem) })
	dst, src := over(mem[:length]), mem[length:]
	for _, way := range []struct {
		name string
		copy func()
	}{
		{"counting", func() { count(1 << 20) }},
		{"pieces", func() { Write(dst, src, 0, false) }},
		{"wide-pieces", func() { Write(dst, src, 0, true) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			var end atomic.Bool
			done := make(chan struct{})
			way.copy() // faults the pages in
			go func() {
				defer close(done)
				for !end.Load() {
					way.copy()
				}
			}()
			var m runtime.MemStats
			var stops []time.Duration
			for b.Loop() {
				time.Sleep(2 * time.Millisecond) // lets the copy get going again
				begin := time.Now()
				runtime.ReadMemStats(&m)
				stops = append(stops, time.Since(begin))
			}
			slices.Sort(stops)
			b.ReportMetric(float64(stops[len(stops)/2])/1e3, "p50-us")
			end.Store(true)
			<-done
		})
	}
}

var counted int

// count takes some time, and can be stopped at any moment.
func count(n int) {
	for i := range n {
		counted += i & 1
	}
}
