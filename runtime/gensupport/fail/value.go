package fail

import (
	"os"
	"strconv"
	"unsafe"
)

// Known is a value that a rule needs and that may be unknown: a capability of a device that was not queried, the length of
// imported memory. The zero value is unknown.
type Known struct {
	V  uint64
	OK bool
}

// Sure returns a value that is known.
func Sure(v uint64) Known { return Known{v, true} }

// Maybe returns a value that is known if ok is set. Its arguments are the results of a getter.
func Maybe(v uint64, ok bool) Known { return Known{v, ok} }

// Addr returns the address of a C object, for rules that ask whether it is NULL.
func Addr(c unsafe.Pointer) uint64 { return uint64(uintptr(c)) }

// AddrText returns an address as messages show it: in hex, or NULL.
func AddrText(v uint64) string {
	if v == 0 {
		return "NULL"
	}
	return Hex(v)
}

// NoText is the text of a rule without a value to show.
func NoText(uint64) string { return "" }

// Signed returns a number that may be negative as messages show it.
func Signed(v uint64) string { return strconv.FormatInt(int64(v), 10) }

// Text returns a value of an enum or flags as messages show it.
func Text[T interface {
	~int8 | ~int32 | ~uint8 | ~uint16 | ~uint32 | ~uint64
	String() string
}](v uint64) string {
	return T(v).String()
}

// Hex returns bits as messages show them.
func Hex(v uint64) string { return "0x" + strconv.FormatUint(v, 16) }

// Either returns a if cond is true, and b otherwise.
func Either(cond bool, a, b uint64) uint64 {
	if cond {
		return a
	}
	return b
}

// SumAbove reports whether a + b is above limit. A sum of more than 64 bits is.
func SumAbove(a, b, limit uint64) bool { return a+b < a || a+b > limit }

// Power returns 2 to the power of n; the greatest number of 64 bits where they cannot hold it.
func Power(n uint64) uint64 {
	if n >= 64 {
		return 1<<64 - 1
	}
	return 1 << n
}

// Count returns how many of the conditions are true.
func Count(conds ...bool) int {
	n := 0
	for _, c := range conds {
		if c {
			n++
		}
	}
	return n
}

var pageSize = uint64(os.Getpagesize())

// PageSize returns the page size of this machine in bytes.
func PageSize() uint64 { return pageSize }
