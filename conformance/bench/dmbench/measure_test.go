//go:build linux && cgo && !asan

package dmbench_test

// The address sanitizer puts on the heap what else lies on the stack, so this is not for it.

import (
	"testing"

	"github.com/verbsgen/verbsgen/conformance/bench/dmbench"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
)

// TestMeasure asks that all contestants copy and that the subject allocates nothing, not how fast anything is.
func TestMeasure(t *testing.T) {
	for kind, mode := range map[*fakeprov.Kind]devmem.Mode{&fakeprov.MLX5: devmem.Direct4, &fakeprov.Words: devmem.Shim} {
		s, _ := subject(t, *kind, mode)
		for _, read := range []bool{false, true} {
			r, err := dmbench.Measure(s, 64, read)
			if err != nil || r.Bytes != 64 || r.Read != read || r.C <= 0 || r.Ratio <= 0 || r.Naive <= 0 || r.Allocs != 0 {
				t.Errorf("%v, read %v: %+v, %v", mode, read, r, err)
			}
		}
	}
}
