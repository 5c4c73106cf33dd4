//go:build linux && cgo

package conformance

import (
	"cmp"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/internal/trips"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// BenchmarkTrips compares requests that are waited for with a loop in C over the same connection, in turns. The names are those of the
// tests of perftest that do the same. Run it with -benchtime 1x, on the devices of -device and -peer-device: see docs/performance.md.
func BenchmarkTrips(b *testing.B) {
	lib := must(verbs.LoadFrom(library(b)))(b)
	open := func(name string) *verbs.Device {
		dev := must(lib.OpenDevice(name))(b)
		b.Cleanup(func() { dev.CloseAll() })
		return dev
	}
	from := open(*deviceFlag)
	to := from
	if name := cmp.Or(*peerFlag, *deviceFlag); name != *deviceFlag {
		to = open(name)
	}
	one, other := link.Default().Connected(b, from, to)
	trips.Bench(b, one, other)
}
