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

// BenchmarkStopTheWorld tells how long the runtime needs to stop a goroutine that copies 64 MiB without end, when the copy is
// one call of assembly and when it is made in pieces: p50-us is the median of stops of the world (runtime.ReadMemStats).
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
		{"one-call", func() { WriteSmall(dst, 0, src) }},
		{"pieces", func() { Write(dst, 0, src) }},
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
