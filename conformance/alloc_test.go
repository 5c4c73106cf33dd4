//go:build linux && cgo && !asan

package conformance

// The address sanitizer puts on the heap what else lies on the stack, so this is not for it.

import (
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
)

// TestAllocations counts on device memory of every kind: mapped, behind callbacks, and the software device's own.
func TestAllocations(t *testing.T) {
	for _, c := range []struct {
		kind fakeprov.Kind
		mode devmem.Mode
	}{{fakeprov.MLX5, devmem.Direct4}, {fakeprov.MLX5Old, devmem.Direct4}, {fakeprov.Words, devmem.Shim}} {
		b, _ := provided(t, c.kind)
		dm := must(b.dev.AllocDM(verbs.NewAllocDMAttr(4096)))(t)
		if dm.Mode() != c.mode {
			t.Errorf("%s: mode %v, want %v", c.kind.File, dm.Mode(), c.mode)
		}
		allocations(t, dm)
	}
	allocations(t, must(open(t).dev.AllocDM(verbs.NewAllocDMAttr(4096)))(t))
}

// allocations counts what copies allocate: nothing, on success and on error, also with a buffer on the stack.
func allocations(t *testing.T, dm *verbs.DM) {
	t.Helper()
	for name, f := range map[string]func(){
		"write":       func() { var b [64]byte; _, _ = dm.WriteAt(b[:], 64) },
		"read":        func() { var b [64]byte; _, _ = dm.ReadAt(b[:], 64) },
		"write error": func() { var b [64]byte; _, _ = dm.WriteAt(b[:], 4090) },
		"read error":  func() { var b [3]byte; _, _ = dm.ReadAt(b[:], 0) },
		"put":         func() { _ = dm.PutUint32(4, 1) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%v: %s allocates %v times", dm.Mode(), name, n)
		}
	}
}
