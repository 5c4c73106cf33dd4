//go:build linux && cgo

package device

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
)

// kinds are the ping-pongs of rdma-core.
var kinds = []kind{
	{program: "ibv_rc_pingpong", queue: verbs.QPTypeRC, queues: 1, told: 1, fill: 0x7b},
	{program: "ibv_uc_pingpong", queue: verbs.QPTypeUC, queues: 1, told: 1, fill: 0x7b},
	{program: "ibv_ud_pingpong", queue: verbs.QPTypeUD, queues: 1, told: 1, fill: 0x7b},
	{program: "ibv_srq_pingpong", queue: verbs.QPTypeRC, queues: 4, told: 256, fill: 0},
}

// game is what both sides must agree on, and how each waits.
type game struct {
	name   string
	size   int
	iters  int
	events bool
}

// games are those of each kind; a datagram is one packet.
var games = []game{
	{"polling", 1000, 100, false},
	{"events", 1000, 100, true},
	{"one byte", 1, 40, true},
}

// long ends in a packet of 673 bytes. Only reliable connections play it.
var long = game{"long", 100001, 10, true}

// player returns our side of a game, which the end of the test closes.
func (g game) player(t *testing.T, k kind, dev *verbs.Device, client bool, expect []byte) *player {
	t.Helper()
	p := &player{kind: k, size: g.size, iters: g.iters, events: g.events, client: client, expect: expect}
	t.Cleanup(func() {
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
	if err := p.open(dev); err != nil {
		t.Fatal(err)
	}
	return p
}

// command prepares the C program, as server without a host. With a depth of 40 it posts receives anew while it plays.
func (g game) command(ctx context.Context, t *testing.T, k kind, device string, port int, host ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	args := []string{"-d", device, "-g", "0", "-p", strconv.Itoa(port), "-s", strconv.Itoa(g.size), "-n", strconv.Itoa(g.iters), "-r", "40"}
	if k.queues > 1 {
		args = append(args, "-q", strconv.Itoa(k.queues))
	}
	if g.events {
		args = append(args, "-e")
	}
	if _, err := exec.LookPath(k.program); err != nil {
		lacking(t, "%v; it is in the Debian package ibverbs-utils", err)
	}
	out := &bytes.Buffer{}
	c := exec.CommandContext(ctx, k.program, append(args, host...)...)
	c.Stdout, c.Stderr, c.WaitDelay = out, out, time.Second
	return c, out
}

// against plays with the C program, of which ours is the client or the server, and compares what it printed. Our queue pairs stay
// until it has ended, so that its last message is acknowledged.
func (g game) against(t *testing.T, k kind, client bool) {
	b := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	expect := pattern(g.size)
	if !client {
		expect = bytes.Repeat([]byte{k.fill}, g.size)
	}
	p := g.player(t, k, b.dev, client, expect)
	var program *exec.Cmd
	var out *bytes.Buffer
	var conn net.Conn
	if client {
		port := freePort(t)
		program, out = g.command(ctx, t, k, b.name, port)
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		conn = dial(ctx, t, port)
	} else {
		ln := must((&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"))(t)
		program, out = g.command(ctx, t, k, b.name, ln.Addr().(*net.TCPAddr).Port, "127.0.0.1")
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		stop := context.AfterFunc(ctx, func() { ln.Close() })
		defer stop()
		conn = must(ln.Accept())(t)
		ln.Close()
	}
	defer conn.Close()
	exited := make(chan error, 1)
	go func() {
		err := program.Wait()
		if err != nil {
			cancel()
		}
		exited <- err
	}()
	began := time.Now()
	err := p.whole(ctx, conn)
	took := time.Since(began)
	if err != nil {
		cancel()
		t.Fatalf("our side: %v; %s: %v\n%s", err, k.program, <-exited, out)
	}
	if err := <-exited; err != nil {
		t.Fatalf("%s: %v\n%s", k.program, err, out)
	}
	g.printed(t, p, out.String())
	t.Logf("%d messages of %d bytes each way over %d queue pairs: %.1f us/iter", g.iters, g.size, k.queues,
		float64(took.Microseconds())/float64(g.iters))
}

// whole plays a game from its beginning to its end.
func (p *player) whole(ctx context.Context, conn net.Conn) error {
	if err := errors.Join(conn.SetDeadline(time.Now().Add(20*time.Second)), p.meet(conn)); err != nil {
		return err
	}
	return p.play(ctx)
}

// dial goes to the TCP port of a program that may not listen yet.
func dial(ctx context.Context, t *testing.T, port int) net.Conn {
	t.Helper()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return conn
		}
		if !errors.Is(err, syscall.ECONNREFUSED) || ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// printed compares what the C program printed with what our side knows.
func (g game) printed(t *testing.T, p *player, text string) {
	t.Helper()
	text = strings.ReplaceAll(text, ": GID", ", GID") // as ibv_ud_pingpong writes it once
	wants := []string{fmt.Sprintf("%d bytes in ", 2*g.size*g.iters), fmt.Sprintf("%d iters in ", g.iters)}
	for i := range p.queues {
		wants = append(wants, fmt.Sprintf("local address:  %v\n", p.peer[i]), fmt.Sprintf("remote address: %v\n", p.self[i]))
	}
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("the C program did not print %q", want)
		}
	}
	if t.Failed() {
		t.Logf("it printed:\n%s", text)
	}
}

// TestPingPongs plays each kind with its C program, in both roles. Each message is compared, on its way and on its way back.
func TestPingPongs(t *testing.T) {
	for _, k := range kinds {
		games := games
		if k.queue == verbs.QPTypeRC {
			games = append(slices.Clip(games), long)
		}
		for _, g := range games {
			t.Run(k.program+"/C server/"+g.name, func(t *testing.T) { g.against(t, k, true) })
			t.Run(k.program+"/C client/"+g.name, func(t *testing.T) { g.against(t, k, false) })
		}
	}
}

// freePort returns a TCP port that nobody listens on just now.
func freePort(t *testing.T) int {
	t.Helper()
	ln := must(net.Listen("tcp", ":0"))(t)
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}
