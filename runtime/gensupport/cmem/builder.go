package cmem

import "unsafe"

// Set sets a field of a builder, and returns the builder.
func Set[B, T any](b *B, field *T, v T) *B {
	*field = v
	return b
}

// SetBit is Set for a field with a bit in a mask, which it sets too.
func SetBit[B, T any, M int32 | uint32 | uint64](b *B, field *T, v T, mask *M, bit M) *B {
	*field = v
	*mask |= bit
	return b
}

// Optional returns p where a record is given, and nil otherwise.
func Optional(given bool, p unsafe.Pointer) unsafe.Pointer {
	if !given {
		return nil
	}
	return p
}

// Flag returns 1 for true and 0 for false.
func Flag[T int8 | int32 | uint8 | uint32](v bool) T {
	if v {
		return 1
	}
	return 0
}
