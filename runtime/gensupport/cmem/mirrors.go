package cmem

import "unsafe"

// This file is unsafe because Put writes a struct into bytes. Behind made them, with room for it and aligned as any struct of C is.

// Mirrors returns an array of structs in C's layout that to writes a list into.
func Mirrors[T, C any](list []T, to func(*T, *C)) []C {
	out := make([]C, len(list))
	for i := range list {
		to(&list[i], &out[i])
	}
	return out
}

// FillList reads a list from structs in C's layout: from the first n, or from as many as there are.
func FillList[T, C any](list []T, mirrors []C, n int, from func(*T, *C)) {
	for i := range mirrors[:min(n, len(mirrors))] {
		from(&list[i], &mirrors[i])
	}
}

// Put copies a struct to the front of b, which has room for it.
func Put[C any](b []byte, x *C) { *(*C)(unsafe.Pointer(unsafe.SliceData(b))) = *x }
