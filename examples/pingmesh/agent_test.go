//go:build linux && cgo

package main

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/verbs"
	"github.com/verbsgen/verbsgen/gen/verbs/connect"
	"github.com/verbsgen/verbsgen/gen/verbs/verbstest"
	"github.com/verbsgen/verbsgen/runtime/gensupport/allocs"
	"github.com/verbsgen/verbsgen/runtime/softverbs"
)

// check ends the test if there is an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// patient are options for tests: probes get lost only where they must.
func patient() *options {
	return &options{port: 1, gid: -1, interval: time.Millisecond, timeout: 20 * time.Second, count: 3, size: 64, keep: 100,
		retry: 5 * time.Millisecond}
}

func openDevice(t *testing.T, opts ...softverbs.Option) *verbs.Device {
	t.Helper()
	_, dev := verbstest.Open(t, opts...)
	t.Cleanup(func() { check(t, dev.CloseAll()) }) // also what agents leave to it
	return dev
}

// started starts an agent at a TCP address, which has met its peers.
func started(t *testing.T, dev *verbs.Device, o *options, at string, peers ...string) *agent {
	t.Helper()
	ln, err := net.Listen("tcp", at)
	check(t, err)
	a, err := newAgent(dev, ln, o)
	check(t, err)
	a.start(peers)
	t.Cleanup(a.stop)
	a.meet(t.Context())
	return a
}

func addr(a *agent) string { return a.ln.Addr().String() }

// until waits for a condition of an agent.
func until(t *testing.T, a *agent, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		a.mu.Lock()
		ok := cond()
		a.mu.Unlock()
		if ok {
			return
		}
	}
	t.Fatalf("waited in vain: %s", what)
}

func probed(t *testing.T, a *agent) *report {
	t.Helper()
	check(t, a.probe(t.Context()))
	return a.report()
}

// TestDeadPeers probes an agent that answers, one whose queue pair is gone, one that nobody ever met, and the agent itself.
func TestDeadPeers(t *testing.T) {
	dev := openDevice(t)
	alive := started(t, dev, patient(), "127.0.0.1:0")
	dead := started(t, dev, patient(), "127.0.0.1:0")
	refusing, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	refusing.Close()

	o := patient()
	o.timeout = 500 * time.Millisecond
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	a, err := newAgent(dev, ln, o)
	check(t, err)
	a.start([]string{addr(alive), addr(dead), refusing.Addr().String(), addr(a)})
	defer a.stop()
	a.meet(t.Context())
	check(t, dead.q.qp.Close())
	r := probed(t, a)
	if len(r.Peers) != 3 {
		t.Fatalf("%d peers: %+v", len(r.Peers), r.Peers)
	}
	if p := r.Peers[1]; p.counts != (counts{Sent: 3, Lost: 3}) || p.RTT != nil {
		t.Errorf("dead: %+v", p)
	}
	if p := r.Peers[2]; p.counts != (counts{Unsent: 3}) || p.Error == "" {
		t.Errorf("never met: %+v", p)
	}
	if p := r.Peers[0]; p.Sent != 3 || p.Answered+p.Lost != 3 {
		t.Errorf("alive: %+v", p)
	}
}

// TestRestart has a peer end and another agent come to its address, as after an update.
func TestRestart(t *testing.T) {
	dev := openDevice(t)
	first := started(t, dev, patient(), "127.0.0.1:0")
	a := started(t, dev, patient(), "127.0.0.1:0", addr(first))
	if p := probed(t, a).Peers[0]; p.Answered != 3 {
		t.Errorf("before: %+v", p)
	}
	p, old := a.peers[0], a.peers[0].via.qpn
	if len(p.samples.last) != 0 {
		t.Errorf("%d samples are left after the report", len(p.samples.last))
	}
	first.stop()
	until(t, a, "the connection has ended", func() bool { return p.err != nil })
	second := started(t, dev, patient(), addr(first))
	until(t, a, "the peer was met again", func() bool { return p.err == nil && p.via.qpn != old && p.via.qpn == second.q.qp.Num() })
	if p := probed(t, a).Peers[0]; p.Answered != 3 || p.Error != "" {
		t.Errorf("after: %+v", p)
	}
}

// itself is the way of an agent to itself.
func itself(t *testing.T, dev *verbs.Device, a *agent) *route {
	t.Helper()
	e, err := dev.ChooseGID(1)
	check(t, err)
	ah, err := a.q.pd.CreateAH(verbs.AHAttr{PortNum: 1, IsGlobal: true, DGID: e.GID, SGIDIndex: uint8(e.GIDIndex), HopLimit: 64})
	check(t, err)
	info, _, err := a.q.qp.Query(verbs.QPFieldQKey)
	check(t, err)
	return &route{ah: ah, qpn: a.q.qp.Num(), qkey: info.QKey}
}

