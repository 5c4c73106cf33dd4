package cmem

import (
	"strconv"
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// This file is unsafe because it reads structs as bytes. What keeps it sound: the structs hold only numbers, and the bytes are
// copied before they are handed on.

// BytesOf returns a copy of the bytes of a struct without Go pointers.
func BytesOf[T any](x *T) []byte {
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(x)), unsafe.Sizeof(*x))...)
}

// Behind returns room for head bytes with the parts behind it, aligned as any struct of C is. There may be at most count parts, and
// size bytes together with the head. A part is the bytes of a struct of the list; one without bytes was not made.
func Behind[A any](verb string, head, count, size int, list []A, pack func(A) []byte) ([]byte, error) {
	total := head
	parts := make([][]byte, len(list))
	for i, x := range list {
		part := pack(x)
		parts[i] = part
		if len(part) == 0 {
			return nil, fail.NilValue(verb, "one of the structs", "make each by its New function")
		}
		total += len(part)
	}
	if len(parts) > count || total > size {
		return nil, fail.Invalid(verb, strconv.Itoa(len(parts))+" structs of "+strconv.Itoa(total)+" bytes are more than the "+
			strconv.Itoa(count)+" or "+strconv.Itoa(size)+" that C can count; pass fewer")
	}
	words := make([]uint64, (total+7)/8)
	out := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), total)
	for _, part := range parts {
		head += copy(out[head:], part)
	}
	return out, nil
}

// Pack returns the bytes of the struct of C that to writes; those of nil are none.
func Pack[A, C any](a *A, to func(*A, *C)) []byte {
	if a == nil {
		return nil
	}
	c := new(C)
	to(a, c)
	return BytesOf(c)
}

// Point puts the struct of C that to writes where pins keep it, and returns its address; that of nil is 0.
func Point[A, C any](pins *Pins, a *A, to func(*A, *C)) (uintptr, error) {
	if a == nil {
		return 0, nil
	}
	c := new(C)
	to(a, c)
	return PinValue(pins, c), nil
}
