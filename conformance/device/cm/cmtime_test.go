//go:build linux && cgo

package cm

import (
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/verbsgen/verbsgen/gen/rdmacm"
	"github.com/verbsgen/verbsgen/gen/verbs"
)

// cmtimeCount is how many connections cmtime makes at once.
const cmtimeCount = 6

// How cmtime meets its peer. That of rdma-core 44.0 connects to an address. Later ones speak over TCP first: of those of 60.0 and later
// the first to listen on an address is the root, to which the others tell their addresses.
const (
	meetsNot  = "-s server_address"
	meetsRoot = "-C controller_address"
)

// cmtimeMeets asks the program, or skips the test where it meets its peer in another way.
func cmtimeMeets(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("cmtime")
	if err != nil {
		lacking(t)("rdmacm-utils is not installed: %v", err)
	}
	usage, _ := exec.CommandContext(t.Context(), path, "-?").CombinedOutput() // its status is that of wrong use
	threads := strings.Contains(string(usage), "num_threads")
	switch {
	case strings.Contains(string(usage), meetsRoot):
		return meetsRoot
	case strings.Contains(string(usage), meetsNot) && !threads:
		return meetsNot
	}
	t.Skipf("a cmtime that this test does not know:\n%s", usage)
	return ""
}

// many are connections that are made and ended at once.
type many struct {
	t       *testing.T
	channel *rdmacm.EventChannel
	dev     *verbs.Device
	pd      *verbs.PD
	ids     []*rdmacm.ID
	qps     []*verbs.QP
	ended   []*rdmacm.ID // by the peer, before others were established
}

// add makes the queue pair of an identifier. It has no completion queue of ours: nothing is sent.
func (m *many) add(id *rdmacm.ID) {
	m.t.Helper()
	if m.dev == nil {
		m.dev = must(id.Device())(m.t)
		m.pd = must(m.dev.AllocPD())(m.t)
	}
	qp := must(id.CreateQP(m.pd, verbs.QPInitAttr{Type: verbs.QPTypeRC, MaxSendWR: 1, MaxRecvWR: 1, MaxSendSGE: 1, MaxRecvSGE: 1}))(m.t)
	m.ids, m.qps = append(m.ids, id), append(m.qps, qp)
}

// serve accepts n connections, and returns when all of them are established.
func (m *many) serve(n int) {
	m.t.Helper()
	for asked, established := 0, 0; established < n; {
		switch ev := must(m.channel.Next(m.t.Context()))(m.t); ev.Type {
		case rdmacm.EventTypeConnectRequest:
			asked++
			m.add(ev.ID)
			check(m.t, ev.ID.Accept(rdmacm.ConnAttr{ResponderResources: 1, InitiatorDepth: 1}))
		case rdmacm.EventTypeEstablished:
			established++
		case rdmacm.EventTypeDisconnected:
			m.ended = append(m.ended, ev.ID)
		default:
			m.t.Fatalf("event %v, status %d, with %d of %d asked for and %d established", ev.Type, ev.Status, asked, n, established)
		}
	}
}

// resolve makes n identifiers with queue pairs.
func (m *many) resolve(b *bed, to netip.AddrPort, n int) {
	m.t.Helper()
	for range n {
		m.add(b.resolved(m.t, m.channel, to))
	}
}

// connect connects them, and returns when all are established.
func (m *many) connect() {
	m.t.Helper()
	for _, id := range m.ids {
		check(m.t, id.Connect(rdmacm.ConnAttr{ResponderResources: 1, InitiatorDepth: 1, RetryCount: 2}))
	}
	for range m.ids {
		if ev := must(m.channel.Next(m.t.Context()))(m.t); ev.Type != rdmacm.EventTypeEstablished {
			m.t.Fatalf("event %v, status %d", ev.Type, ev.Status)
		}
	}
}

// disconnect ends them: as the first to do so, or as the peer does.
func (m *many) disconnect(first bool) {
	m.t.Helper()
	if first {
		for _, id := range m.ids {
			check(m.t, id.Disconnect())
		}
	}
	for len(m.ended) < len(m.ids) {
		m.ended = append(m.ended, next(m.t, m.channel, rdmacm.EventTypeDisconnected).ID)
	}
	for _, id := range m.ended {
		if !first {
			check(m.t, id.Disconnect())
		}
	}
	m.ended = nil
}

// close closes them, with the domain.
func (m *many) close() {
	m.t.Helper()
	for i, id := range m.ids {
		check(m.t, m.qps[i].Close())
		check(m.t, id.Close())
	}
	check(m.t, m.pd.Close())
	check(m.t, m.dev.Close())
	m.ids, m.qps, m.pd, m.dev = nil, nil, nil, nil
}

// root is the end of the TCP connection that the others of cmtime meet. At each step of a round, each of them sends one byte, and goes on
// when it comes back.
type root struct {
	t    *testing.T
	conn net.Conn
	step [1]byte
}

// Roles as cmtime numbers them.
const (
	roleConnect = iota
	roleListen
)

// peerInfo is what cmtime tells of a peer: the address where it listens as a struct sockaddr_storage, and its role.
type peerInfo [136]byte

func infoOf(at netip.AddrPort, role int32) (p peerInfo) {
	const inet = 2 // AF_INET
	addr := at.Addr().As4()
	binary.NativeEndian.PutUint16(p[:], inet)
	binary.BigEndian.PutUint16(p[2:], at.Port())
	copy(p[4:], addr[:])
	binary.NativeEndian.PutUint32(p[128:], uint32(role))
	return p
}

func (p peerInfo) addr() netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(p[4:8])), binary.BigEndian.Uint16(p[2:]))
}

