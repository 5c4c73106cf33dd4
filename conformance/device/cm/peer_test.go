//go:build linux && cgo

package cm

import (
	"bytes"
	"net/netip"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
)

// words are what a program says in its two outputs. They are kept apart, as the program keeps back a part of the first.
type words struct{ out, err bytes.Buffer }

func (w *words) String() string { return w.out.String() + w.err.String() }

// peer starts a program of rdmacm-utils, or skips the test.
func peer(t *testing.T, program string, args ...string) (*exec.Cmd, *words) {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		lacking(t)("rdmacm-utils is not installed: %v", err)
	}
	var said words
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Stdout, cmd.Stderr = &said.out, &said.err
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // of one that has ended
	return cmd, &said
}

// ended waits for the end of the program.
func ended(t *testing.T, cmd *exec.Cmd, said *words) {
	t.Helper()
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Signal(os.Kill) })
	defer late.Stop()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: %v\n%s", cmd.Args, err, said)
	}
}

// connected connects to a program that may not listen yet. prepare posts the receives of a queue pair before it is connected.
func (b *bed) connected(t *testing.T, c *rdmacm.EventChannel, at netip.AddrPort, prepare func(*end)) *end {
	t.Helper()
	for begin := time.Now(); ; {
		e := newEnd(t, b.resolved(t, c, at))
		prepare(e)
		check(t, e.id.Connect(rdmacm.ConnAttr{ResponderResources: 1, InitiatorDepth: 1, RetryCount: 5, RNRRetryCount: 7}))
		ev := must(c.Next(t.Context()))(t)
		if ev.Type == rdmacm.EventTypeEstablished {
			return e
		}
		if ev.Type != rdmacm.EventTypeRejected || time.Since(begin) > patience {
			t.Fatalf("event %v, status %d", ev.Type, ev.Status)
		}
		e.close(t)
		time.Sleep(50 * time.Millisecond)
	}
}
