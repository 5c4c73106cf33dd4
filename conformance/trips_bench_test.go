//go:build linux && cgo

package conformance

import (
	"cmp"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/internal/trips"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// BenchmarkTrips compares requests that are waited for with a loop in C over the same connection, in turns. The names are those of the
// tests of perftest that do the same. Run it with -benchtime 1x, on the devices of -device and -peer-device: see docs/performance.md.
func BenchmarkTrips(b *testing.B) {
	lib, err := verbs.Load()
	if *deviceFlag == suite.Software {
		soft := softverbs.New(softverbs.Name(suite.Software))
		b.Cleanup(func() { soft.Close() })
		lib, err = verbs.LoadFrom(soft)
	}
	if err != nil {
		b.Fatal(err)
	}
	open := func(name string) *verbs.Device {
		dev, err := lib.OpenDevice(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { dev.CloseAll() })
		return dev
	}
	from := open(*deviceFlag)
	to := from
	if name := cmp.Or(*peerFlag, *deviceFlag); name != *deviceFlag {
		to = open(name)
	}
	one, other, err := link.Pair(from, to)
	if err != nil {
		b.Fatal(err)
	}
	trips.Bench(b, one, other)
}
