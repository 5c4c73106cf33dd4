//go:build linux && cgo

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

const received = `received "message 0"
received "message 1"
received "message 2"
waiting for one more: context deadline exceeded
`

// TestRun runs the program on a software device.
func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, "", time.Minute); err != nil {
		t.Fatal(err)
	}
	const want = received + `waiting at most 1m0s until the port is up again
event of the device: PORT_ERR, port 1
event of the device: PORT_ACTIVE, port 1
`
	if got := out.String(); got != want {
		t.Errorf("printed\n%swant\n%s", got, want)
	}
}

// TestDevice runs the program on the device that VERBS_DEVICE names, where nobody pulls a cable.
func TestDevice(t *testing.T) {
	device := os.Getenv("VERBS_DEVICE")
	if device == "" {
		t.Skip("VERBS_DEVICE names no device")
	}
	var out strings.Builder
	if err := run(t.Context(), &out, device, 50*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.HasPrefix(got, received+"waiting at most 50ms") {
		t.Errorf("printed\n%swant at first\n%s", got, received)
	}
}

// TestCancelled ends the wait for messages by its context.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, io.Discard, "", time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}
