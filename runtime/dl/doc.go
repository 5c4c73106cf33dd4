// Package dl finds libibverbs at run time, so that a program also starts on a machine without it and can report that.
//
// It ensures that a process has one real libibverbs: the providers (libmlx5, librxe, ...) depend on it and bind to the first one
// loaded, so that a second one would see no device. It must not know any verb except the one by which it recognises a libibverbs. A
// libibverbs is never unloaded: handles, provider threads and function tables point into it.
//
// Without cgo, or on another system than Linux, Open returns an error that is errors.ErrUnsupported.
package dl

// DefaultName is the file that Open("") searches for in LD_LIBRARY_PATH and on the search path of the system.
const DefaultName = "libibverbs.so.1"

// Symbols is a source of C functions: a loaded library, or a software device that brings its own.
type Symbols interface {
	// Symbol returns the address of a C function, 0 if the source lacks it. version is the default symbol version of the
	// function ("IBVERBS_1.1"); a source without versions ignores it.
	Symbol(name, version string) uintptr
}

// Error is the error of a library that cannot be used. Its text is "load PATH: PROBLEM; FIX".
type Error struct {
	Path    string // as asked for
	Problem string
	Fix     string
	Err     error // errors.ErrUnsupported, fs.ErrNotExist, both joined, or nil
}

func (e *Error) Error() string {
	text := "load " + e.Path + ": " + e.Problem
	if e.Fix != "" {
		text += "; " + e.Fix
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }
