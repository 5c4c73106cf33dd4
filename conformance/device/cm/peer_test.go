//go:build linux && cgo

package cm

import (
	"bytes"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
)

// What ucmatose does: the server sends messages of the client's count and size, the client answers with as many.
const (
	peerCount = 10
	peerSize  = 100
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

// TestPeerConnects has the C program connect to a server in Go.
func TestPeerConnects(t *testing.T) {
	b := kernelBed(t)
	c := b.channel(t)
	_, at := b.listen(t, c)
	cmd, said := peer(t, "ucmatose", "-s", b.server.String(), "-b", b.client.String(), "-p", strconv.Itoa(int(at.Port())), "-C",
		strconv.Itoa(peerCount), "-S", strconv.Itoa(peerSize))
	ev := next(t, c, rdmacm.EventTypeConnectRequest)
	e := newEnd(t, ev.ID, 4096)
	for i := range peerCount {
		receive(t, e, i*peerSize, peerSize)
	}
	check(t, e.id.Accept(rdmacm.ConnAttr{ResponderResources: 1, InitiatorDepth: 1, RNRRetryCount: 7}))
	next(t, c, rdmacm.EventTypeEstablished)
	for range peerCount {
		send(t, e, peerSize)
	}
	for range 2 * peerCount {
		completed(t, e)
	}
	check(t, e.id.Disconnect()) // the program waits for it
	next(t, c, rdmacm.EventTypeDisconnected)
	ended(t, cmd, said)
	e.close(t)
	check(t, e.dev.Close())
}

// TestPeerListens connects to the C program.
func TestPeerListens(t *testing.T) {
	b := kernelBed(t)
	c := b.channel(t)
	const port = 7471 // of the program
	cmd, said := peer(t, "ucmatose", "-b", b.server.String(), "-C", strconv.Itoa(peerCount), "-S", strconv.Itoa(peerSize))
	at := netip.AddrPortFrom(b.server, port)
	e := b.connected(t, c, at, func(e *end) {
		for i := range peerCount {
			receive(t, e, i*peerSize, peerSize)
		}
	})
	for range peerCount { // what the server sends
		completed(t, e)
	}
	for range peerCount {
		send(t, e, peerSize)
	}
	for range peerCount {
		completed(t, e)
	}
	next(t, c, rdmacm.EventTypeDisconnected)
	check(t, e.id.Disconnect())
	ended(t, cmd, said)
	e.close(t)
	check(t, e.dev.Close())
}

// connected connects to a program that may not listen yet. prepare posts the receives of a queue pair before it is connected.
func (b *bed) connected(t *testing.T, c *rdmacm.EventChannel, at netip.AddrPort, prepare func(*end)) *end {
	t.Helper()
	for begin := time.Now(); ; {
		e := newEnd(t, b.resolved(t, c, at), 4096)
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
