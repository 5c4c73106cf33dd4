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

type pair struct{ a, b uint16 }

func (p *pair) to(c *pair) { *c = *p }

// TestPackAndPoint gives C a struct as bytes and as an address, and nothing for nil.
func TestPackAndPoint(t *testing.T) {
	var pins Pins
	defer pins.Unpin()
	x := &pair{1, 2}
	if got := Pack(x, (*pair).to); !bytes.Equal(got, BytesOf(x)) {
		t.Errorf("packed %v", got)
	}
	if got := Pack(nil, (*pair).to); got != nil {
		t.Errorf("nil packed is %v", got)
	}
	if at, err := Point(&pins, x, (*pair).to); err != nil || *(*pair)(Pointer(at)) != *x {
		t.Errorf("%#x, %v", at, err)
	}
	if at, err := Point(&pins, nil, (*pair).to); err != nil || at != 0 {
		t.Errorf("nil is at %#x, %v", at, err)
	}
}

// TestSet sets fields and bits of a builder.
func TestSet(t *testing.T) {
	p, mask := &pair{}, uint32(1)
	if Set(p, &p.a, 3) != p || SetBit(p, &p.b, 4, &mask, 6) != p || *p != (pair{3, 4}) || mask != 7 {
		t.Errorf("%+v, mask %#x", p, mask)
	}
	if Flag[uint8](true) != 1 || Flag[int32](false) != 0 {
		t.Error("a flag is not 1 or 0")
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
