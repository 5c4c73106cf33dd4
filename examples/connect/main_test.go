//go:build linux && cgo

package main

import (
	"cmp"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestRun runs both sides on a software device and, if VERBS_DEVICE names one, on a real device.
func TestRun(t *testing.T) {
	devices := []string{""}
	if name := os.Getenv("VERBS_DEVICE"); name != "" {
		devices = append(devices, name)
	}
	const want = `client: connected, packets have up to MTU bytes
client: read back "written by the client"
server: the memory has "written by the client"
`
	for _, device := range devices {
		t.Run(cmp.Or(device, "software"), func(t *testing.T) {
			var out strings.Builder
			if err := run(&out, device, "", ""); err != nil {
				t.Fatal(err)
			}
			if got := regexp.MustCompile(`to \d+ bytes`).ReplaceAllString(out.String(), "to MTU bytes"); got != want {
				t.Errorf("printed\n%swant\n%s", got, want)
			}
		})
	}
}
