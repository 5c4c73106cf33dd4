//go:build linux && cgo

package dmbench_test

import (
	"fmt"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/bench/dmbench"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// longest is the length of the device memory, that of the longest copy.
const longest = 1 << 20

// subject is a device memory as a user gets it: from AllocDM of the generated package, on a software device whose ops for device memory
// are those of the provider.
func subject(tb testing.TB, k fakeprov.Kind, want devmem.Mode) (s dmbench.Subject, dm *verbs.DM) {
	tb.Helper()
	path, err := fakeprov.Build(tb.TempDir(), k, false)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := fakeprov.Load(path)
	if err != nil {
		tb.Fatal(err)
	}
	_, dev := verbstest.Open(tb, softverbs.MaxDMSize(longest), softverbs.Override("alloc_dm", p.Op("alloc_dm")),
		softverbs.Override("free_dm", p.Op("free_dm")))
	if dm, err = dev.AllocDM(verbs.NewAllocDMAttr(longest)); err != nil || dm.Mode() != want {
		tb.Fatalf("mode %v, want %v; %v", dm.Mode(), want, err)
	}
	tb.Cleanup(func() { _ = dm.Close() })
	write := func(buf []byte, times int) error {
		for range times {
			if _, err := dm.WriteAt(buf, 0); err != nil {
				return err
			}
		}
		return nil
	}
	read := func(buf []byte, times int) error {
		for range times {
			if _, err := dm.ReadAt(buf, 0); err != nil {
				return err
			}
		}
		return nil
	}
	return dmbench.Subject{Object: p.Newest(), Write: write, Read: read}, dm
}

// What the benchmarks print are ratios; run them with -benchtime 1x.

func BenchmarkDirect4(b *testing.B) { run(b, fakeprov.MLX5, devmem.Direct4) }
func BenchmarkShim(b *testing.B)    { run(b, fakeprov.Words, devmem.Shim) }

// BenchmarkDirectWide is of the copies with wider accesses.
func BenchmarkDirectWide(b *testing.B) {
	s, dm := subject(b, fakeprov.MLX5, devmem.Direct4)
	s.Write = func(buf []byte, times int) error {
		for range times {
			if _, err := dm.Wide().WriteAt(buf, 0); err != nil {
				return err
			}
		}
		return nil
	}
	s.Read = func(buf []byte, times int) error {
		for range times {
			if _, err := dm.Wide().ReadAt(buf, 0); err != nil {
				return err
			}
		}
		return nil
	}
	dmbench.Run(b, s)
}

// BenchmarkWords is of words of 4 and 8 bytes, beside copies of as many in C.
func BenchmarkWords(b *testing.B) {
	s, dm := subject(b, fakeprov.MLX5, devmem.Direct4)
	s.Write = func(buf []byte, times int) error {
		if len(buf) == 4 {
			for i := range times {
				if err := dm.PutUint32(0, uint32(i)); err != nil {
					return err
				}
			}
			return nil
		}
		for i := range times {
			if err := dm.PutUint64(0, uint64(i)); err != nil {
				return err
			}
		}
		return nil
	}
	s.Read = func(buf []byte, times int) error {
		if len(buf) == 4 {
			for range times {
				if _, err := dm.GetUint32(0); err != nil {
					return err
				}
			}
			return nil
		}
		for range times {
			if _, err := dm.GetUint64(0); err != nil {
				return err
			}
		}
		return nil
	}
	s.Most = 8
	dmbench.Run(b, s)
}

// BenchmarkPieces is of WriteV, beside as many copies in C.
func BenchmarkPieces(b *testing.B) {
	for _, mode := range []devmem.Mode{devmem.Direct4, devmem.Shim} {
		kind := fakeprov.MLX5
		if mode == devmem.Shim {
			kind = fakeprov.Words
		}
		s, dm := subject(b, kind, mode)
		for _, n := range []int{4, 64, 256, 1024} {
			for _, pieces := range []int{4, 16, 64} {
				b.Run(fmt.Sprintf("%v/%dx%d", mode, pieces, n), func(b *testing.B) {
					ns, x, err := dmbench.MeasurePieces(s.Object, pieces, n, dm.WriteV)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(ns, "C-ns")
					b.ReportMetric(x, "x-C")
				})
			}
		}
	}
}

func run(b *testing.B, k fakeprov.Kind, mode devmem.Mode) {
	s, _ := subject(b, k, mode)
	dmbench.Run(b, s)
}
