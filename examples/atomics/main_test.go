//go:build linux && cgo

package main

import (
	"cmp"
	"io"
	"os"
	"regexp"
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
	const want = `DEVICE has atomics: HCA
client 0 added 1 to 0
client 1 added 1 to 1
both counted on to 100 at the same time: the counter is 200
client 0 wants the lock: it was 0, got it: true
client 1 wants the lock: it was 1000, got it: false
`
	for _, device := range devices {
		t.Run(cmp.Or(device, "software"), func(t *testing.T) {
			var out strings.Builder
			if err := run(&out, device); err != nil {
				t.Fatal(err)
			}
			got := regexp.MustCompile(`^\w+ has atomics: (HCA|GLOB)`).ReplaceAllString(out.String(), "DEVICE has atomics: HCA")
			if got != want {
				t.Errorf("printed\n%swant\n%s", got, want)
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