// TestForeign sends an agent datagrams that are not of a known agent, in a number that needs receives posted again.
func TestForeign(t *testing.T) {
	dev := openDevice(t)
	other := started(t, dev, patient(), "127.0.0.1:0")
	a := started(t, dev, patient(), "127.0.0.1:0", addr(other))
	started(t, dev, patient(), "127.0.0.1:0", addr(a)) // it has the number 0
	stranger, err := newQueues(dev, patient())
	check(t, err)
	way := itself(t, dev, a)
	sent := 0
	send := func(k kind, number uint32, size int, damage func(b []byte)) {
		t.Helper()
		way.number = number
		if added, err := stranger.add(slot{packet: packet{Kind: k}, via: way}, size); err != nil || !added {
			t.Fatal(added, err)
		}
		damage(stranger.out[sent%sendDepth*64:][:64])
		check(t, stranger.flush())
		stranger.done++
		sent++
		until(t, a, "the datagram was ignored", func() bool { return a.foreign == uint64(sent) })
		var wcs [1]verbs.WCEx
		for n := 0; n == 0; {
			if n, err = stranger.reader.PollInto(wcs[:]); err != nil {
				t.Fatal(err)
			}
		}
	}
	nothing := func([]byte) {}
	send(probing, 1, 64, func(b []byte) { copy(b, "garbage") })
	send(probing, 1, 64, func(b []byte) { b[4]++ })
	send(probing, 1, 8, nothing)
	send(probing, 1, 0, nothing)
	send(probing, 1, 64, nothing) // nobody has this number
	send(probing, 0, 64, nothing) // somebody else has it
	send(ack1, 0, 64, nothing)
	send(ack1, 1<<30, 64, nothing)
	for range recvDepth {
		send(probing, 1, 64, nothing)
	}
	r := probed(t, a)
	if p := r.Peers[0]; p.Answered != 3 || r.Foreign != uint64(sent) {
		t.Errorf("%d of %d were foreign; %+v", r.Foreign, sent, p)
	}
}

// TestManyPeers has 200 peers, each with an address handle, and one queue pair.
func TestManyPeers(t *testing.T) {
	dev := openDevice(t)
	o := patient()
	responder := started(t, dev, o, "127.0.0.1:0")
	o.interval = 20 * time.Millisecond
	a := started(t, dev, o, "127.0.0.1:0", slices.Repeat([]string{addr(responder)}, 200)...)
	until(t, a, "all were met", func() bool { return !slices.ContainsFunc(a.peers, func(p *peer) bool { return p.via == nil }) })
	for _, p := range probed(t, a).Peers {
		if p.counts != (counts{Sent: 3, Answered: 3}) {
			t.Errorf("%+v", p)
		}
	}
}

// TestBadHello has others say something else than agents of this version.
func TestBadHello(t *testing.T) {
	dev := openDevice(t)
	a := started(t, dev, patient(), "127.0.0.1:0")
	for _, say := range []func(conn net.Conn){
		func(conn net.Conn) { io.WriteString(conn, "GET / HTTP/1.0\r\n\r\n") },
		func(conn net.Conn) {
			stranger, err := newQueues(dev, patient())
			check(t, err)
			later, err := binary.Append(nil, binary.BigEndian, hello{Version: version + 1})
			check(t, err)
			_, err = connect.UD(t.Context(), conn, stranger.qp, connect.Options{Data: later})
			check(t, err)
		},
	} {
		conn, err := net.Dial("tcp", addr(a))
		check(t, err)
		say(conn)
		conn.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, conn) // until the agent has closed it
		conn.Close()
	}
	until(t, a, "they have left", func() bool { return a.called == 2 && len(a.callers) == 0 })
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

// TestFailure ends an agent whose queue pair fails.
func TestFailure(t *testing.T) {
	dev := openDevice(t, softverbs.FailRequest(1, 2)) // IBV_WC_LOC_QP_OP_ERR
	other := started(t, dev, patient(), "127.0.0.1:0")
	a := started(t, dev, patient(), "127.0.0.1:0", addr(other))
	if err := a.probe(t.Context()); err == nil {
		t.Error("no error")
	}
}

// TestSteady has an agent probe itself, step by step: no step allocates, and nothing arrives before it left.
func TestSteady(t *testing.T) {
	dev := openDevice(t)
	o := patient()
	o.interval = 1
	a := started(t, dev, o, "127.0.0.1:0") // only for what start makes
	a.stop()
	p := newPeer(o, "self", 0)
	a.peers = []*peer{p}
	way := itself(t, dev, a)
	check(t, a.target(p, way))
	a.callers[0] = way
	wcs := make([]verbs.WCEx, 8)
	allocs.None(t, "a probe", func() {
		due := now()
		if _, err := a.turns(0, 1, &due); err != nil {
			t.Fatal(err)
		}
		for want := p.Sent; p.Answered < want; {
			n, err := a.q.reader.PollSpin(wcs, 100)
			check(t, err)
			check(t, a.handle(wcs[:n], now()))
		}
	})
	for _, s := range p.samples.last {
		if s.rtt < 0 {
			t.Errorf("%+v: an acknowledgement came before its probe had left", s)
		}
	}
}
