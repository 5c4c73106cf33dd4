package cheader

import (
	"os"
	"runtime"
	"testing"
)

// BenchmarkParse reads the installed verbs.h, for amd64 and arm64. MB/op is what is allocated in all.
func BenchmarkParse(b *testing.B) {
	const header = "/usr/include/infiniband/verbs.h"
	if _, err := os.Stat(header); err != nil {
		b.Skip("no installed header: ", err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if _, err := Parse(Options{Header: header}); err != nil {
			b.Fatal(err)
		}
		n++
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(n)/1e6, "MB/op")
}
