package cgen

import "strconv"

// GoInt is the Go integer type that has the width and sign of t ("uint32"), for Int, Bool (uint8) and Enum; else
// it is empty. __be64 is a uint64 whose bytes are in network order.
func (t Type) GoInt() string {
	switch t.Kind {
	case Bool:
		return "uint8"
	case Int, Enum:
		return signed("int", t.Signed) + strconv.FormatInt(8*t.Size, 10)
	}
	return ""
}

// FixedInt is the C integer type with the width and sign of t ("uint32_t"), for the kinds that GoInt answers.
// cgo gives each of these a Go type of the same size whatever the architecture calls int or long.
func (t Type) FixedInt() string {
	if g := t.GoInt(); g != "" {
		return g + "_t"
	}
	return ""
}

func signed(word string, yes bool) string {
	if yes {
		return word
	}
	return "u" + word
}

// Memory tells whose memory a pointer parameter points into.
type Memory int

// Owners of memory.
const (
	OfC  Memory = iota // an object of the library: a number to Go, never checked, never moved
	OfGo               // the caller's bytes: cgo must see a pointer, of a type that holds none, so that it checks nothing
)

// ShimParam is the C type of a parameter through which a value of type t enters a C shim: fixed-width integers for
// integers and enums, uintptr_t for an address of C and for the address of a function, uint8_t * for memory of Go,
// double and float as they are. Records by value and arrays enter by address, as memory of C or Go. Void has none.
func (t Type) ShimParam(m Memory) string {
	switch t.Kind {
	case Void:
		return ""
	case Float:
		return t.Name
	case Func:
		return "uintptr_t"
	case Pointer, Struct, Array:
		if m == OfC {
			return "uintptr_t"
		}
		if t.readOnly() {
			return "const uint8_t *"
		}
		return "uint8_t *"
	}
	return t.FixedInt()
}

// readOnly reports whether C only reads what it gets by address.
func (t Type) readOnly() bool {
	if t.Kind == Struct {
		return true
	}
	return t.Elem.Const
}

// ShimResult is the C type in which a shim returns a t: pointers as void *, which Go keeps as unsafe.Pointer to
// C memory; integers and enums at fixed width. Records and arrays are not returned but written through a parameter:
// for them it is empty.
func (t Type) ShimResult() string {
	switch t.Kind {
	case Void:
		return "void"
	case Float:
		return t.Name
	case Pointer, Func:
		return "void *"
	}
	return t.FixedInt()
}