// meet starts the program and gives what it tells of itself.
func meet(t *testing.T, own netip.Addr, mine peerInfo, more ...string) (r *root, its peerInfo, ended func()) {
	t.Helper()
	ln := must((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer ln.Close()
	port := strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
	end := program(t, append([]string{"-b", own.String(), "-C", "127.0.0.1", "-p", port, "-c", strconv.Itoa(cmtimeCount)}, more...)...)
	late := time.AfterFunc(patience, func() { ln.Close() })
	defer late.Stop()
	r = &root{t: t, conn: must(ln.Accept())(t)}
	t.Cleanup(func() { r.conn.Close() })
	check(t, r.conn.SetDeadline(time.Now().Add(2*patience)))
	must(io.ReadFull(r.conn, its[:]))(t)
	must(r.conn.Write(mine[:]))(t)
	must(r.conn.Write(its[:]))(t)
	return r, its, end
}

// program starts cmtime, and gives what waits for its end.
func program(t *testing.T, args ...string) (end func()) {
	t.Helper()
	cmd, said := peer(t, "cmtime", args...)
	return func() {
		t.Helper()
		ended(t, cmd, said)
		t.Logf("cmtime said:\n%s", said)
	}
}

// reached waits until the program is at a step, does what we do before it may go on, and lets it go on.
func (r *root) reached(do func()) {
	r.t.Helper()
	must(io.ReadFull(r.conn, r.step[:]))(r.t)
	do()
	must(r.conn.Write(r.step[:]))(r.t)
}

// counts are the connections of the rounds of a cmtime that meets a root: one to begin with, then all, then all again with numbers
// of queue pairs that do not exist.
var counts = []int{1, cmtimeCount, cmtimeCount}

// TestCmtimeConnects has the C program make many connections at once to a server in Go, and end them.
func TestCmtimeConnects(t *testing.T) {
	b := kernelBed(t)
	how := cmtimeMeets(t)
	c := b.channel(t)
	_, at := b.listen(t, c)
	m := &many{t: t, channel: c}
	if how == meetsNot {
		end := program(t, "-s", b.server.String(), "-b", b.client.String(), "-p", strconv.Itoa(int(at.Port())), "-c", strconv.Itoa(cmtimeCount))
		m.serve(cmtimeCount)
		m.disconnect(false)
		end()
		m.close()
		return
	}
	r, its, end := meet(t, b.client, infoOf(at, roleListen))
	if role := binary.NativeEndian.Uint32(its[128:]); role != roleConnect {
		t.Errorf("the program has the role %d", role)
	}
	for _, n := range counts {
		r.reached(func() {})
		r.reached(func() {}) // its identifiers are resolved
		m.serve(n)
		r.reached(func() {})
		m.disconnect(false)
		r.reached(func() {})
		m.close()
	}
	end()
}

// listens waits until the kernel has a listening identifier of the program. Connecting until it listens would not do: an attempt of several
// connections may come when it begins to, and after that it was seen to fail to create queue pairs, with ENOENT, until its end.
// The card does not say whose its identifiers are: a port is taken there just before its owner listens.
func listens(t *testing.T, b *bed, at netip.AddrPort, cmd *exec.Cmd, said *words) {
	t.Helper()
	for begin := time.Now(); b.card; time.Sleep(50 * time.Millisecond) {
		id := must(b.channel(t).CreateID(rdmacm.PortSpaceTCP))(t)
		taken := id.BindAddr(at)
		check(t, id.Close())
		if taken != nil {
			time.Sleep(50 * time.Millisecond)
			return
		}
		if time.Since(begin) > patience {
			t.Fatalf("%s does not listen:\n%s", cmd.Args, said)
		}
	}
	want := "state LISTEN ps TCP pid " + strconv.Itoa(cmd.Process.Pid) + " "
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		out, err := exec.CommandContext(t.Context(), "rdma", "resource", "show", "cm_id").CombinedOutput()
		if err != nil {
			t.Fatalf("rdma resource show cm_id: %v\n%s", err, out)
		}
		if strings.Contains(string(out), want) {
			return
		}
		if time.Since(begin) > patience {
			check(t, cmd.Process.Kill())
			_ = cmd.Wait() // what it said is whole then
			t.Fatalf("%s does not listen:\n%s\nthe kernel has\n%s", cmd.Args, said, out)
		}
	}
}

// TestCmtimeListens makes many connections at once to the C program, and ends them.
func TestCmtimeListens(t *testing.T) {
	b := kernelBed(t)
	how := cmtimeMeets(t)
	m := &many{t: t, channel: b.channel(t)}
	if how == meetsNot {
		const port = 7473
		cmd, said := peer(t, "cmtime", "-b", b.server.String(), "-p", strconv.Itoa(port))
		at := netip.AddrPortFrom(b.server, port)
		listens(t, b, at, cmd, said)
		m.resolve(b, at, cmtimeCount)
		m.connect()
		m.disconnect(true)
		m.close()
		check(t, cmd.Process.Signal(os.Kill)) // it serves until it is killed
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Errorf("cmtime ended by itself: %v\n%s", err, said)
		}
		return
	}
	r, its, end := meet(t, b.server, infoOf(netip.AddrPortFrom(b.client, 0), roleConnect), "-L")
	if role := binary.NativeEndian.Uint32(its[128:]); role != roleListen || its.addr().Addr() != b.server {
		t.Errorf("the program has the role %d and listens on %v", role, its.addr())
	}
	for _, n := range counts {
		r.reached(func() {})
		r.reached(func() { m.resolve(b, its.addr(), n) })
		m.connect()
		r.reached(func() {})
		m.disconnect(true)
		r.reached(func() {})
		m.close()
	}
	end()
}
