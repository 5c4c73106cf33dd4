package cmem

import (
	"unsafe"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
)

// Counted returns a copy of b behind a struct of size bytes that begins with the number of bytes, as N. It is aligned for any number. what
// is the parameter of verb that it is for.
func Counted[N uint8 | uint16 | uint32 | uint64](verb, what string, size int, b []byte) ([]byte, error) {
	if n := N(len(b)); uint64(n) != uint64(len(b)) {
		return nil, fail.TooLong(verb, what, len(b), int(^N(0)))
	}
	words := make([]uint64, (size+len(b)+7)/8)
	*(*N)(unsafe.Pointer(unsafe.SliceData(words))) = N(len(b))
	out := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size+len(b))
	copy(out[size:], b)
	return out, nil
}
