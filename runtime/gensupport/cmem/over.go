package cmem

import "unsafe"

// Over returns a member of a union in the struct of C that c is, at an offset: c has the bytes of all members.
func Over[T, C any](c *C, off uintptr) *T { return (*T)(unsafe.Add(unsafe.Pointer(c), off)) }
