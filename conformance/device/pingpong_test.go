//go:build linux && cgo

package device

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/examples/rcpingpong/pingpong"
)

// game is what both sides must agree on, and how each waits.
type game struct {
	name   string
	size   int
	iters  int
	events bool
}

// games include a message of one byte, and one that ends in a packet of 673 bytes.
var games = []game{
	{"polling", 4096, 100, false},
	{"events", 4096, 100, true},
	{"one byte", 1, 20, false},
	{"long", 100001, 10, true},
}

func (g game) options() pingpong.Options {
	return pingpong.Options{IBPort: 1, GIDIndex: 0, Size: g.size, Iters: g.iters, Events: g.events, Check: true, Timeout: 20 * time.Second}
}

// compare holds what the C program printed against what our side knows.
func (g game) compare(t *testing.T, r *pingpong.Result, printed string) {
	t.Helper()
	for _, want := range []string{
		fmt.Sprintf("local address:  %v\n", r.Peer),
		fmt.Sprintf("remote address: %v\n", r.Self),
		fmt.Sprintf("%d bytes in ", r.Bytes),
		fmt.Sprintf("%d iters in ", g.iters),
	} {
		if !strings.Contains(printed, want) {
			t.Errorf("the C program did not print %q", want)
		}
	}
	if t.Failed() {
		t.Logf("it printed:\n%s", printed)
	}
	t.Logf("%d messages of %d bytes each way: %.1f us/iter", g.iters, g.size, float64(r.Duration.Microseconds())/float64(g.iters))
}

// TestPingPong plays with the C program in both roles. As client, our side sees each message come back as it was.
func TestPingPong(t *testing.T) {
	for _, g := range games {
		t.Run("C server/"+g.name, func(t *testing.T) { g.withServerInC(t, open(t)) })
		t.Run("C client/"+g.name, func(t *testing.T) { g.withClientInC(t, open(t)) })
	}
}

func (g game) withServerInC(t *testing.T, b *bed) {
	port := freePort(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server, out := g.command(ctx, t, b.name, port)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() {
		exited <- server.Wait()
		cancel()
	}()
	at := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	r, err := pingpong.Play(ctx, b.dev, at, g.options())
	for errors.Is(err, syscall.ECONNREFUSED) && ctx.Err() == nil { // it does not listen yet
		time.Sleep(20 * time.Millisecond)
		r, err = pingpong.Play(ctx, b.dev, at, g.options())
	}
	if err != nil {
		cancel()
		t.Fatalf("client: %v; server: %v\n%s", err, <-exited, out)
	}
	if err := <-exited; err != nil {
		t.Fatalf("server: %v\n%s", err, out)
	}
	g.compare(t, r, out.String())
}

func (g game) withClientInC(t *testing.T, b *bed) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ln := must((&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"))(t)
	client, out := g.command(ctx, t, b.name, ln.Addr().(*net.TCPAddr).Port, "127.0.0.1")
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() {
		err := client.Wait()
		if err != nil {
			cancel()
		}
		exited <- err
	}()
	r, err := pingpong.Serve(ctx, b.dev, ln, g.options())
	if err != nil {
		cancel()
		t.Fatalf("server: %v; client: %v\n%s", err, <-exited, out)
	}
	if err := <-exited; err != nil {
		t.Fatalf("client: %v\n%s", err, out)
	}
	g.compare(t, r, out.String())
	if want := bytes.Repeat([]byte{0x7b}, g.size); !bytes.Equal(r.Last, want) { // what the C program fills its memory with
		t.Errorf("the last message begins with %x", r.Last[:min(16, len(r.Last))])
	}
}

// command prepares the C program, as server without a host.
func (g game) command(ctx context.Context, t *testing.T, device string, port int, host ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	const program = "ibv_rc_pingpong"
	args := []string{"-d", device, "-g", "0", "-p", strconv.Itoa(port), "-s", strconv.Itoa(g.size), "-n", strconv.Itoa(g.iters)}
	if g.events {
		args = append(args, "-e")
	}
	if _, err := exec.LookPath(program); err != nil {
		lacking(t, "%v; it is in the Debian package ibverbs-utils", err)
	}
	out := &bytes.Buffer{}
	c := exec.CommandContext(ctx, program, append(args, host...)...)
	c.Stdout, c.Stderr, c.WaitDelay = out, out, time.Second
	return c, out
}

// freePort returns a TCP port that nobody listens on just now.
func freePort(t *testing.T) int {
	t.Helper()
	ln := must(net.Listen("tcp", ":0"))(t)
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}
