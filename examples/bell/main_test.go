//go:build linux && cgo

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/examples/internal/start"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// rung runs the program on a device, and returns what was printed.
func rung(t *testing.T, device string, opts ...softverbs.Option) (string, error) {
	var out strings.Builder
	err := start.On(device, func(dev *verbs.Device) error { return ring(t.Context(), &out, dev) }, opts...)
	return out.String(), err
}

// heard is what the program prints of a bell in memory of the device, or of the host.
func heard(where string) string {
	return fmt.Sprintf("3 peers rang the bell in memory of the %s 100 times each; the owner heard 300\n", where)
}

// TestRun runs the program on a software device and, if VERBS_DEVICE names one, on a real device, which may have no memory.
func TestRun(t *testing.T) {
	for _, device := range slices.Compact([]string{"", os.Getenv("VERBS_DEVICE")}) {
		if out, err := rung(t, device); err != nil || out != heard("device") && (device == "" || out != heard("host")) {
			t.Errorf("device %q: %v, printed\n%s", device, err, out)
		}
	}
}

// TestNoMemory runs the program on a device without memory.
func TestNoMemory(t *testing.T) {
	if out, err := rung(t, "", softverbs.MaxDMSize(0)); err != nil || out != heard("host") {
		t.Errorf("%v, printed\n%s", err, out)
	}
}

// TestNoAtomics runs the program on a device without atomics.
func TestNoAtomics(t *testing.T) {
	_, err := rung(t, "", softverbs.AtomicCap(uint32(verbs.AtomicCapNone)))
	if err == nil || !strings.Contains(err.Error(), "no atomic operations") {
		t.Errorf("error %v", err)
	}
}
