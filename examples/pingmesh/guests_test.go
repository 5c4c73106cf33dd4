//go:build linux && cgo

package main

import (
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"
)

// idle opens connections to an agent from a host, and says nothing on them.
func idle(t *testing.T, a *agent, host string, n int) (conns []net.Conn) {
	t.Helper()
	from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}
	for range n {
		conn, err := from.DialContext(t.Context(), "tcp", addr(a))
		check(t, err)
		t.Cleanup(func() { conn.Close() })
		conns = append(conns, conn)
	}
	return conns
}

// TestGuests has one host take all connections that it may have: it gets no more, and agents on others are answered.
func TestGuests(t *testing.T) {
	dev := openDevice(t)
	a := started(t, dev, patient(), "127.0.0.1:0")
	conns := idle(t, a, "127.0.0.9", 3*guestsOfOne)
	answer, err := io.ReadAll(conns[len(conns)-1])
	if want := `"refused":"127.0.0.9 has 16 connections here; there may be no more"`; !strings.Contains(string(answer), want) {
		t.Errorf("one more is answered %q, %v", answer, err)
	}
	b := started(t, dev, patient(), "127.0.0.1:0", addr(a))
	if p := probed(t, b).Peers[0]; p.Answered != p.Sent || p.Sent == 0 {
		t.Errorf("%+v", p)
	}
	for _, conn := range conns {
		conn.Close()
	}
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		a.guests.mu.Lock()
		all, hosts := a.guests.all, len(a.guests.of)
		a.guests.mu.Unlock()
		if all == 1 && hosts == 1 { // b
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d connections of %d hosts are left", all, hosts)
		}
	}
}

// TestReason has an agent name the reason for which a peer answers no probes.
func TestReason(t *testing.T) {
	dev := openDevice(t)
	a := started(t, dev, patient(), "127.0.0.1:0")
	a.guests.mu.Lock()
	a.guests.most = 0
	a.guests.mu.Unlock()
	b := started(t, dev, patient(), "127.0.0.1:0", addr(a))
	until(t, b, "the reason", func() bool {
		p := b.peers[0]
		return p.err != nil && strings.Contains(p.err.Error(), `the peer refuses: "0 agents are connected; there may be no more"`)
	})
}

// TestGuestsInAll has many hosts with a few connections each.
func TestGuestsInAll(t *testing.T) {
	g := &guests{most: 4, mostOfOne: 3, of: map[string]int{}}
	for i, c := range []struct{ host, says string }{
		{"a", ""}, {"a", ""}, {"a", ""}, {"a", "a has 3 connections here; there may be no more"}, {"b", ""},
		{"c", "4 agents are connected; there may be no more"},
	} {
		err := g.enter(c.host)
		if c.says == "" && err != nil || c.says != "" && (err == nil || err.Error() != c.says) {
			t.Errorf("%d: %v, want %q", i, err, c.says)
		}
	}
	for _, host := range []string{"a", "b", "a", "a"} {
		g.leave(host)
	}
	if g.all != 0 || len(g.of) != 0 {
		t.Errorf("%d are left, of %v", g.all, g.of)
	}
	var limit syscall.Rlimit
	check(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	if g := newGuests(5); g.most < 1 || uint64(g.most) > uint64(limit.Cur)/2 || g.most > maxGuests || g.mostOfOne != guestsOfOne+5 {
		t.Errorf("of %d descriptors guests have %d, and one host %d", limit.Cur, g.most, g.mostOfOne)
	}
}

// failing is a listener whose first Accepts fail, as for want of descriptors.
type failing struct {
	net.Listener
	left int
}

func (f *failing) Accept() (net.Conn, error) {
	if f.left--; f.left >= 0 {
		return nil, &net.OpError{Op: "accept", Err: errors.Join(syscall.EMFILE)}
	}
	return f.Listener.Accept()
}

// TestAcceptAgain has connections that cannot be accepted: the agent goes on.
func TestAcceptAgain(t *testing.T) {
	dev := openDevice(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	a, err := newAgent(dev, &failing{ln, 3}, patient())
	check(t, err)
	a.start(nil)
	t.Cleanup(a.stop)
	b := started(t, dev, patient(), "127.0.0.1:0", addr(a))
	if p := probed(t, b).Peers[0]; p.Answered != p.Sent || p.Sent == 0 {
		t.Errorf("%+v", p)
	}
	if err := a.failure(); err != nil {
		t.Error(err)
	}
}
