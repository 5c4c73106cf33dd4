//go:build linux && cgo

package main

import (
	"cmp"
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
	const want = `a datagram has at most as many bytes as the MTU of the port: MTU
sent "lost" with Q_Key 0x55667788: SUCCESS
sent "hello" with Q_Key 0x11223344: SUCCESS
received "hello": 45 bytes, of which the first 40 are for the address of the sender
the completion names the sender: true
sent "hello to you" with Q_Key 0x11223344: SUCCESS
received the answer "hello to you"
`
	for _, device := range devices {
		t.Run(cmp.Or(device, "software"), func(t *testing.T) {
			var out strings.Builder
			if err := run(&out, device, 0); err != nil {
				t.Fatal(err)
			}
			got := regexp.MustCompile(`port: \d+\n`).ReplaceAllString(out.String(), "port: MTU\n")
			if got != want {
				t.Errorf("printed\n%swant\n%s", got, want)
			}
		})
	}
}

// TestNoSuchGID asks for an entry that the GID table does not have.
func TestNoSuchGID(t *testing.T) {
	if err := run(io.Discard, "", 255); err == nil {
		t.Error("accepted")
	}
}
