package cmem

import (
	"errors"
	"syscall"
	"testing"
)

func TestLog2(t *testing.T) {
	for n, want := range map[int]uint64{1: 0, 2: 1, 128: 7} {
		if got, err := Log2("v", "list", n); got != want || err != nil {
			t.Errorf("%d: %d, %v", n, got, err)
		}
	}
	for _, n := range []int{0, 3, 12} {
		if _, err := Log2("v", "list", n); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%d: %v", n, err)
		}
	}
	_, err := Log2("v", "list", 3)
	const want = "v: list has 3 elements, which is no power of two; pass 1, 2, 4, 8 and so on, the same one several times if need be"
	if err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}

func TestCount(t *testing.T) {
	if n, err := Count("v", "list", 255, 255); n != 255 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	_, err := Count("v", "list", 256, 255)
	if want := "v: list has 256 elements, and C can count 255; pass fewer"; err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}

func TestFill(t *testing.T) {
	x := [2]uint32{9, 9}
	Fill(&x, []byte{1, 2, 3, 4, 5})
	if x != [2]uint32{0x04030201, 5} {
		t.Errorf("%x", x)
	}
	Fill(&x, nil)
	if x != [2]uint32{} {
		t.Errorf("%x", x)
	}
	Fill(&x, make([]byte, 99))
}
