//go:build linux && cgo

package libs

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/internal/sysfs"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
	"github.com/verbsgen/verbsgen/spec/api"
)

var (
	libraryFlag = flag.String("library", "", "the libibverbs to load (default: this machine's)")
	includeFlag = flag.String("include", "/usr/include", "folder of the infiniband/verbs.h of the same release")
	releaseFlag = flag.String("release", "", "the release that -library is to be (default: whatever it says)")
)

// needed makes a lack of this machine a failure where a library was asked for, and else the reason of a skip.
func needed(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if *libraryFlag != "" || os.Getenv("VERBS_REQUIRE_LIBRARY") != "" {
		t.Fatal(err)
	}
	t.Skip(err)
}

// library loads the library.
func library(t *testing.T) *dl.Library {
	t.Helper()
	lib, err := dl.Open(*libraryFlag)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	needed(t, err)
	if *releaseFlag != "" && lib.Release() != *releaseFlag {
		t.Fatalf("%s is of release %q, not %s", lib.Path(), lib.Release(), *releaseFlag)
	}
	return lib
}

// facts returns what is stored of the library's release.
func facts(t *testing.T, lib *dl.Library) *api.Release {
	t.Helper()
	release, err := api.Load(lib.Release())
	needed(t, err)
	return release
}

// bound is a function that the bindings look up.
type bound struct{ name, version string }

// recorder is a source of functions that keeps what it was asked for.
type recorder struct{ asked []bound }

func (r *recorder) Symbol(name, version string) uintptr {
	r.asked = append(r.asked, bound{name, version})
	return 1 // none is called, and a source without any function is refused
}

// allBound returns all functions that the bindings look up.
func allBound(t *testing.T) []bound {
	t.Helper()
	r := &recorder{}
	if _, err := verbs.LoadFrom(r); err != nil {
		t.Fatal(err)
	}
	if len(r.asked) == 0 {
		t.Fatal("the bindings look up no function")
	}
	return r.asked
}

// lacking returns the functions that the bindings look up and the release has not, by its facts.
func lacking(t *testing.T, release *api.Release) []bound {
	t.Helper()
	var out []bound
	for _, b := range allBound(t) {
		if !slices.ContainsFunc(release.Functions, func(f api.Function) bool {
			return f.Name == b.name && f.Kind != api.Inline && f.Version == b.version
		}) {
			out = append(out, b)
		}
	}
	return out
}

// TestSymbols looks up every bound function: the library has those that its release's facts have, in that version.
func TestSymbols(t *testing.T) {
	lib := library(t)
	release := facts(t, lib)
	absent := lacking(t, release)
	var names []string
	for _, b := range allBound(t) {
		have, want := lib.Symbol(b.name, b.version) != 0, !slices.Contains(absent, b)
		if have != want {
			t.Errorf("%s at %s: in the library %v, in the facts of %s %v", b.name, b.version, have, release.Release, want)
		}
		if !want {
			names = append(names, b.name)
			continue
		}
		if lib.Symbol(b.name, b.version) != lib.Symbol(b.name, "") {
			t.Errorf("%s: %s is not the default version", b.name, b.version)
		}
	}
	if *releaseFlag != "" { // make libs shows it
		fmt.Printf("libibverbs %s with C library %s: %d functions bound; lacking: %s\n",
			lib.Release(), libcVersion(), len(allBound(t)), cmp.Or(strings.Join(names, " "), "none"))
	}
}

// TestWithoutDevice calls what needs no device.
func TestWithoutDevice(t *testing.T) {
	loaded := library(t)
	lib, err := verbs.Load(verbs.Path(*libraryFlag))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verbs.Load(verbs.Path(loaded.Path())); err != nil {
		t.Errorf("the same library by its full name: %v", err)
	}
	if _, err := verbs.Load(verbs.Path("/nowhere/libibverbs.so.1")); err == nil || !strings.Contains(err.Error(), loaded.Path()) {
		t.Errorf("another library: %v", err)
	}
	lacks := loaded.Symbol("ibv_import_device", "IBVERBS_1.10") == 0
	if _, err := lib.ImportDevice(-1); err == nil || errors.Is(err, errors.ErrUnsupported) != lacks {
		t.Errorf("ImportDevice of no descriptor: %v", err)
	}
	devices, err := lib.Devices()
	_, none := os.Stat(sysfs.Path("class/infiniband_verbs"))
	switch {
	case none == nil && err != nil:
		t.Errorf("Devices: %v", err)
	case none == nil:
		for _, d := range devices {
			t.Logf("device %s", d.Name)
		}
	case !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "kernel has no RDMA"):
		t.Errorf("without RDMA in the kernel Devices = %v, %v", devices, err)
	}
	if _, err := lib.OpenDevice("no-such-device"); err == nil {
		t.Error("a device that is not there opens")
	}
}
