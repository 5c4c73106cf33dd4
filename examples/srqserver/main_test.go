//go:build linux && cgo

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/examples/internal/start"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// TestRun runs the program on a software device and, if VERBS_DEVICE names one, on a real device.
func TestRun(t *testing.T) {
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
	for _, device := range slices.Compact([]string{"", os.Getenv("VERBS_DEVICE")}) {
		var out strings.Builder
		err := start.On(device, func(dev *verbs.Device) error { return run(t.Context(), &out, dev) })
		// which of the receives a message gets is up to the device
		got := regexp.MustCompile(`receive \d`).ReplaceAllString(out.String(), "receive N")
		if err != nil || got != want {
			t.Errorf("device %q: %v, printed\n%swant\n%s", device, err, got, want)
		}
	}
}

// TestCancelled ends the wait for messages by its context.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := start.On("", func(dev *verbs.Device) error { return run(ctx, io.Discard, dev) })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
