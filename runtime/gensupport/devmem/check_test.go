package devmem

import (
	"math"
	"math/big"
	"testing"
)

// naive is judge by numbers that cannot wrap, written without looking at it.
func naive(off int64, n, length uint64, known, aligned bool) verdict {
	begin := big.NewInt(off)
	size := new(big.Int).SetUint64(n)
	end := new(big.Int).Add(begin, size)
	if begin.Sign() < 0 {
		return negative
	}
	if known && end.Cmp(new(big.Int).SetUint64(length)) > 0 {
		return beyond
	}
	if !known && !end.IsInt64() {
		return unknown
	}
	four := big.NewInt(4)
	if aligned && (new(big.Int).Mod(begin, four).Sign() != 0 || new(big.Int).Mod(size, four).Sign() != 0) {
		return odd
	}
	return fits
}

// TestJudge pins the order of the checks: a range that is wrong in two ways is answered by the first.
func TestJudge(t *testing.T) {
	const max = math.MaxInt64
	tests := []struct {
		name           string
		off            int64
		n, length      uint64
		known, aligned bool
		want           verdict
	}{
		{"whole", 0, 64, 64, true, true, fits},
		{"empty at the end", 64, 0, 64, true, true, fits},
		{"empty behind the end", 68, 0, 64, true, true, beyond},
		{"one granule too far", 60, 8, 64, true, true, beyond},
		{"odd and too far", 61, 8, 64, true, true, beyond},
		{"odd offset", 1, 4, 64, true, true, odd},
		{"odd length", 4, 3, 64, true, true, odd},
		{"odd, provider decides", 1, 3, 64, true, false, fits},
		{"negative and odd", -1, 3, 64, true, true, negative},
		{"negative, length unknown", -4, 4, 0, false, true, negative},
		{"a sum of 64 bits would wrap", -4, 8, 64, true, true, negative},
		{"length unknown", 1 << 40, 4, 0, false, true, fits},
		{"length unknown, odd", 2, 4, 0, false, true, odd},
		{"length unknown, end is no offset", max - 3, 8, 0, false, true, unknown},
		{"length unknown, end is the last offset", max - 7, 4, 0, false, true, fits},
		{"offset far behind", max - 3, 4, 64, true, true, beyond},
		{"no bytes at all", 0, 0, 0, true, true, fits},
		{"memory longer than an offset", max, 1, math.MaxUint64, true, false, fits},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := judge(tt.off, tt.n, tt.length, tt.known, tt.aligned); got != tt.want {
				t.Errorf("judge = %d, want %d", got, tt.want)
			}
			if got := naive(tt.off, tt.n, tt.length, tt.known, tt.aligned); got != tt.want {
				t.Errorf("the model says %d, want %d", got, tt.want)
			}
		})
	}
}

// FuzzRange holds the checks before a copy against a model with numbers of any size.
func FuzzRange(f *testing.F) {
	f.Add(int64(0), uint64(64), uint64(64), true, true)
	f.Add(int64(-4), uint64(8), uint64(64), true, true)
	f.Add(int64(math.MaxInt64-3), uint64(8), uint64(0), false, true)
	f.Add(int64(61), uint64(8), uint64(math.MaxUint64), true, false)
	f.Fuzz(func(t *testing.T, off int64, n, length uint64, known, aligned bool) {
		n &= math.MaxInt64 // a length of a slice
		got, want := judge(off, n, length, known, aligned), naive(off, n, length, known, aligned)
		if got != want {
			t.Errorf("off %d, %d bytes, length %d (known %v), aligned %v: judge says %d, the model %d",
				off, n, length, known, aligned, got, want)
		}
	})
}
