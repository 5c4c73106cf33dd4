package cmem

import (
	"math/bits"
	"strconv"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Count returns the length of a list as C has it, which can count up to most; what names the list.
func Count(verb, what string, n int, most uint64) (uint64, error) {
	if uint64(n) > most {
		return 0, fail.Invalid(verb, what+" has "+strconv.Itoa(n)+" elements, and C can count "+strconv.FormatUint(most, 10)+"; pass fewer")
	}
	return uint64(n), nil
}

// Log2 returns the base-2 logarithm of the length of a list, which must be a power of two; what names the list.
func Log2(verb, what string, n int) (uint64, error) {
	if n <= 0 || n&(n-1) != 0 {
		return 0, fail.Invalid(verb, what+" has "+strconv.Itoa(n)+" elements, which is no power of two; pass 1, 2, 4, 8 and so on, the same "+
			"one several times if need be")
	}
	return uint64(bits.TrailingZeros(uint(n))), nil
}

// Copy returns a copy of a struct, nil of nil.
func Copy[T any](x *T) *T {
	if x == nil {
		return nil
	}
	y := *x
	return &y
}

// Fill copies bytes to the front of an array of C; the rest becomes 0. Bytes beyond its end are left out: whoever has them refuses them.
func Fill[T any](to *T, b []byte) {
	all := unsafe.Slice((*byte)(unsafe.Pointer(to)), unsafe.Sizeof(*to))
	clear(all[copy(all, b):])
}
