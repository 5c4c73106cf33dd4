package dl

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// table is a source of functions; the address is the length of the version.
type table map[string]bool

func (t table) Symbol(name, version string) uintptr {
	if !t[name] {
		return 0
	}
	return uintptr(len(version))
}

type named struct {
	table
	err error
}

func (n named) String() string { return "a table" }
func (n named) Err() error     { return n.err }

func TestLookup(t *testing.T) {
	symbols := []Symbol{{Name: "a", Version: "V_1", Floor: true}, {Name: "b", Version: "V_1.1", Since: "44.0"}}
	fn := make([]uintptr, 2)
	name, err := Lookup(table{"b": true}, symbols, fn)
	if err != nil || name != "the loaded library" || !slices.Equal(fn, []uintptr{0, 5}) {
		t.Errorf("%q, %v, %v", name, err, fn)
	}
	name, err = Lookup(named{table: table{"a": true}}, symbols, fn)
	if err != nil || name != "a table" || !slices.Equal(fn, []uintptr{3, 0}) {
		t.Errorf("%q, %v, %v", name, err, fn)
	}
	if _, err := Lookup(named{}, symbols, fn); !errors.Is(err, errors.ErrUnsupported) ||
		!strings.Contains(err.Error(), "a table has none of the functions of this package, such as a;") {
		t.Errorf("a source without any: %v", err)
	}
	if _, err := Lookup(nil, symbols, fn); !errors.Is(err, syscall.EINVAL) ||
		err.Error() != "LoadFrom(nil); pass a source of symbols: invalid argument (EINVAL)" {
		t.Errorf("no source: %v", err)
	}
	refused := errors.New("refused")
	if _, err := Lookup(named{err: refused}, symbols, fn); !errors.Is(err, refused) {
		t.Errorf("a source that refuses: %v", err)
	}
	err = symbols[1].Missing("a_verb", "a table")
	if want := "a_verb: a table has no symbol b, which came with rdma-core 44.0; install rdma-core 44.0 or newer"; err.Error() != want ||
		!errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v", err)
	}
	const want = "verbs need linux on amd64 or arm64, and cgo: install gcc, or set CGO_ENABLED=1 if it is there"
	if err := NoC(); !errors.Is(err, errors.ErrUnsupported) || err.Error() != want {
		t.Errorf("%v", err)
	}
}
