//go:build linux && cgo

package main

import (
	"cmp"
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
	const want = "3 peers rang the bell in device memory 100 times each; the owner heard 300\n"
	for _, device := range devices {
		t.Run(cmp.Or(device, "software"), func(t *testing.T) {
			var out strings.Builder
			if err := run(&out, device); err != nil {
				t.Fatal(err)
			}
			if out.String() != want {
				t.Errorf("printed\n%swant\n%s", out.String(), want)
			}
		})
	}
}

// TestNoAtomics runs the program on a device without atomics.
func TestNoAtomics(t *testing.T) {
	err := run(io.Discard, "", softverbs.AtomicCap(uint32(verbs.AtomicCapNone)))
	if err == nil || !strings.Contains(err.Error(), "soft0 has no atomic operations") {
		t.Errorf("error %v", err)
	}
}
