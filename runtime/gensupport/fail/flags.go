package fail

import (
	"strconv"
	"strings"
)

// Flag is a value of an enum, a bit, or a set of bits, with its name.
type Flag struct {
	Bits uint64
	Name string
}

// FlagText returns the names of the bits of v joined by |, bits without a name in hex, and then the whole value in hex:
// "LOCAL_WRITE|0x40 (0x41)". For 0 it returns "0". A name of several bits takes them before the names of some of these bits, if one of
// its bits has no name of its own; a name of a sum is not written.
func FlagText(v uint64, names []Flag) string {
	if v == 0 {
		return "0"
	}
	own, rest := uint64(0), v // own are the bits with a name of their own
	for _, n := range names {
		if n.Bits&(n.Bits-1) == 0 {
			own |= n.Bits
		}
	}
	for _, n := range names {
		if n.Bits&^own != 0 && v&n.Bits == n.Bits {
			rest &^= n.Bits
		}
	}
	var parts []string
	for _, n := range names {
		switch {
		case n.Bits&^own != 0 && v&n.Bits == n.Bits:
			parts = append(parts, n.Name)
		case n.Bits != 0 && rest&n.Bits == n.Bits:
			parts = append(parts, n.Name)
			rest &^= n.Bits
		}
	}
	if rest != 0 {
		parts = append(parts, Hex(rest))
	}
	return strings.Join(parts, "|") + " (" + Hex(v) + ")"
}

// EnumText returns the name of a value of an enum, and of one without a name "QPState(99)".
func EnumText(enum string, v int64, names []Flag) string {
	for _, n := range names {
		if n.Bits == uint64(v) {
			return n.Name
		}
	}
	return enum + "(" + strconv.FormatInt(v, 10) + ")"
}
