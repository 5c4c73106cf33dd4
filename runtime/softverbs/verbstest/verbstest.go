// Package verbstest makes software devices for tests:
//
//	soft, dev := verbstest.Open(t, verbs.LoadFrom, softverbs.LikeMLX5())
//
// When the test ends, the device is closed, and what the test left open, or did in a way that only some devices accept, fails it.
//
// It knows no generated package, so it serves the bindings of any: their functions and types come as type parameters, which the
// compiler finds by itself. Package gen/verbs/verbstest has what needs the bindings of this project, such as connected queue pairs.
package verbstest

import (
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
	"github.com/verbsgen/verbsgen/runtime/verr"
)

// Lib is the library of a generated package, *verbs.Lib in gen/verbs, whose devices are of type D.
type Lib[D Closer] interface {
	OpenDevice(name string) (D, error)
	OnLint(f func(*verr.Lint))
}

// Closer is the device of a generated package.
type Closer interface{ Close() error }

// Symbols is what a library is loaded from, as each generated package declares it.
type Symbols interface {
	Symbol(name, version string) uintptr
}

// New creates a software device. When the test ends it fails if something is still open or was left behind, and the device is
// closed. It skips the test where there are no software devices, which is without cgo.
func New(t testing.TB, opts ...softverbs.Option) *softverbs.Device {
	t.Helper()
	soft := softverbs.New(opts...)
	if err := soft.Err(); err != nil {
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, leak := range soft.Leaks() {
			t.Errorf("left open: %s", leak)
		}
		if err := soft.Close(); err != nil {
			t.Error(err)
		}
	})
	return soft
}

// allowed are the lints that tests allow: sets of IDs, by test.
var allowed sync.Map

// AllowLints lets the test pass in spite of lints with these IDs. Call it before or after creating the device.
func AllowLints(t testing.TB, ids ...string) {
	set, again := allowed.LoadOrStore(t, new(sync.Map))
	if !again {
		t.Cleanup(func() { allowed.Delete(t) })
	}
	for _, id := range ids {
		set.(*sync.Map).Store(id, true)
	}
}

func lintAllowed(t testing.TB, l *verr.Lint) bool {
	set, some := allowed.Load(t)
	if !some || l.Rule == nil {
		return false
	}
	_, ok := set.(*sync.Map).Load(l.Rule.ID)
	return ok
}

// Load creates a software device and loads it, with the LoadFrom of a generated package. In addition to what New checks, each lint
// fails the test, unless AllowLints allows it: a call that this device takes and others refuse. A call that the device refused has none.
func Load[L Lib[D], D Closer, S Symbols](t testing.TB, load func(S) (L, error), opts ...softverbs.Option) (*softverbs.Device, L) {
	t.Helper()
	soft := New(t, opts...)
	lib, err := load(any(soft).(S))
	if err != nil {
		t.Fatal(err)
	}
	lib.OnLint(func(l *verr.Lint) {
		if !lintAllowed(t, l) {
			t.Errorf("lint: %+v; if the test means it, allow it by verbstest.AllowLints(t, %q)", l, l.Rule.ID)
		}
	})
	t.Cleanup(func() { lib.OnLint(nil) })
	return soft, lib
}

// Open does what Load does and opens the first device of the list. The test closes what it makes on it, or all at once by CloseAll of
// the device; the device itself is closed when the test ends, and it is an error of the test if that does not work.
func Open[L Lib[D], D Closer, S Symbols](t testing.TB, load func(S) (L, error), opts ...softverbs.Option) (*softverbs.Device, D) {
	t.Helper()
	soft, lib := Load(t, load, opts...)
	names := soft.Names()
	if len(names) == 0 {
		t.Fatal("verbstest: Open with softverbs.NoDevices: there is none to open; use Load")
	}
	dev, err := lib.OpenDevice(names[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Errorf("the device cannot be closed: %v", err)
		}
	})
	return soft, dev
}
