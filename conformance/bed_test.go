//go:build linux

package conformance

import (
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// bed is an open software device.
type bed struct {
	soft *softverbs.Device
	lib  *verbs.Lib
	dev  *verbs.Device
}

// open gives a software device that is closed, with all that was made from it, at the end of the test.
func open(t *testing.T, opts ...softverbs.Option) *bed {
	t.Helper()
	soft := softverbs.New(append([]softverbs.Option{softverbs.Name("soft0")}, opts...)...)
	t.Cleanup(func() { soft.Close() })
	lib, err := verbs.LoadFrom(soft)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := lib.OpenDevice("soft0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.CloseAll(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return &bed{soft, lib, dev}
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
