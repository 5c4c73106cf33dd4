//go:build linux && cgo

package device

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

// game is what both sides must agree on, and how the C program waits.
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

// address is what a side tells its peer of its queue pair.
type address struct {
	LID      uint16
	QPN, PSN uint32
	GID      verbs.GID
}

// String is the address as ibv_rc_pingpong prints it.
func (a address) String() string {
	return fmt.Sprintf("LID 0x%04x, QPN 0x%06x, PSN 0x%06x, GID %s", a.LID, a.QPN, a.PSN, a.GID)
}

// player is our side of a game: an endpoint, connected as ibv_rc_pingpong does it.
type player struct {
	game
	e          *endpoint.Endpoint
	setup      verbs.RCSetup
	came       chan verbs.WC
	self, peer address
}

// player returns our side, which the end of the test closes.
func (g game) player(t *testing.T, dev *verbs.Device) *player {
	t.Helper()
	p := &player{game: g, came: make(chan verbs.WC, 4)}
	p.e = must(endpoint.New(dev, endpoint.Config{Sends: 1, SendSize: g.size, Recvs: 4, RecvSize: g.size,
		Handle: func(_ *endpoint.Endpoint, wc verbs.WC) { p.came <- wc }}))(t)
	t.Cleanup(func() {
		if err := p.e.Close(); err != nil {
			t.Error(err)
		}
	})
	port, gid := must(dev.QueryPort(1))(t), must(dev.QueryGID(1, 0))(t)
	p.self = address{port.LID, p.e.QP.Num(), rand.Uint32N(1 << 24), gid}
	p.setup = verbs.RCSetup{PortNum: 1, PathMTU: verbs.MTU1024, SQPSN: p.self.PSN, MaxDestRDAtomic: 1, MaxRDAtomic: 1, MinRNRTimer: 12,
		Timeout: 14, RetryCnt: 7, RNRRetry: 7}
	if err := errors.Join(p.e.QP.Modify(p.setup.Init()), p.e.PostRecvs()); err != nil {
		t.Fatal(err)
	}
	return p
}

// meet tells the peer our address and connects to its own. A server connects before it answers, a client before it confirms.
func (p *player) meet(conn net.Conn, client bool) error {
	tell := func() error {
		a := p.self
		_, err := fmt.Fprintf(conn, "%04x:%06x:%06x:%x\x00", a.LID, a.QPN, a.PSN, a.GID[:])
		return err
	}
	if client {
		if err := tell(); err != nil {
			return err
		}
	}
	a := &p.peer
	line := make([]byte, len("0000:000000:000000:")+2*len(a.GID)+1)
	if _, err := io.ReadFull(conn, line); err != nil {
		return fmt.Errorf("the peer's address: %w", err)
	}
	var gid []byte
	if _, err := fmt.Sscanf(string(line), "%x:%x:%x:%x", &a.LID, &a.QPN, &a.PSN, &gid); err != nil || copy(a.GID[:], gid) != len(a.GID) {
		return fmt.Errorf("the peer's address is %q: %v", line, err)
	}
	p.setup.AV = verbs.AHAttr{PortNum: 1, DLID: a.LID, IsGlobal: true, DGID: a.GID, HopLimit: 64}
	p.setup.DestQPNum, p.setup.RQPSN = a.QPN, a.PSN
	if err := errors.Join(p.e.QP.Modify(p.setup.RTR()), p.e.QP.Modify(p.setup.RTS())); err != nil {
		return fmt.Errorf("connecting to %v: %w", a, err)
	}
	const done = "done\x00"
	if client {
		_, err := io.WriteString(conn, done)
		return err
	}
	if err := tell(); err != nil {
		return err
	}
	said := make([]byte, len(done))
	if _, err := io.ReadFull(conn, said); err != nil || string(said) != done {
		return fmt.Errorf("the client confirms with %q: %v", said, err)
	}
	return nil
}

