//go:build linux && cgo

package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestRun runs the program on a software device and, if VERBS_DEVICE names one, on a real device.
func TestRun(t *testing.T) {
	devices := []string{""}
	if name := os.Getenv("VERBS_DEVICE"); name != "" {
		devices = append(devices, name)
	}
	const want = `granted: bytes 128 to 191 of the region
the peer writes "through the window" to byte 128: SUCCESS; the memory has "through the window"
revoked
the peer writes "too late" to byte 128: REM_ACCESS_ERR; the memory has "through the window"
granted again, over a new connection
`
	const refused = `the peer writes "beside the window" to byte 192: REM_ACCESS_ERR; the memory has ""
`
	const allowed = `the peer writes "beside the window" to byte 192: SUCCESS; the memory has "beside the window"
this device compares addresses with the region, not with the window
`
	for _, device := range devices {
		t.Run(cmp.Or(device, "software"), func(t *testing.T) {
			var out strings.Builder
			if err := run(&out, device); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); got != want+refused && (device == "" || got != want+allowed) {
				t.Errorf("printed\n%swant\n%s", got, want+refused)
			}
		})
	}
}

// TestNoWindows runs the program on a device without memory windows.
func TestNoWindows(t *testing.T) {
	err := run(io.Discard, "", softverbs.Fail("ibv_alloc_mw", 1, syscall.EOPNOTSUPP))
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "may have no windows of type 2") {
		t.Errorf("error %v", err)
	}
}
