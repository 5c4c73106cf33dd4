//go:build linux && cgo

package main

import (
	_ "embed"
	"errors"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// TestPlay has two sides play on a software device, or on the one that VERBS_DEVICE names.
func TestPlay(t *testing.T) {
	name, load := os.Getenv("VERBS_DEVICE"), func() (*verbs.Lib, error) { return verbs.Load() }
	if name == "" {
		name = "soft0"
		soft := softverbs.New(softverbs.Name(name))
		defer soft.Close()
		load = func() (*verbs.Lib, error) { return verbs.LoadFrom(soft) }
	}
	lib, err := load()
	if err != nil {
		t.Fatal(err)
	}
	near, far := net.Pipe()
	other := make(chan error)
	go func() { other <- play(lib, name, far, false) }()
	if err := errors.Join(play(lib, name, near, true), <-other); err != nil {
		t.Error(err)
	}
}

//go:embed main.go
var source string

// TestLength keeps what a user reads first short: play, and all that it needs, takes at most 60 lines of code.
func TestLength(t *testing.T) {
	_, body, _ := strings.Cut(source, "func play")
	lines := 0
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			lines++
		}
	}
	if lines > 60 {
		t.Errorf("play has %d lines of code", lines)
	}
}
