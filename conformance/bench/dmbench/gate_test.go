//go:build linux && cgo && amd64

package dmbench_test

import (
	"fmt"
	"os"
	"testing"
	"text/tabwriter"

	"github.com/verbsgen/verbsgen/conformance/bench/dmbench"
	"github.com/verbsgen/verbsgen/conformance/bench/dmbench/internal/ungated"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
)

// gated is a device memory, and the loop that writes to it without a gate.
func gated(tb testing.TB, mode devmem.Mode) (dmbench.Subject, func(p []byte, times int) error) {
	if mode == devmem.Shim {
		s, _ := subject(tb, fakeprov.Words, mode)
		u := &dmbench.Ungated{Object: s.Object, Length: longest}
		return s, func(p []byte, times int) error {
			for range times {
				if _, err := u.WriteAt(p, 0); err != nil {
					return err
				}
			}
			return nil
		}
	}
	s, bytes := subject(tb, fakeprov.MLX5, mode)
	m := ungated.Over(bytes)
	return s, func(p []byte, times int) error {
		for range times {
			if _, err := m.WriteAt(p, 0); err != nil {
				return err
			}
		}
		return nil
	}
}

// BenchmarkGate prints what lets Close wait for a copy costs: the ratio to a loop in C of copies without it and with it, and the
// difference in ns, which is to stay within 3. Run it with -benchtime 1x.
func BenchmarkGate(b *testing.B) {
	if b.N > 1 {
		b.Skip("measured in rounds: run with -benchtime 1x")
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t, "one copy\tC, ns\twithout gate, x C\twith it, x C\tthe gate costs, ns")
	for _, mode := range []devmem.Mode{devmem.Direct4, devmem.Shim} {
		s, without := gated(b, mode)
		for _, n := range []int{4, 64, 256} {
			r, err := dmbench.MeasureGate(s, without, n)
			if err != nil {
				b.Fatal(err)
			}
			fmt.Fprintf(t, "WriteAt %d, %v\t%.1f\t%.2f\t%.2f\t%+.1f\n", n, mode, r.C, r.Without/r.C, r.With/r.C, r.With-r.Without)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// TestMeasureGate asks that all contestants copy, not how fast anything is.
func TestMeasureGate(t *testing.T) {
	for _, mode := range []devmem.Mode{devmem.Direct4, devmem.Shim} {
		s, without := gated(t, mode)
		if r, err := dmbench.MeasureGate(s, without, 64); err != nil || r.C <= 0 || r.Without <= 0 || r.With <= 0 {
			t.Errorf("%v: %+v, %v", mode, r, err)
		}
		if _, err := dmbench.MeasureGate(s, nil, 64); err == nil {
			t.Errorf("%v: measured without a loop to compare with", mode)
		}
	}
}
