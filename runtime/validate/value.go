package validate

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

// Of is a value that is known.
func Of(v uint64) Known { return Known{v, true} }

// Maybe is a value that is known when ok is set. It takes the results of a getter.
func Maybe(v uint64, ok bool) Known { return Known{v, ok} }

// Addr is the address of a C object, for rules that ask whether there is one.
func Addr(c unsafe.Pointer) uint64 { return uint64(uintptr(c)) }

// AddrText gives an address as messages show it.
func AddrText(v uint64) string {
	if v == 0 {
		return "NULL"
	}
	return "0x" + strconv.FormatUint(v, 16)
}

// Either gives a when cond holds, and b otherwise.
func Either(cond bool, a, b uint64) uint64 {
	if cond {
		return a
	}
	return b
}

// SumAbove reports whether a + b is above limit, also where the sum wraps around.
func SumAbove(a, b, limit uint64) bool { return a+b < a || a+b > limit }

// Count gives the number of conditions that hold.
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

// PageSize is the size of the host's pages in bytes.
func PageSize() uint64 { return pageSize }
