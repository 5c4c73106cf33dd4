//go:build linux && cgo

package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestRun runs the program on a software device and, if VERBS_DEVICE names one, on a real device.
func TestRun(t *testing.T) {
	devices := []string{""}
	if name := os.Getenv("VERBS_DEVICE"); name != "" {
		devices = append(devices, name)
	}
	const want = `posted 8 receives for 3 clients
receive N got from client 0: message 0 of client 0
receive N got from client 1: message 0 of client 1
receive N got from client 2: message 0 of client 2
receive N got from client 0: message 1 of client 0
receive N got from client 1: message 1 of client 1
receive N got from client 2: message 1 of client 2
event: fewer than 4 receives are left
posted 6 receives again; the next event comes when fewer than 4 are left
`
	for _, device := range devices {
		t.Run(cmp.Or(device, "software"), func(t *testing.T) {
			var out strings.Builder
			if err := run(t.Context(), &out, device); err != nil {
				t.Fatal(err)
			}
			// which of the receives a message gets is up to the device
			got := regexp.MustCompile(`receive \d`).ReplaceAllString(out.String(), "receive N")
			if got != want {
				t.Errorf("printed\n%swant\n%s", got, want)
			}
		})
	}
}

// TestCancelled ends the wait for messages by its context.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, io.Discard, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
