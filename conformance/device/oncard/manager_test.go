//go:build linux && cgo

package oncard

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/conformance/card"
	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/rdmacm/conn"
	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/endpoint"
)

// networkOf is a network on the real librdmacm.
func networkOf(t *testing.T) *conn.Network {
	t.Helper()
	n := must(conn.New(must(rdmacm.Load(must(verbs.Load())(t)))(t)))(t)
	t.Cleanup(func() { _ = n.Close() })
	return n
}

// ownQP makes a queue pair with what it needs.
func ownQP(c *conn.Conn, _ *rdmacm.ConnAttr) (*verbs.QP, error) {
	e, err := c.NewEndpoint(endpoint.Config{})
	if err != nil {
		return nil, err
	}
	return e.QP, nil
}

var dialing = conn.Options{QP: ownQP, Attr: rdmacm.ConnAttr{RetryCount: 7, RNRRetryCount: 7}}

// answer is the child of tests of the connection manager: it accepts one connection after the other.
func answer(t *testing.T) {
	l := must(networkOf(t).Listen(netip.MustParseAddrPort("192.168.77.1:0"), conn.ListenOptions{}))(t)
	fmt.Printf("\x01%v\n", l.Addr())
	for {
		must(l.Accept(t.Context(), dialing))(t)
	}
}

// ended waits for the end of a connection, and compares its reason.
func ended(t *testing.T, c *conn.Conn, want syscall.Errno) {
	t.Helper()
	select {
	case <-c.Done():
	case <-time.After(30 * time.Second):
		t.Fatal("nobody says that the connection has ended")
	}
	if err := c.Err(); !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
}

// TestManagerOfProcesses connects to another process by the real librdmacm. A request that is lost is sent again. The end of the process
// is the end of the connection, and its port can be taken again.
func TestManagerOfProcesses(t *testing.T) {
	cmd, _, out := child(t, "answer")
	at := must(netip.ParseAddrPort(line(t, out)))(t)
	n := networkOf(t)
	if l, err := n.Listen(at, conn.ListenOptions{}); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("listening on the address of another process: %v, %v", l, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	fail(t, card.Devices[0], card.Faults{Lost: 1})
	time.AfterFunc(time.Second, func() { fail(t, card.Devices[0], card.Faults{}) })
	begin := time.Now()
	c := must(n.Dial(ctx, at, dialing))(t)
	if took := time.Since(begin); took < time.Second {
		t.Errorf("connected after %v, though nothing was sent", took)
	}
	must(0, cmd.Process.Kill())(t)
	ended(t, c, syscall.ECONNRESET)
	if _, err := n.Dial(ctx, at, dialing); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("dialing a process that has ended: %v", err)
	}
	l := must(n.Listen(at, conn.ListenOptions{}))(t)
	must(0, errors.Join(c.Close(), l.Close()))(t)
}

// TestManagerOfC runs testdata/manager.c.
func TestManagerOfC(t *testing.T) {
	said, err := exec.Command(compiled(t, "testdata/manager.c", "-D_GNU_SOURCE", "-lrdmacm")).CombinedOutput()
	if err != nil || len(said) > 0 {
		t.Errorf("%v\n%s", err, said)
	}
}

// TestManagerRemoved removes a device that has a connection, which both ends learn, and gives it back.
func TestManagerRemoved(t *testing.T) {
	n := networkOf(t)
	l := must(n.Listen(netip.MustParseAddrPort("192.168.77.1:0"), conn.ListenOptions{}))(t)
	accepted := make(chan *conn.Conn, 1)
	go func() {
		c, err := l.Accept(t.Context(), dialing)
		if err != nil {
			t.Error(err)
		}
		accepted <- c
	}()
	from := dialing
	from.From = netip.MustParseAddrPort("192.168.77.2:0")
	c := must(n.Dial(t.Context(), l.Addr(), from))(t)
	server := <-accepted
	fail(t, card.Devices[0], card.Faults{Removed: true})
	ended(t, server, syscall.ENODEV)
	ended(t, c, syscall.ECONNRESET)
	fail(t, card.Devices[0], card.Faults{})
	for _, c := range []*conn.Conn{c, server} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	_ = l.Close()
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		l, err := n.Listen(netip.MustParseAddrPort("192.168.77.1:0"), conn.ListenOptions{})
		if err == nil {
			must(0, l.Close())(t)
			return
		}
		if time.Since(begin) > 30*time.Second {
			t.Fatalf("the device is back: %v", err)
		}
	}
}
