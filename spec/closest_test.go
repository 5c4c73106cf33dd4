package spec

import (
	"math/rand/v2"
	"testing"
)

// TestClosestOfMany finds what is found without the look at the letters.
func TestClosestOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	name := func() string {
		b := make([]byte, 1+r.IntN(12))
		for i := range b {
			b[i] = "abcdxyz_AB"[r.IntN(10)]
		}
		return string(b)
	}
	found := 0
	for range 2000 {
		like, among := name(), make([]string, 20)
		for i := range among {
			among[i] = name()
		}
		want, best := "", 1+max(1, len(like)/3)
		for _, a := range among {
			if d := distance(like, a, best); d < best && a != like {
				want, best = a, d
			}
		}
		if got := Closest(like, among); got != want {
			t.Fatalf("of %q the closest to %q is %q, want %q", among, like, got, want)
		}
		if want != "" {
			found++
		}
	}
	if found < 100 {
		t.Errorf("only %d names were like another", found)
	}
}
