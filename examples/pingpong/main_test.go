//go:build linux && cgo

package main

import (
	"context"
	_ "embed"
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/runtime/softcm"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// both has two sides play.
func both(t *testing.T, side func(ctx context.Context, first bool) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	other := make(chan error)
	go func() { other <- side(ctx, false) }()
	if err := errors.Join(side(ctx, true), <-other); err != nil {
		t.Error(err)
	}
}

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
	sides := map[bool]net.Conn{}
	sides[true], sides[false] = net.Pipe()
	both(t, func(ctx context.Context, first bool) error {
		dev, err := lib.OpenDevice(name)
		if err != nil {
			return errors.Join(err, sides[first].Close())
		}
		return errors.Join(over(ctx, dev, sides[first], first), dev.Close())
	})
}

// TestNoDevice names a device that is not there: the side that waits says so rather than wait.
func TestNoDevice(t *testing.T) {
	soft := softverbs.New()
	defer soft.Close()
	lib, err := verbs.LoadFrom(soft)
	if err != nil {
		t.Fatal(err)
	}
	if err := overTCP(t.Context(), lib, "soft9", "127.0.0.1:0", false); err == nil || !strings.Contains(err.Error(), "soft9") {
		t.Errorf("it ended with %v", err)
	}
}

// TestCM has them connect by rdma_cm on software devices.
func TestCM(t *testing.T) {
	soft := softverbs.New(softverbs.AnotherDevice("soft1"))
	cm := softcm.New(soft)
	lib, err := verbs.LoadFrom(soft)
	if err != nil {
		t.Fatal(err)
	}
	rdma, err := rdmacm.LoadFrom(lib, cm)
	if err != nil {
		t.Fatal(err)
	}
	at := netip.MustParseAddrPort("10.0.0.1:7777")
	both(t, func(ctx context.Context, first bool) error {
		err := overCM(ctx, rdma, at, first)
		for ; first && err != nil && ctx.Err() == nil && strings.Contains(err.Error(), "nobody listens"); time.Sleep(time.Millisecond) {
			err = overCM(ctx, rdma, at, first)
		}
		return err
	})
}

//go:embed main.go
var source string

// TestLength keeps what a user reads first short: over, play, and all that they need, take at most 60 lines of code.
func TestLength(t *testing.T) {
	_, body, _ := strings.Cut(source, "func over(")
	lines := 0
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			lines++
		}
	}
	if lines > 60 {
		t.Errorf("they have %d lines of code", lines)
	}
}
