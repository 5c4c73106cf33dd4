// Package dl finds libibverbs at run time, so that a program starts where there is none and says so.
//
// It owns the rule that a process has one real libibverbs: the providers (libmlx5, librxe, ...) name it as a
// dependency and bind to the first one loaded, so a second one would see no device. It must not know any verb beyond
// the one by which it recognises a libibverbs. A libibverbs is never unloaded: handles, provider threads and
// function tables point into it.
//
// Without cgo, or on another system than Linux, Open answers an error that is errors.ErrUnsupported.
package dl

// DefaultName is what Open("") looks for, along the system's search path and LD_LIBRARY_PATH.
const DefaultName = "libibverbs.so.1"

// Symbols is a source of C functions: a loaded library, or a software device that brings its own.
type Symbols interface {
	// Symbol gives the address of a C function, 0 when the source lacks it. version is the symbol version that the
	// facts name as the default one ("IBVERBS_1.1"); a source without versions ignores it.
	Symbol(name, version string) uintptr
}

// Error is a library that cannot be used. Its text is "load PATH: PROBLEM; FIX".
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
