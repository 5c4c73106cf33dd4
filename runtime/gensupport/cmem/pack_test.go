package cmem

import (
	"bytes"
	"errors"
	"syscall"
	"testing"
	"unsafe"
)

func TestBehind(t *testing.T) {
	pack := func(part []byte) []byte { return part }
	got, err := Behind("v", 3, 2, 8, [][]byte{{1}, {2, 3}}, pack)
	if err != nil || !bytes.Equal(got, []byte{0, 0, 0, 1, 2, 3}) || uintptr(unsafe.Pointer(&got[0]))%8 != 0 {
		t.Errorf("%v, %v", got, err)
	}
	for name, parts := range map[string][][]byte{
		"v: one of the structs is nil; make each by its New function":                   {{1}, nil},
		"v: 3 structs of 6 bytes are more than the 2 or 8 that C can count; pass fewer": {{1}, {2}, {3}},
		"v: 1 structs of 9 bytes are more than the 2 or 8 that C can count; pass fewer": {{1, 2, 3, 4, 5, 6}},
	} {
		if _, err := Behind("v", 3, 2, 8, parts, pack); !errors.Is(err, syscall.EINVAL) || err.Error() != name {
			t.Errorf("%v; want %s", err, name)
		}
	}
}

func TestBytesOf(t *testing.T) {
	x := struct{ a, b uint16 }{1, 2}
	got := BytesOf(&x)
	x.a = 7
	if len(got) != 4 || got[0]+got[1] != 1 {
		t.Errorf("%v", got)
	}
}
