// Package direct calls the library without the bindings: what library and kernel answer to any arguments at all, and how C
// itself reads what the bindings read by layouts of their own.
//
// It owns a context and a protection domain of its own. It must not know the generated package. Without cgo, or on another
// system than Linux, Open answers an error that is errors.ErrUnsupported.
package direct

// Symbols is where the functions come from.
type Symbols interface {
	Symbol(name, version string) uintptr
}

// Field is a field of a struct of C, with its value sign-extended to 64 bits.
type Field struct {
	Name  string
	Value uint64
}
