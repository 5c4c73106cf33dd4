package dl

import (
	"errors"
	"syscall"

	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Source is where functions come from: a Library, or something that stands in for one. Symbol gives the address of a C
// function, 0 when there is none; version is the symbol version asked for.
type Source interface {
	Symbol(name, version string) uintptr
}

// Symbol is a function to be looked up: its name, its default version, and the first release that has it.
type Symbol struct{ Name, Version, Since string }

// Lookup fills in fn, of the length of symbols, and gives the name of the source for messages. A source that has a method Err
// may refuse; one that has a method String names itself.
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
	for i, sym := range symbols {
		fn[i] = s.Symbol(sym.Name, sym.Version)
	}
	return name, nil
}

// Missing is the error of a verb whose function the source of the given name lacks.
func (s Symbol) Missing(verb, source string) error {
	return verr.Missing(verb, s.Name, s.Since, source)
}

// NoC is the error of a program that was built without the C side of its generated package.
func NoC() error {
	return &verr.Error{Msg: "verbs need linux on amd64 or arm64, and cgo", Err: errors.ErrUnsupported}
}
