package cmem

import (
	"slices"
	"testing"
)

func TestMirrors(t *testing.T) {
	to := func(x *int, c *uint8) { *c = uint8(*x) + 1 }
	got := Mirrors([]int{1, 2, 3}, to)
	if !slices.Equal(got, []uint8{2, 3, 4}) {
		t.Errorf("mirrors %v", got)
	}
	from := func(x *int, c *uint8) { *x = int(*c) }
	for n, want := range map[int][]int{0: {0, 0, 0}, 2: {2, 3, 0}, 9: {2, 3, 4}} {
		list := make([]int, 3)
		if FillList(list, got, n, from); !slices.Equal(list, want) {
			t.Errorf("the first %d: %v", n, list)
		}
	}
	b := []byte{1, 2, 3}
	if Put(b, &[2]byte{8, 9}); !slices.Equal(b, []byte{8, 9, 3}) {
		t.Errorf("bytes %v", b)
	}
}
