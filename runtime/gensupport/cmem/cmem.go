// Package cmem is about C memory and C structs: it reads values, puts structs one behind the other, counts lists as C does, keeps memory of
// Go in its place while C uses it, and converts the codes and addresses that C has to what programs use.
//
// It also lets a program write the memory allocator of a parent domain in Go (Allocator). It has the two C functions that providers call,
// one pair for the whole program. C gets a number as context and never a Go pointer, a panic does not leave Go, an address that no device
// may use is refused, and Free is called only for what Alloc returned. Only that needs cgo and Linux.
//
// It must not know verbs or generated packages.
package cmem

import (
	"bytes"
	"unsafe"
)

// This file is unsafe because it reads memory at an address and an offset. What keeps it sound: the address is that of a C
// object, which the caller keeps alive, and the offset comes from the facts of the header.

// At returns the value of type T at byte offset off of the C object at c.
func At[T any](c unsafe.Pointer, off uintptr) T { return *(*T)(unsafe.Add(c, off)) }

// Text returns the text of a C char array up to its first NUL, or all of it if there is none.
func Text(array []byte) string {
	text, _, _ := bytes.Cut(array, []byte{0})
	return string(text)
}

// String returns the text at the address of a C string; it is empty for NULL. The caller knows that the text ends with a NUL.
func String(c unsafe.Pointer) string {
	if c == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(c, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(c), n))
}

// Bytes returns a copy of n bytes of C memory; nil for none.
func Bytes(addr uintptr, n uint64) []byte {
	if addr == 0 || n == 0 {
		return nil
	}
	return append([]byte(nil), unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), n)...)
}

// Pointer is an address of C as a pointer.
func Pointer(addr uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }
