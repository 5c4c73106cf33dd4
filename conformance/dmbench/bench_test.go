//go:build linux && cgo

package dmbench_test

import (
	"testing"

	"github.com/verbsgen/verbsgen/conformance/dmbench"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/devmem"
	"github.com/verbsgen/verbsgen/runtime/devmem/fakeprov"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// longest is the length of the device memory, that of the longest copy.
const longest = 1 << 20

// subject is a device memory as a user gets it: from AllocDM of the generated package, on a software device whose ops
// for device memory are those of the provider. bytes shows what is behind it.
func subject(tb testing.TB, k fakeprov.Kind, want devmem.Mode) (s dmbench.Subject, bytes []byte) {
	tb.Helper()
	path, err := fakeprov.Build(tb.TempDir(), k, false)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := fakeprov.Load(path)
	if err != nil {
		tb.Fatal(err)
	}
	dm := alloc(tb, p)
	if dm.Mode() != want {
		tb.Fatalf("mode %v, want %v", dm.Mode(), want)
	}
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
	return dmbench.Subject{Object: p.Newest(), Write: write, Read: read}, p.Bytes(p.Newest(), longest)
}

func alloc(tb testing.TB, p *fakeprov.Provider) *verbs.DM {
	tb.Helper()
	soft := softverbs.New(softverbs.Name("soft0"), softverbs.MaxDMSize(longest),
		softverbs.Override("alloc_dm", p.Op("alloc_dm")), softverbs.Override("free_dm", p.Op("free_dm")))
	tb.Cleanup(func() { soft.Close() })
	lib, err := verbs.LoadFrom(soft)
	if err != nil {
		tb.Fatal(err)
	}
	dev, err := lib.OpenDevice("soft0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := dev.CloseAll(); err != nil {
			tb.Errorf("closing: %v", err)
		}
	})
	dm, err := dev.AllocDM(verbs.NewAllocDMAttr(longest))
	if err != nil {
		tb.Fatal(err)
	}
	return dm
}

// What the benchmarks print are ratios; run them with -benchtime 1x.

func BenchmarkDirect4(b *testing.B) { run(b, fakeprov.MLX5, devmem.Direct4) }
func BenchmarkShim(b *testing.B)    { run(b, fakeprov.Words, devmem.Shim) }

func run(b *testing.B, k fakeprov.Kind, mode devmem.Mode) {
	s, _ := subject(b, k, mode)
	dmbench.Run(b, s)
}
