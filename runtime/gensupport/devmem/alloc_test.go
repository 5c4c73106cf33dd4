//go:build linux && cgo

package devmem_test

import (
	"fmt"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
)

// TestAllocations asks that no copy allocates: short or long, heap or stack, done or refused.
func TestAllocations(t *testing.T) {
	heap := make([]byte, 8192)
	for _, kind := range []fakeprov.Kind{fakeprov.MLX5, fakeprov.Words, fakeprov.MLX5SWICM} {
		f := open(t, load(t, kind), 1<<16)
		calls := map[string]func(){
			"write": func() { f.WriteAt(heap[:64], 0) }, "write long": func() { f.WriteAt(heap, 0) },
			"read": func() { f.ReadAt(heap[:64], 0) }, "read long": func() { f.ReadAt(heap, 0) },
			"write from the stack":     func() { var b [64]byte; f.WriteAt(b[:], 0) },
			"read to the stack":        func() { var b [64]byte; f.ReadAt(b[:], 0) },
			"read long to the stack":   func() { var b [2048]byte; f.ReadAt(b[:], 0) },
			"write beyond, from stack": func() { var b [64]byte; f.WriteAt(b[:], 1<<20) },
			"read beyond":              func() { f.ReadAt(heap, 1<<20) },
			"odd":                      func() { f.WriteAt(heap[:3], 1); f.ReadAt(heap[:3], 1) },
			"negative":                 func() { f.WriteAt(heap, -1); f.ReadAt(heap, -1) },
			"words":                    func() { f.PutUint32(4, 1); f.GetUint32(4) },
			"words beyond":             func() { f.PutUint32(1<<20, 1); f.GetUint32(1 << 20) },
			"wide":                     func() { var b [64]byte; f.Wide().WriteAt(b[:], 0); f.Wide().ReadAt(b[:], 1<<20) },
			"pieces": func() {
				var b [64]byte
				v := [...]devmem.Piece{{0, 0, 4}, {8, 8, 16}, {1 << 20, 0, 4}}
				f.WriteV(b[:], v[:])
				f.ReadV(b[:], v[:])
				f.ReadV(b[:4], v[:2])
			},
			"words of 8": func() { f.PutUint64(4, 1); f.GetUint64(1 << 20) },
			"flush":      func() { f.Flush(); f.Length(); f.Mode() },
		}
		for name, call := range calls {
			allocs.None(t, fmt.Sprintf("%s, %v, %s", kind.File, f.Mode(), name), call)
		}
		f.detach()
		allocs.None(t, kind.File+", closed", func() { f.WriteAt(heap, 0); f.ReadAt(heap, 0) })
	}
}
