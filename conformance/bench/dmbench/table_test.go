//go:build linux && cgo

package dmbench

import (
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	var b strings.Builder
	results := []Result{
		{Bytes: 4, C: 2.354, Ratio: 1.427, Naive: 20.41},
		{Bytes: 1 << 10, C: 98.26, Ratio: 0.449, Naive: 1.5},
		{Bytes: 1 << 20, Read: true, C: 88123.4, Ratio: 0.75, Naive: 1, Allocs: 2},
	}
	if err := format(&b, "direct4", results); err != nil {
		t.Fatal(err)
	}
	want := strings.TrimLeft(`
direct4, ratio to a loop in C through the provider's callback:
    WriteAt      4    1K
      C, ns   2.35  98.3
         dm   1.43  0.45
  naive cgo   20.4  1.50
     allocs      0     0
     ReadAt     1M
      C, ns  88123
         dm   0.75
  naive cgo   1.00
     allocs      2
`, "\n")
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
