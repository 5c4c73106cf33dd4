//go:build linux && cgo

package dmbench_test

import (
	"errors"
	"testing"

	"github.com/verbsgen/verbsgen/conformance/bench/dmbench"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem"
	"github.com/verbsgen/verbsgen/runtime/gensupport/devmem/fakeprov"
)

func TestMeasureErrors(t *testing.T) {
	s, _ := subject(t, fakeprov.Words, devmem.Shim)
	if _, err := dmbench.Measure(s, 2<<20, false); err == nil {
		t.Error("no error for a copy that the provider refuses")
	}
	if _, err := dmbench.Measure(s, 0, false); err == nil {
		t.Error("no error for copies of no bytes")
	}
	broken := errors.New("broken")
	s.Read = func([]byte, int) error { return broken }
	if _, err := dmbench.Measure(s, 64, true); !errors.Is(err, broken) {
		t.Errorf("error of the subject: %v", err)
	}
}
