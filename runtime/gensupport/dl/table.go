package dl

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/gensupport/fail"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Source is a source of C functions: a Library or a replacement for one. Symbol returns the address of a C function, or
// 0; version is its symbol version.
type Source interface {
	Symbol(name, version string) uintptr
}

// Symbol is a function to look up.
type Symbol struct {
	Name    string
	Version string // default symbol version
	Since   string // first release that has it; empty where that is unknown
	Floor   bool   // every supported release has it
}

// Lookup sets fn, which has the length of symbols, to the addresses of the functions, and returns the name of the
// source for messages. If the source has a method Err and this returns an error, Lookup returns it. If it has a method
// String, this is its name. A source that has none of the functions is of another library, which is an error. So is a
// loaded library that lacks a function of the oldest supported release; other sources may.
func Lookup(s Source, symbols []Symbol, fn []uintptr) (name string, err error) {
	if s == nil {
		return "", &verr.Error{Msg: "LoadFrom(nil); pass a source of symbols", Errno: syscall.EINVAL}
	}
	if e, ok := s.(interface{ Err() error }); ok && e.Err() != nil {
		return "", e.Err()
	}
	name = "the loaded library"
	if p, ok := s.(interface{ String() string }); ok {
		name = p.String()
	}
	found, lacks := len(symbols) == 0, []string(nil)
	for i, sym := range symbols {
		fn[i] = s.Symbol(sym.Name, sym.Version)
		found = found || fn[i] != 0
		if _, real := s.(*Library); real && fn[i] == 0 && sym.Floor {
			lacks = append(lacks, sym.Name)
		}
	}
	if !found {
		return "", &verr.Error{Errno: syscall.EINVAL, Refused: true, Err: errors.ErrUnsupported,
			Msg: fmt.Sprintf("LoadFrom: %s has none of the functions of this package, such as %s; pass the library that has them", name,
				symbols[0].Name)}
	}
	if len(lacks) > 0 {
		return "", &verr.Error{Errno: syscall.EINVAL, Refused: true, Err: errors.ErrUnsupported,
			Msg: fmt.Sprintf("Load: %s has no %s, which every release has that this package supports; load a newer or complete library", name,
				strings.Join(lacks, ", "))}
	}
	return name, nil
}

// Missing returns the error of a verb whose function is missing; source is the name of the library.
func (s Symbol) Missing(verb, source string) error {
	return fail.Missing(verb, s.Name, s.Since, source)
}

// NoC returns the error of a program that was built without the C code of its generated package.
func NoC() error {
	return &verr.Error{Err: errors.ErrUnsupported,
		Msg: "verbs need linux on amd64 or arm64, and cgo: install gcc, or set CGO_ENABLED=1 if it is there"}
}
