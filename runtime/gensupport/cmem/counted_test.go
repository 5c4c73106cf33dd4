package cmem

import (
	"encoding/binary"
	"testing"
	"unsafe"
)

// C finds the number of bytes, and behind the struct the bytes.
func TestCounted(t *testing.T) {
	b, err := Counted[uint64]("make", "mask", 8, []byte("abc"))
	if err != nil || len(b) != 11 || binary.NativeEndian.Uint64(b) != 3 || string(b[8:]) != "abc" {
		t.Errorf("Counted of 3 bytes = %q, %v", b, err)
	}
	if uintptr(unsafe.Pointer(&b[0]))%8 != 0 {
		t.Error("the struct is not aligned")
	}
	if b, err := Counted[uint16]("make", "mask", 8, nil); err != nil || len(b) != 8 {
		t.Errorf("Counted of no bytes = %q, %v", b, err)
	}
	const want = "make: mask has 256 bytes, and at most 255 can be passed; pass fewer"
	if _, err := Counted[uint8]("make", "mask", 1, make([]byte, 256)); err == nil || err.Error() != want {
		t.Errorf("Counted of 256 bytes with a count of 8 bits: %v, want %s", err, want)
	}
}
