//go:build linux && cgo

package dmbench_test

import (
	"errors"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/dmbench"
	"github.com/verbsgen/verbsgen/conformance/fakeprov"
	"github.com/verbsgen/verbsgen/runtime/devmem"
)

// TestMeasure asks that all contestants copy and that the subject allocates nothing, not how fast anything is.
func TestMeasure(t *testing.T) {
	for kind, mode := range map[*fakeprov.Kind]devmem.Mode{&fakeprov.MLX5: devmem.Direct4, &fakeprov.Words: devmem.Shim} {
		s := subject(t, *kind, mode)
		for _, read := range []bool{false, true} {
			r, err := dmbench.Measure(s, 64, read)
			if err != nil || r.Bytes != 64 || r.Read != read || r.C <= 0 || r.Ratio <= 0 || r.Naive <= 0 || r.Allocs != 0 {
				t.Errorf("%v, read %v: %+v, %v", mode, read, r, err)
			}
		}
	}
}

func TestMeasureErrors(t *testing.T) {
	s := subject(t, fakeprov.Words, devmem.Shim)
	if _, err := dmbench.Measure(s, 2<<20, false); err == nil {
		t.Error("no error for a copy that the provider refuses")
	}
	if _, err := dmbench.Measure(s, 0, false); err == nil {
		t.Error("no error for copies of no bytes")
	}
	broken := errors.New("broken")
	s.Read = func([]byte, int) error { return broken }
	if _, err := dmbench.Measure(s, 64, true); !errors.Is(err, broken) {
		t.Errorf("error of the subject: %v", err)
	}
}
