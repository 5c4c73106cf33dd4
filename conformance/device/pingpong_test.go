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
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

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
	e          *endpoint.Endpoint
	setup      verbs.RCSetup
	came       chan verbs.WC
	self, peer address
}

// newPlayer returns our side, which the end of the test closes.
func newPlayer(t *testing.T, dev *verbs.Device, size int) *player {
	t.Helper()
	p := &player{came: make(chan verbs.WC, 4)}
	p.e = must(endpoint.New(dev, endpoint.Config{Sends: 1, SendSize: size, Recvs: 4, RecvSize: size,
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

// meet connects to the address that the client tells, and answers with our own, which the client confirms.
func (p *player) meet(conn net.Conn) error {
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
	a = &p.self
	if _, err := fmt.Fprintf(conn, "%04x:%06x:%06x:%x\x00", a.LID, a.QPN, a.PSN, a.GID[:]); err != nil {
		return err
	}
	said := make([]byte, len("done\x00"))
	if _, err := io.ReadFull(conn, said); err != nil || string(said) != "done\x00" {
		return fmt.Errorf("the client confirms with %q: %v", said, err)
	}
	return nil
}

// play sends back each message that comes, and compares it with expect.
func (p *player) play(ctx context.Context, iters int, expect []byte) error {
	s, err := p.e.Slot(ctx)
	if err != nil {
		return err
	}
	defer s.Free()
	s.Send(len(expect))
	for i := range iters {
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
		if _, err := s.Do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// TestPingPong plays with ibv_rc_pingpong as its server, with messages of one byte too, and with some that end in a packet of 673 bytes.
// With a depth of 40 the program posts receives anew while it plays. Our queue pair stays until it has ended, so that its last message is
// acknowledged.
func TestPingPong(t *testing.T) {
	const program = "ibv_rc_pingpong"
	if _, err := exec.LookPath(program); err != nil {
		lacking(t, "%v; it is in the Debian package ibverbs-utils", err)
	}
	for size, iters := range map[int]int{1: 20, 4096: 100, 100001: 10} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			b := open(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			p := newPlayer(t, b.dev, size)
			ln := must((&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0"))(t)
			defer context.AfterFunc(ctx, func() { ln.Close() })()
			var out bytes.Buffer
			c := exec.CommandContext(ctx, program, "-d", b.name, "-g", "0", "-p", strconv.Itoa(ln.Addr().(*net.TCPAddr).Port), "-s",
				strconv.Itoa(size), "-n", strconv.Itoa(iters), "-r", "40", "-e", "127.0.0.1")
			c.Stdout, c.Stderr, c.WaitDelay = &out, &out, time.Second
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			exited := make(chan error, 1)
			go func() {
				err := c.Wait()
				if err != nil {
					cancel()
				}
				exited <- err
			}()
			conn := must(ln.Accept())(t)
			defer conn.Close()
			err := errors.Join(conn.SetDeadline(time.Now().Add(40*time.Second)), p.meet(conn))
			if err == nil {
				err = p.play(ctx, iters, bytes.Repeat([]byte{0x7b}, size)) // what the C program fills its memory with
			}
			if err != nil {
				cancel()
			}
			if ended := <-exited; err != nil || ended != nil {
				t.Fatalf("our side: %v; the C program: %v\n%s", err, ended, &out)
			}
			for _, want := range []string{fmt.Sprintf("local address:  %v\n", p.peer), fmt.Sprintf("remote address: %v\n", p.self),
				fmt.Sprintf("%d bytes in ", 2*size*iters), fmt.Sprintf("%d iters in ", iters)} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("the C program did not print %q, but\n%s", want, &out)
				}
			}
		})
	}
}