// play sends back each message that comes, and compares it with expect. A client begins, and sees its own message come back.
func (p *player) play(ctx context.Context, client bool, expect []byte) error {
	s, err := p.e.Slot(ctx)
	if err != nil {
		return err
	}
	defer s.Free()
	s.Send(copy(s.Bytes(), expect))
	if client {
		if _, err := s.Do(ctx); err != nil {
			return err
		}
	}
	for i := range p.iters {
		select {
		case wc := <-p.came:
			got := p.e.Recv(int(wc.ID))[:wc.ByteLen]
			if err := wc.Err(); err != nil || !bytes.Equal(got, expect) {
				return fmt.Errorf("message %d: %v, %d bytes that begin with %x", i, err, len(got), got[:min(8, len(got))])
			}
			copy(s.Bytes(), got)
			if err := p.e.Repost(int(wc.ID)); err != nil {
				return err
			}
		case <-ctx.Done():
			return fmt.Errorf("%d messages came: %w", i, ctx.Err())
		case <-p.e.Done():
			return fmt.Errorf("%d messages came: %w", i, p.e.Err())
		}
		if client && i == p.iters-1 {
			return nil
		}
		if _, err := s.Do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// TestPingPong plays with ibv_rc_pingpong in both roles.
func TestPingPong(t *testing.T) {
	for _, g := range games {
		t.Run("C server/"+g.name, func(t *testing.T) { g.against(t, true) })
		t.Run("C client/"+g.name, func(t *testing.T) { g.against(t, false) })
	}
}

// against plays with the C program, of which ours is the client or the server, and compares what it printed. Our queue pair stays until
// it has ended, so that its last message is acknowledged.
func (g game) against(t *testing.T, client bool) {
	b := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p := g.player(t, b.dev)
	expect := bytes.Repeat([]byte{0x7b}, g.size) // what the C program fills its memory with
	if client {
		for i := range expect {
			expect[i] = byte(i*7 + 1)
		}
	}
	var program *exec.Cmd
	var out *bytes.Buffer
	var conn net.Conn
	if client {
		port := freePort(t)
		program, out = g.command(ctx, t, b.name, port)
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		conn = dial(ctx, t, port)
	} else {
		ln := must((&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"))(t)
		program, out = g.command(ctx, t, b.name, ln.Addr().(*net.TCPAddr).Port, "127.0.0.1")
		if err := program.Start(); err != nil {
			t.Fatal(err)
		}
		defer context.AfterFunc(ctx, func() { ln.Close() })()
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
	err := errors.Join(conn.SetDeadline(began.Add(40*time.Second)), p.meet(conn, client))
	if err == nil {
		err = p.play(ctx, client, expect)
	}
	took := time.Since(began)
	if err != nil {
		cancel()
		t.Fatalf("our side: %v; the C program: %v\n%s", err, <-exited, out)
	}
	if err := <-exited; err != nil {
		t.Fatalf("the C program: %v\n%s", err, out)
	}
	for _, want := range []string{fmt.Sprintf("local address:  %v\n", p.peer), fmt.Sprintf("remote address: %v\n", p.self),
		fmt.Sprintf("%d bytes in ", 2*g.size*g.iters), fmt.Sprintf("%d iters in ", g.iters)} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the C program did not print %q, but\n%s", want, out)
		}
	}
	t.Logf("%d messages of %d bytes each way: %.1f us/iter", g.iters, g.size, float64(took.Microseconds())/float64(g.iters))
}

// command prepares the C program, as server without a host. With a depth of 40 it posts receives anew while it plays.
func (g game) command(ctx context.Context, t *testing.T, device string, port int, host ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	const program = "ibv_rc_pingpong"
	args := []string{"-d", device, "-g", "0", "-p", strconv.Itoa(port), "-s", strconv.Itoa(g.size), "-n", strconv.Itoa(g.iters), "-r", "40"}
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

// freePort returns a TCP port that nobody listens on just now.
func freePort(t *testing.T) int {
	t.Helper()
	ln := must(net.Listen("tcp", ":0"))(t)
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}
