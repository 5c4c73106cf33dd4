//go:build linux && cgo

package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestRun runs the program on a software device and, if VERBS_DEVICE names one, on a real device.
func TestRun(t *testing.T) {
	devices := []string{""}
	if name := os.Getenv("VERBS_DEVICE"); name != "" {
		devices = append(devices, name)
	}
	for _, device := range devices {
		t.Run(cmp.Or(device, "software"), func(t *testing.T) {
			var out strings.Builder
			if err := run(&out, device); err != nil {
				t.Fatal(err)
			}
			rung(t, out.String(), "device", device != "") // a real one may have no memory
		})
	}
}

// rung checks what was printed.
func rung(t *testing.T, out, where string, orHost bool) {
	t.Helper()
	const words = "3 peers rang the bell in memory of the %s 100 times each; the owner heard 300\n"
	if out != fmt.Sprintf(words, where) && !(orHost && out == fmt.Sprintf(words, "host")) {
		t.Errorf("printed\n%swant\n"+words, out, where)
	}
}

// TestNoMemory runs the program on a device without memory.
func TestNoMemory(t *testing.T) {
	var out strings.Builder
	if err := run(&out, "", softverbs.MaxDMSize(0)); err != nil {
		t.Fatal(err)
	}
	rung(t, out.String(), "host", false)
}

// TestNoAtomics runs the program on a device without atomics.
func TestNoAtomics(t *testing.T) {
	err := run(io.Discard, "", softverbs.AtomicCap(uint32(verbs.AtomicCapNone)))
	if err == nil || !strings.Contains(err.Error(), "soft0 has no atomic operations") {
		t.Errorf("error %v", err)
	}
}
