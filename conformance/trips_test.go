//go:build linux && cgo

package conformance

import (
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/link"
	"github.com/verbsgen/verbsgen/conformance/internal/trips"
	"github.com/verbsgen/verbsgen/conformance/suite"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// library returns the library that has the device of the flags: a software one, or libibverbs.
func library(tb testing.TB) verbs.Symbols {
	tb.Helper()
	if *deviceFlag == suite.Software {
		soft := softverbs.New(softverbs.Name(suite.Software))
		tb.Cleanup(func() { soft.Close() })
		return soft
	}
	lib, err := dl.Open("")
	if err != nil {
		tb.Fatal(err)
	}
	return lib
}

// ends returns a connection from the device of the flags to its peer.
func ends(tb testing.TB) (from, to *link.End) {
	tb.Helper()
	name := *deviceFlag
	lib, err := verbs.LoadFrom(library(tb))
	if err != nil {
		tb.Fatal(err)
	}
	opened := map[string]*verbs.Device{}
	open := func(name string) *verbs.Device {
		dev := opened[name]
		if dev == nil {
			if dev, err = lib.OpenDevice(name); err != nil {
				tb.Fatal(err)
			}
			tb.Cleanup(func() { dev.CloseAll() })
			opened[name] = dev
		}
		return dev
	}
	peer := name
	if *peerFlag != "" {
		peer = *peerFlag
	}
	from, to, err = link.Pair(open(name), open(peer))
	if err != nil {
		tb.Fatal(err)
	}
	return from, to
}

// TestTrips moves data by the loops of BenchmarkTrips.
func TestTrips(t *testing.T) {
	from, to := ends(t)
	trips.Test(t, from, to)
}

// BenchmarkTrips compares requests that are waited for with a loop in C over the same connection, in turns. The names are those of the
// tests of perftest that do the same. Run it with -benchtime 1x; -device and -peer-device name other devices than the software one:
// docs/performance.md has the command for soft-RoCE.
func BenchmarkTrips(b *testing.B) {
	from, to := ends(b)
	trips.Bench(b, from, to)
}
