//go:build linux && cgo && !asan

package dmbench_test

// The address sanitizer puts on the heap what else lies on the stack, so this is not for it.

import (
	"errors"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/bench/dmbench"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
)

// TestMeasure asks that both copy and that the subject allocates nothing, not how fast anything is. Copies that cannot be are errors.
func TestMeasure(t *testing.T) {
	for kind, mode := range map[*fakeprov.Kind]devmem.Mode{&fakeprov.MLX5: devmem.Direct4, &fakeprov.Words: devmem.Shim} {
		s, _ := subject(t, *kind, mode)
		for _, read := range []bool{false, true} {
			if ns, x, allocs, err := dmbench.Measure(s, 64, read); err != nil || ns <= 0 || x <= 0 || allocs != 0 {
				t.Errorf("%v, read %v: %v ns, ratio %v, %v allocations, %v", mode, read, ns, x, allocs, err)
			}
		}
		for _, n := range []int{2 << 20, 0} {
			if _, _, _, err := dmbench.Measure(s, n, false); err == nil {
				t.Errorf("no error for copies of %d bytes", n)
			}
		}
		broken := errors.New("broken")
		s.Read = func([]byte, int) error { return broken }
		if _, _, _, err := dmbench.Measure(s, 64, true); !errors.Is(err, broken) {
			t.Errorf("error of the subject: %v", err)
		}
	}
}
