//go:build linux && cgo

package device

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/verbsgen/verbsgen/conformance/internal/census"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/gensupport/dl"
)

var deviceFlag = flag.String("device", os.Getenv("VERBS_DEVICE"),
	"device to test, which must be there (default: the first, if there is one)")

// bed is an open device.
type bed struct {
	name string
	lib  *verbs.Lib
	dev  *verbs.Device
}

// lacking skips the test, or fails it where a device was named.
func lacking(t *testing.T, format string, args ...any) {
	t.Helper()
	if *deviceFlag != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// library returns the real libibverbs and the name of the device to test.
func library(t *testing.T) (*dl.Library, string) {
	t.Helper()
	real, err := dl.Open("")
	if err != nil {
		lacking(t, "no libibverbs: %v", err)
	}
	lib := must(verbs.LoadFrom(real))(t)
	list, err := lib.Devices()
	if err != nil {
		lacking(t, "no RDMA: %v", err)
	}
	if len(list) == 0 {
		lacking(t, "no RDMA device")
	}
	if *deviceFlag != "" {
		return real, *deviceFlag
	}
	return real, list[0].Name
}

// open opens the device. At the end of the test everything is closed, and the kernel has as many objects as before.
func open(t *testing.T) *bed {
	t.Helper()
	real, name := library(t)
	lib := must(verbs.LoadFrom(real))(t)
	before := resources(t, name)
	dev := must(lib.OpenDevice(name))(t)
	t.Cleanup(func() {
		if err := dev.CloseAll(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Errorf("closing: %v", err)
		}
		if after := resources(t, name); after != before {
			t.Errorf("objects of the kernel before %q, after %q", before, after)
		}
	})
	return &bed{name, lib, dev}
}

// resources returns the kernel's count of a device's objects, or nothing where the kernel does not tell.
func resources(t *testing.T, device string) string {
	t.Helper()
	counts, err := census.Count(device)
	if err != nil {
		t.Log(err)
		return ""
	}
	return fmt.Sprint(counts)
}

// must fails the test on an error.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// kernelRelease returns the release of the running kernel, "6.1.0-50-amd64", and its series, "6.1".
func kernelRelease(t *testing.T) (release, series string) {
	t.Helper()
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		t.Fatal(err)
	}
	release = unix.ByteSliceToString(u.Release[:])
	parts := strings.SplitN(release, ".", 3)
	if len(parts) < 3 {
		t.Fatalf("kernel release %q", release)
	}
	return release, parts[0] + "." + parts[1]
}
