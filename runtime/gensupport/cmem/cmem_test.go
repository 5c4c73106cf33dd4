package cmem

import (
	"testing"
	"unsafe"
)

func TestAt(t *testing.T) {
	memory := [4]uint32{1, 2, 3, 4}
	if got := At[uint32](unsafe.Pointer(&memory), 8); got != 3 {
		t.Errorf("At offset 8: %d, want 3", got)
	}
	if got := At[int32](unsafe.Pointer(&memory), 0); got != 1 {
		t.Errorf("At offset 0: %d, want 1", got)
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{"mlx5_0\x00junk\x00": "mlx5_0", "full": "full", "\x00": "", "": ""} {
		if got := Text([]byte(in)); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestString(t *testing.T) {
	text := []byte("mlx5_0\x00junk\x00")
	if got := String(unsafe.Pointer(&text[0])); got != "mlx5_0" {
		t.Errorf("%q", got)
	}
	if got := String(unsafe.Pointer(&text[6])); got != "" {
		t.Errorf("of an empty text: %q", got)
	}
	if got := String(nil); got != "" {
		t.Errorf("of NULL: %q", got)
	}
}

// TestBytes copies memory, and gives nothing for no memory.
func TestBytes(t *testing.T) {
	from := []byte("private data")
	at := uintptr(unsafe.Pointer(&from[0]))
	got := Bytes(at, 7)
	from[0] = 'P'
	if string(got) != "private" {
		t.Errorf("got %q", got)
	}
	if Bytes(0, 5) != nil || Bytes(at, 0) != nil {
		t.Error("bytes of nothing")
	}
	if Pointer(at) != unsafe.Pointer(&from[0]) || Pointer(0) != nil {
		t.Error("Pointer gives another address")
	}
}
