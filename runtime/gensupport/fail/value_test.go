package fail

import (
	"math"
	"strconv"
	"testing"
	"unsafe"
)

func TestAddr(t *testing.T) {
	var x byte
	if got := Addr(unsafe.Pointer(&x)); got != uint64(uintptr(unsafe.Pointer(&x))) {
		t.Errorf("Addr = %#x", got)
	}
	if Addr(nil) != 0 {
		t.Error("Addr(nil) is not 0")
	}
	for v, want := range map[uint64]string{0: "NULL", 0x1f: "0x1f"} {
		if got := AddrText(v); got != want {
			t.Errorf("AddrText(%#x) = %q, want %q", v, got, want)
		}
	}
}

func TestFlagText(t *testing.T) {
	names := []Flag{{1, "A"}, {6, "BC"}, {2, "B"}, {0, "none"}, {16, "R"}, {48, "RU"}, {64, "S"}, {3, "AB"}}
	for v, want := range map[uint64]string{0: "0", 1: "A (0x1)", 7: "A|BC (0x7)", 2: "B (0x2)", 0x80: "0x80 (0x80)", 0x81: "A|0x80 (0x81)",
		0x10: "R (0x10)", 0x30: "RU (0x30)", 0x71: "A|RU|S (0x71)", 0x20: "0x20 (0x20)", 3: "A|B (0x3)"} {
		if got := FlagText(v, names); got != want {
			t.Errorf("FlagText(%#x) = %q, want %q", v, got, want)
		}
	}
}

func TestEnumText(t *testing.T) {
	names := []Flag{{0, "A"}, {2, "B"}, {math.MaxUint64, "ALL"}}
	for v, want := range map[int64]string{0: "A", 2: "B", 1: "E(1)", -1: "ALL", -2: "E(-2)"} {
		if got := EnumText("E", v, names); got != want {
			t.Errorf("EnumText(%d) = %q, want %q", v, got, want)
		}
	}
}

// TestTransitions reads a table of two changes from state 0; state 9 is not listed as a start.
func TestTransitions(t *testing.T) {
	table := []Transition{{0, 1, 0x3, 0x4}, {0, 0, 0, 0}}
	names := []Flag{{1, "A"}, {2, "B"}, {4, "C"}, {8, "D"}}
	state := func(v uint64) string { return strconv.FormatUint(v, 10) }
	for _, c := range []struct {
		mask, from, to uint64
		bad            bool
		text           string
	}{
		{0x3, 0, 1, false, ""},
		{0x7, 0, 1, false, ""},
		{0x1, 0, 1, true, "A (0x1), 0 to 1 without B (0x2)"},
		{0xb, 0, 1, true, "A|B|D (0xb), 0 to 1 with D (0x8)"},
		{0x9, 0, 1, true, "A|D (0x9), 0 to 1 without B (0x2) and with D (0x8)"},
		{0, 0, 0, false, ""},
		{0, 0, 2, true, "0, 0 to 2, which is no transition"},
		{0, 9, 1, false, ""},
	} {
		if got := BadTransition(table, c.mask, c.from, c.to); got != c.bad {
			t.Errorf("BadTransition(%#x, %d, %d) = %t", c.mask, c.from, c.to, got)
		}
		if !c.bad {
			continue
		}
		if got := TransitionText(table, c.mask, c.from, c.to, state, names); got != c.text {
			t.Errorf("TransitionText(%#x, %d, %d) = %q, want %q", c.mask, c.from, c.to, got, c.text)
		}
	}
}
