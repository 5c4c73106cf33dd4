package cmem

import (
	"runtime"
	"testing"
	"unsafe"
)

// TestPins stores the addresses of values and lists, which stay theirs while the garbage collector runs.
func TestPins(t *testing.T) {
	var pins Pins
	x, list := new(uint32), []uintptr{7, 8}
	at, of := PinValue(&pins, x), PinList(&pins, list)
	runtime.GC()
	*x = 5
	if at != uintptr(unsafe.Pointer(x)) || of != uintptr(unsafe.Pointer(&list[0])) {
		t.Errorf("the addresses are %#x and %#x", at, of)
	}
	if empty := PinList(&pins, []byte{}); empty != 0 {
		t.Errorf("an empty list is at %#x", empty)
	}
	if at := unsafe.Pointer(x); !pins.Link(at) || pins.Link(at) {
		t.Error("a chain may lead back to itself")
	}
	pins.Unpin()
	pins.Unpin() // ends nothing twice
}

// TestPinData stores the address of bytes; of none it is 0.
func TestPinData(t *testing.T) {
	b := []byte("data")
	var at uintptr
	unpin := PinData(&at, b)
	if at != uintptr(unsafe.Pointer(&b[0])) {
		t.Errorf("the address is %#x", at)
	}
	unpin()
	unpin = PinData(&at, nil)
	if at != 0 {
		t.Errorf("the address of nothing is %#x", at)
	}
	unpin()
}
