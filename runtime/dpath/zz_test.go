//go:build linux && cgo

package dpath_test

import (
	"strconv"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/dpath"
	"github.com/verbsgen/verbsgen/runtime/dpath/internal/dptest"
)

func BenchmarkZZ(b *testing.B) {
	for _, how := range []dptest.How{dptest.Nothing, dptest.Walk} {
		p := provider(b)
		p.Posts(how)
		for _, n := range sizes {
			b.Run("built"+strconv.Itoa(int(how))+"/"+strconv.Itoa(n), func(b *testing.B) { postBuilt(b, p, n)(b.N) })
			b.Run("patched"+strconv.Itoa(int(how))+"/"+strconv.Itoa(n), func(b *testing.B) { postPatched(b, p, n)(b.N) })
			b.Run("only"+strconv.Itoa(int(how))+"/"+strconv.Itoa(n), func(b *testing.B) {
				batch := sendBatch(b, n, 1)
				for range b.N {
					dpath.PostSend(p.QP(), batch, n)
				}
			})
		}
	}
}
